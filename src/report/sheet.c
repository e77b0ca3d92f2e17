#include "report/sheet.h"

#include "base/arena.h"
#include "report/cells.h"

static const struct value empty_list = {.kind = VALUE_ARRAY};
static const struct value nothing = {.kind = VALUE_NULL};

const struct value *sheet_list(const struct value *object, const char *path)
{
    const struct value *list = value_path(object, path);
    return list != NULL && list->kind == VALUE_ARRAY ? list : &empty_list;
}

int64_t sheet_list_total(const struct value *list)
{
    return (int64_t)(list->count + list->dropped);
}

struct str sheet_text(const struct sheet *sheet, const struct value *object, const char *path, size_t columns)
{
    return cells_text(sheet->arena, value_str_at(object, path, STR("")), columns);
}

const struct value *sheet_number(const struct value *object, const char *path)
{
    const struct value *number = value_path(object, path);
    bool is_number = number != NULL && (number->kind == VALUE_INT || number->kind == VALUE_REAL);
    return is_number ? number : NULL;
}

double sheet_real(const struct value *number)
{
    return number->kind == VALUE_INT ? (double)number->integer : number->real;
}

bool sheet_is_complete(const struct value *run)
{
    return str_eq(value_str_at(run, "status", STR("complete")), STR("complete"));
}

/* Comparisons stand in the order of the variants, so the search goes on where it found the last one. */
static const struct value *comparison_of(const struct value *list, struct str name, size_t *cursor)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t at = (*cursor + i) % list->count;
        if (str_eq(value_str_at(&list->items[at], "variant", STR("")), name)) {
            *cursor = at + 1;
            return &list->items[at];
        }
    }
    return &nothing;
}

/* Names share the width; none gets so little that it says nothing. */
static size_t name_room(size_t columns)
{
    size_t room = columns / 5;
    return room < 12 ? 12 : room > 32 ? 32 : room;
}

static void find_variants(struct sheet *sheet, const struct value *variants)
{
    const struct value *comparisons = sheet_list(sheet->report, "comparisons");
    struct str baseline = value_str_at(sheet->report, "baseline", STR(""));
    size_t cursor = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        struct str name = value_str_at(&variants->items[i], "name", STR(""));
        sheet->variants[i] = &variants->items[i];
        sheet->names[i] = name.len > 0 ? cells_name(sheet->arena, name, sheet->name_columns) : STR("(no name)");
        if (str_eq(name, baseline) && sheet->baseline == SHEET_NO_BASELINE) {
            sheet->baseline = i;
        }
        sheet->comparisons[i] = i == sheet->baseline ? &nothing : comparison_of(comparisons, name, &cursor);
    }
}

/* Beside a baseline that read nothing every ratio is 0 by definition and says nothing: better a dash than "0.0 %". */
static void drop_empty_comparisons(struct sheet *sheet)
{
    if (sheet->baseline == SHEET_NO_BASELINE ||
        value_int_at(sheet->variants[sheet->baseline], "total_cumulative", -1) != 0) {
        return;
    }
    for (size_t i = 0; i < sheet->count; i++) {
        sheet->comparisons[i] = &nothing;
    }
}

void sheet_init(struct sheet *sheet, struct arena *arena, const struct value *report, size_t columns)
{
    const struct value *variants = sheet_list(report, "variants");
    *sheet = (struct sheet){
        .report = report,
        .arena = arena,
        .name_columns = name_room(columns),
        .count = variants->count,
        .left_out = variants->dropped,
        .baseline = SHEET_NO_BASELINE,
        .variants = arena_array(arena, const struct value *, variants->count),
        .comparisons = arena_array(arena, const struct value *, variants->count),
        .names = arena_array(arena, struct str, variants->count),
    };
    sheet->unit = sheet_text(sheet, report, "scenario.unit", 16);
    if (sheet->unit.len == 0) {
        sheet->unit = STR("units");
    }
    find_variants(sheet, variants);
    drop_empty_comparisons(sheet);
}
