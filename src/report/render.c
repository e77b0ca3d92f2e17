#include "report/render.h"

#include "report/csv.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/text.h"

const struct renderer *const renderers[] = {&renderer_text, &renderer_json, &renderer_markdown, &renderer_csv, NULL};

const struct renderer *render_find(struct str name)
{
    for (size_t i = 0; renderers[i] != NULL; i++) {
        if (str_eq(name, str_of(renderers[i]->name))) {
            return renderers[i];
        }
    }
    return NULL;
}
