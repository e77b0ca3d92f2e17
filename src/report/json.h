/* The report as JSON: exactly what is told, then one line feed. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report/render.h"

extern const struct renderer renderer_json;

#endif
