#include "report/sparkline.h"

#include "base/value.h"

static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

int64_t sparkline_item(const struct value *series, size_t index)
{
    const struct value *item = &series->items[index];
    return item->kind == VALUE_INT ? item->integer : 0;
}

int64_t sparkline_max(const struct value *series, int64_t floor)
{
    for (size_t i = 0; i < series->count; i++) {
        int64_t item = sparkline_item(series, i);
        if (item > floor) {
            floor = item;
        }
    }
    return floor;
}

/* The block whose upper edge is the first at or above number / max. */
static const char *block_for(int64_t number, int64_t max)
{
    if (number <= 0 || max <= 0) {
        return blocks[0];
    }
    double eighths = (double)number / (double)max * (double)ARRAY_LEN(blocks);
    size_t level = (size_t)eighths;
    if ((double)level == eighths && level > 0) {
        level--;
    }
    return blocks[level < ARRAY_LEN(blocks) ? level : ARRAY_LEN(blocks) - 1];
}

void sparkline_draw(struct strbuf *out, const struct value *series, int64_t max, size_t columns)
{
    size_t marks = series->count < columns ? series->count : columns;
    size_t from = 0;
    for (size_t mark = 1; mark <= marks; mark++) {
        /* count / marks turns each; the remainder goes one by one to the first marks. */
        size_t to = from + series->count / marks + (mark <= series->count % marks ? 1 : 0);
        int64_t largest = 0;
        for (; from < to; from++) {
            int64_t item = sparkline_item(series, from);
            if (item > largest) {
                largest = item;
            }
        }
        strbuf_add(out, str_of(block_for(largest, max)));
    }
}
