/* The report as text: variants side by side, advice, and how to make it again. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/render.h"

extern const struct renderer renderer_text;

#endif
