#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tool_call.h"

#define ITEM(content, status) SCHEMA_OBJECT(TXT("content", content), TXT("status", status))
#define ITEMS(...) SCHEMA_OBJECT(SCHEMA_MEMBER("items", SCHEMA_LIST(__VA_ARGS__)))

static const struct tool_row rows[] = {
    {ITEMS(ITEM("read", "completed"), ITEM("write", "in_progress"), ITEM("test", "pending")),
     "[x] read\n[>] write\n[ ] test"},
    {ITEMS(ITEM("only", "pending")), "[ ] only"},
    {ITEMS(ITEM("", "completed")), "[x] "},
    {ITEMS(ITEM("a\nb", "pending")), "[ ] a\nb"}, /* content is said back as it is */
    {SCHEMA_OBJECT(SCHEMA_MEMBER("items", {.kind = VALUE_ARRAY})), "(no todos)"},
    {SCHEMA_OBJECT(SCHEMA_MEMBER("items", {.kind = VALUE_OBJECT})), "(no todos)"}, /* an empty table of Lua */
    {ITEMS(ITEM("a", "in_progress"), ITEM("b", "in_progress")),
     "ERROR: todo_write: items has more than one that is in_progress"},
    {ITEMS(ITEM("a", "pending"), ITEM("b", "done")),
     "ERROR: todo_write: items[2].status must be one of \"pending\", \"in_progress\", \"completed\""},
    {ITEMS(SCHEMA_OBJECT(TXT("content", "a"))), "ERROR: todo_write: items[1].status is missing"},
    {ITEMS(SCHEMA_OBJECT(TXT("status", "pending"))), "ERROR: todo_write: items[1].content is missing"},
    {ITEMS(SCHEMA_OBJECT(TXT("content", "a"), TXT("id", "1"), TXT("status", "pending"))),
     "ERROR: todo_write: items[1].id is not a known field"},
    {ITEMS(SCHEMA_TEXT("a")), "ERROR: todo_write: items[1] must be an object, but is a string"},
    {SCHEMA_OBJECT(TXT("items", "a")), "ERROR: todo_write: items must be a list, but is a string"},
    {SCHEMA_OBJECT(SCHEMA_MEMBER("items", ITEM("a", "pending"))),
     "ERROR: todo_write: items must be a list, but is an object"},
    {SCHEMA_OBJECT(SCHEMA_MEMBER("items", {.kind = VALUE_OBJECT}), TXT("x", "")),
     "ERROR: todo_write: x is not a known field"},
    {NO_ARGUMENTS, "ERROR: todo_write: items is missing"},
};

static void each_call_has_its_result(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, NULL);
    assert_tool_rows(f, tree, &tool_todo_write, rows, ARRAY_LEN(rows));
    assert_tool_rows(f, tree, &tool_todo_write, rows, 1); /* nothing of another list is left */
    assert_int_equal(tree->step, 0);
    assert_true(tool_call(f, tree, &tool_todo_write, NULL).failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_call_has_its_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
