/* Steps through what waits to be accepted, on the terminal: the difference, then one letter. */
#include "cli/suite_own.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/message.h"
#include "report/cells.h"

#define ANSWER_MAX 64
#define MESSAGE_COLUMNS 2000

/* The first letter of a line; 'q' at the end of input. */
static char ask(struct arena *arena, struct str question)
{
    char answer[ANSWER_MAX];
    message_print(arena, question);
    if (fgets(answer, sizeof answer, stdin) == NULL) {
        return 'q';
    }
    return answer[0];
}

static char ask_about(struct suite *suite, const struct suite_test *test)
{
    struct arena *arena = suite->arena;
    struct str title = suite_title(arena, test);
    struct str message = cells_text(arena, test->message, MESSAGE_COLUMNS);
    message_print(arena, str_printf(arena, "\n%.*s: %.*s\n%.*s", STR_ARG(title), STR_ARG(message),
                                    STR_ARG(test->details)));
    for (;;) {
        char letter = ask(arena, STR("accept the new report? [y]es, [n]o, [q]uit: "));
        if (letter == 'y' || letter == 'n' || letter == 'q') {
            return letter;
        }
    }
}

static bool accept_pending(struct suite *suite, struct suite_test *test, struct err *err)
{
    struct arena arena;
    struct str report;
    arena_init(&arena);
    const char *path = str_z(&arena, str_printf(&arena, "%s.new", test->golden));
    enum suite_status before = test->status;
    bool fine = file_read_whole(&arena, path, SUITE_BYTES_MAX, &report, err) &&
                suite_accept(suite, test, report, err);
    if (fine && before == SUITE_UNMET) { /* the report still says no */
        test->status = before;
        test->exit_code = 1;
    }
    arena_close(&arena);
    return fine;
}

bool suite_review(struct suite *suite, struct err *err)
{
    for (size_t i = 0; i < suite->test_count; i++) {
        struct suite_test *test = &suite->tests[i];
        if (!test->pending) {
            continue;
        }
        char letter = ask_about(suite, test);
        if (letter == 'q') {
            return true;
        }
        if (letter == 'y' && !accept_pending(suite, test, err)) {
            return false;
        }
    }
    return true;
}
