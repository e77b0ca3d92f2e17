/* The report as Markdown: the table of variants, the advice and the expectations, for a comment or a page. */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "report/render.h"

extern const struct renderer renderer_markdown;

#endif
