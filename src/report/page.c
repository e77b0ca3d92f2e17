#include "report/page.h"

#include "base/utf8.h"

static const char *const tone_codes[] = {
    [PAGE_PLAIN] = "", [PAGE_STRONG] = "\033[1m", [PAGE_DIM] = "\033[2m", [PAGE_GOOD] = "\033[32m",
    [PAGE_BAD] = "\033[31m",
};

void page_spaces(struct page *page, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sink_putc(page->sink, ' ');
    }
}

void page_toned(struct page *page, enum page_tone tone, struct str text)
{
    bool coded = page->colour && tone != PAGE_PLAIN && text.len > 0;
    if (coded) {
        sink_write(page->sink, str_of(tone_codes[tone]));
    }
    sink_write(page->sink, text);
    if (coded) {
        sink_write(page->sink, STR("\033[0m"));
    }
}

void page_blank(struct page *page)
{
    sink_putc(page->sink, '\n');
}

void page_line(struct page *page, size_t indent, struct str text)
{
    while (text.len > 0 && text.data[text.len - 1] == ' ') {
        text.len--;
    }
    if (text.len > 0) {
        page_spaces(page, indent);
    }
    sink_write(page->sink, text);
    page_blank(page);
}

void page_heading(struct page *page, struct str title, struct str note)
{
    page_blank(page);
    page_toned(page, PAGE_STRONG, title);
    if (note.len > 0) {
        struct str text = str_printf(page->arena, " (%.*s)", STR_ARG(note));
        size_t used = utf8_columns(title);
        if (used + utf8_columns(text) > page->columns) {
            page_blank(page);
            page_paragraph(page, 2, PAGE_DIM, str_slice(text, 1, text.len));
            return;
        }
        page_toned(page, PAGE_DIM, text);
    }
    page_blank(page);
}

static bool can_break(struct str text, size_t at)
{
    if (at >= text.len || text.data[at] != ' ') {
        return false;
    }
    return at + 1 >= text.len || text.data[at + 1] != '%';
}

/* Cuts the next line off the front of rest. */
static struct str take_line(struct str *rest, size_t columns)
{
    struct str line = utf8_prefix_columns(*rest, columns);
    if (line.len < rest->len) {
        size_t at = line.len;
        while (at > 0 && !can_break(*rest, at)) {
            at--;
        }
        if (at > 0) {
            line = str_slice(*rest, 0, at);
        }
    }
    if (line.len == 0) {
        line = utf8_prefix(*rest, 1);
    }
    *rest = str_slice(*rest, line.len, rest->len);
    while (rest->len > 0 && rest->data[0] == ' ') {
        *rest = str_slice(*rest, 1, rest->len);
    }
    while (line.len > 0 && line.data[line.len - 1] == ' ') {
        line.len--;
    }
    return line;
}

static size_t room(const struct page *page, size_t indent)
{
    return page->columns > indent + 20 ? page->columns - indent : 20;
}

/* The rest of a paragraph whose first line's indent stands already. */
static void paragraph_after_indent(struct page *page, size_t indent, enum page_tone tone, struct str text)
{
    do {
        page_toned(page, tone, take_line(&text, room(page, indent)));
        page_blank(page);
        if (text.len > 0) {
            page_spaces(page, indent);
        }
    } while (text.len > 0);
}

void page_paragraph(struct page *page, size_t indent, enum page_tone tone, struct str text)
{
    if (text.len == 0) {
        return;
    }
    page_spaces(page, indent);
    paragraph_after_indent(page, indent, tone, text);
}

void page_entry(struct page *page, size_t indent, struct str label, size_t label_columns, struct str text)
{
    if (text.len == 0) {
        return;
    }
    size_t width = utf8_columns(label);
    page_spaces(page, indent);
    page_toned(page, PAGE_DIM, label);
    page_spaces(page, width < label_columns ? label_columns - width : 1);
    paragraph_after_indent(page, indent + label_columns, PAGE_PLAIN, text);
}
