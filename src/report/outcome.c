#include "report/outcome.h"

const struct outcome_format *const outcome_formats[] = {&outcome_junit, &outcome_tap, NULL};

const struct outcome_format *outcome_format_find(struct str name)
{
    for (size_t i = 0; outcome_formats[i] != NULL; i++) {
        if (str_eq(name, str_of(outcome_formats[i]->name))) {
            return outcome_formats[i];
        }
    }
    return NULL;
}
