/* Price: what a token costs, in integer picodollars, and the table of list prices. */
#include "core/price.h"

#include <math.h>

#include "base/suggest.h"
#include "core/price_table.h"

enum { NAME_SHOWN_BYTES = 80 };

static const double usd_max = 1e6;
static const double picodollars_per_usd_per_million = 1e6;

bool price_from_usd(double usd_per_million, int64_t *picodollars)
{
    if (!(usd_per_million >= 0 && usd_per_million <= usd_max)) { /* not a number is neither */
        return false;
    }
    double rounded = round(usd_per_million * picodollars_per_usd_per_million);
    if (rounded / picodollars_per_usd_per_million != usd_per_million) {
        return false;
    }
    *picodollars = (int64_t)rounded;
    return true;
}

static int64_t rate_or(int64_t rate, int64_t otherwise)
{
    return rate == PRICE_MISSING ? otherwise : rate;
}

struct rates price_rates(const struct price *price, int64_t context)
{
    const struct rates *base = &price->base, *above = &price->above;
    if (price->above_tokens == PRICE_MISSING || context <= price->above_tokens) {
        return *base;
    }
    return (struct rates){
        .input = rate_or(above->input, base->input),
        .output = rate_or(above->output, base->output),
        .cache_read = rate_or(above->cache_read, base->cache_read),
        .cache_write_5m = rate_or(above->cache_write_5m, base->cache_write_5m),
        .cache_write_1h = rate_or(above->cache_write_1h, base->cache_write_1h),
    };
}

/* The number that these digits tell; -1 when one is none. */
static int number_of(struct str digits)
{
    int number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9') {
            return -1;
        }
        number = number * 10 + (digits.data[i] - '0');
    }
    return number;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* A day of the calendar, written in ten bytes: only then is the order of bytes the order of days. */
static bool date_is_valid(struct str date)
{
    if (date.len != 10 || date.data[4] != '-' || date.data[7] != '-') {
        return false;
    }
    int year = number_of(str_slice(date, 0, 4));
    int month = number_of(str_slice(date, 5, 7));
    int day = number_of(str_slice(date, 8, 10));
    return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(year, month);
}

/* How the row stands to a model on a date; every row of the model is before an empty date. */
static int row_compare(const struct price_table_row *row, struct str model, struct str date)
{
    int order = str_cmp(str_of(row->model), model);
    if (order != 0) {
        return order;
    }
    return date.len == 0 ? -1 : str_cmp(str_of(row->from), date);
}

/* How many rows are not after the model's price on the date. */
static size_t rows_until(struct price_table table, struct str model, struct str date)
{
    size_t low = 0, high = table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_compare(&table.rows[middle], model, date) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct str shown(struct str text)
{
    return str_slice(text, 0, text.len < NAME_SHOWN_BYTES ? text.len : NAME_SHOWN_BYTES);
}

static bool fail_unknown(struct price_table table, struct str model, struct err *err)
{
    struct suggest suggest;
    suggest_init(&suggest, model);
    for (size_t i = 0; i < table.count; i++) {
        suggest_offer(&suggest, str_of(table.rows[i].model));
    }
    if (suggest.best.len > 0) {
        return err_set(err, ERR_SCENARIO, "no price is known for the model '%.*s' (did you mean '%.*s'?)",
                       STR_ARG(shown(model)), STR_ARG(suggest.best));
    }
    return err_set(err, ERR_SCENARIO, "no price is known for the model '%.*s'", STR_ARG(shown(model)));
}

static bool is_of(struct price_table table, size_t row, struct str model)
{
    return row < table.count && str_eq(str_of(table.rows[row].model), model);
}

bool price_table_find(struct price_table table, struct str model, struct str date, struct price *price, struct err *err)
{
    if (date.len > 0 && !date_is_valid(date)) {
        return err_set(err, ERR_SCENARIO, "'%.*s' is not a date like 2026-05-01", STR_ARG(shown(date)));
    }
    size_t next = rows_until(table, model, date);
    if (next == 0 || !is_of(table, next - 1, model)) {
        if (!is_of(table, next, model)) {
            return fail_unknown(table, model, err);
        }
        return err_set(err, ERR_SCENARIO, "no price of '%.*s' is known on %.*s: the first one is of %s",
                       STR_ARG(shown(model)), STR_ARG(date), table.rows[next].from);
    }
    const struct price_table_row *row = &table.rows[next - 1];
    if (row->price.base.input == PRICE_MISSING && row->price.base.output == PRICE_MISSING) {
        return err_set(err, ERR_SCENARIO, "no price of '%.*s' is known from %s on: give an earlier date, or the prices",
                       STR_ARG(shown(model)), row->from);
    }
    *price = row->price;
    return true;
}

bool price_find(struct str model, struct str date, struct price *price, struct err *err)
{
    return price_table_find((struct price_table){price_table, price_table_count}, model, date, price, err);
}
