/* section_report: what one section of the text report writes of a report given as JSON, as a string in memory. */
#ifndef SUPPORT_SECTION_REPORT_H
#define SUPPORT_SECTION_REPORT_H

#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"
#include "support/rendered.h"
#include "support/tell_json.h"

struct section_row {
    const char *why;
    void (*section)(struct page *page, const struct sheet *sheet);
    const char *report;
    const char *want;
};

static inline struct str section_text(struct arena *arena, const struct section_row *row,
                                      const struct value_limit *limits)
{
    struct sink sink;
    struct value_builder builder;
    struct sheet sheet;
    int fd = memfd_create("section", MFD_CLOEXEC);
    CHECK(fd >= 0);
    sink_open(&sink, fd);
    value_builder_init(&builder, arena, limits);
    tell_json(row->report, &builder.feed);
    sheet_init(&sheet, arena, &builder.result, 80);
    struct page page = {.sink = &sink, .arena = arena, .columns = 80};
    row->section(&page, &sheet);
    CHECK(sink_close(&sink));
    struct str bytes = rendered_bytes(arena, fd);
    close(fd);
    return bytes;
}

#endif
