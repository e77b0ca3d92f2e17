#include "batch/shell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "batch/channel.h"
#include "core/worktree.h"
#include "engine/tool.h"

#define NOTE_MAX ((size_t)200) /* of what is added to the output */
#define SHELL_COMMAND_MAX ((size_t)48 << 10)

/* What the parent has of one worktree. */
struct shell_box {
    struct worktree *tree;
    uint32_t step;  /* the last one that it knows of */
    bool laid_out;  /* all that was there at some time */
    int64_t skipped; /* as last told */
};

static struct shell_box *find_box(struct real_shell *real, struct worktree *tree, uint64_t *number)
{
    for (uint32_t i = 0; i < real->boxes.count; i++) {
        struct shell_box *box = chunks_at(&real->boxes, i);
        if (box->tree == tree) {
            *number = i;
            return box;
        }
    }
    *number = real->boxes.count;
    struct shell_box *box = chunks_add(&real->boxes);
    box->tree = tree;
    return box;
}

/* Sends a file as it is now. */
static bool send_file(struct real_shell *real, struct worktree *tree, uint64_t number, struct str path,
                      struct err *err)
{
    struct version version;
    bool failed;
    struct channel_file file = {.worktree = number, .path = path};
    file.exists = worktree_read(tree, path, NULL, &version, &failed, err);
    if (failed) {
        return false;
    }
    file.body = file.exists ? version.body : (struct str){0};
    return channel_file(real->channel, &file, err);
}

static bool send_all(struct real_shell *real, struct worktree *tree, uint64_t number, struct err *err)
{
    uint32_t count;
    const struct str *paths = worktree_list(tree, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!send_file(real, tree, number, paths[i], err)) {
            return false;
        }
    }
    return true;
}

/* What was written or removed after a step. */
static bool send_changed(struct real_shell *real, struct worktree *tree, uint64_t number, uint32_t step,
                         struct err *err)
{
    for (uint32_t i = 0; i < tree->tracked.count; i++) {
        const struct tracked *tracked = *(struct tracked **)chunks_at(&tree->tracked, i);
        const struct version *last = chunks_at(&tracked->versions, tracked->versions.count - 1);
        if (last->steps.birth > step && !send_file(real, tree, number, tracked->path, err)) {
            return false;
        }
    }
    return true;
}

static bool sync(struct real_shell *real, struct shell_box *box, uint64_t number, struct err *err)
{
    bool good = box->laid_out ? send_changed(real, box->tree, number, box->step, err)
                              : send_all(real, box->tree, number, err);
    box->laid_out = good;
    box->step = box->tree->step;
    return good;
}

/* I1.  Paths and bodies lie in the arena that the transcripts live in. */
static void take_changes(struct shell_box *box, const struct channel_end *end, const struct record *writer)
{
    for (size_t i = 0; i < end->change_count; i++) {
        const struct channel_file *change = &end->changes[i];
        if (change->exists) {
            worktree_write(box->tree, change->path, change->body, writer);
        } else if (worktree_bytes(box->tree, change->path) >= 0) {
            worktree_remove(box->tree, change->path, writer);
        }
    }
    box->step = box->tree->step;
}

static void note_skipped(const struct real_shell *real, struct shell_box *box, int64_t skipped)
{
    if (skipped > box->skipped && !real->quiet) {
        fprintf(stderr, "note: bash: %" PRId64 " links, special or large files were not taken back\n", skipped);
    }
    box->skipped = skipped;
}

static bool ends_line(const struct strbuf *text)
{
    return text->len == 0 || text->data[text->len - 1] == '\n';
}

static void begin_line(struct strbuf *text)
{
    if (!ends_line(text)) {
        strbuf_addc(text, '\n');
    }
}

/* The longest beginning of at most `most` bytes that does not end inside a code point. */
static struct str cut_text(struct str text, size_t most)
{
    size_t length = text.len < most ? text.len : most;
    size_t cut = length;
    while (cut < text.len && cut > 0 && length - cut < 3 && ((unsigned char)text.data[cut] & 0xc0) == 0x80) {
        cut--;
    }
    return str_slice(text, 0, cut);
}

static struct str text_of(const struct channel_end *end, const struct shell_command *command, struct arena *keep)
{
    struct strbuf text;
    struct str out = cut_text(end->out, SHELL_OUTPUT_MAX);
    struct str err = cut_text(end->err, SHELL_OUTPUT_MAX - out.len);
    strbuf_init(&text, keep, SHELL_OUTPUT_MAX + NOTE_MAX);
    strbuf_add(&text, out);
    if (err.len > 0) {
        begin_line(&text);
        strbuf_add(&text, err);
    }
    if (end->out_cut || end->err_cut || out.len < end->out.len || err.len < end->err.len) {
        begin_line(&text);
        strbuf_addf(&text, "(output cut at %zu bytes)", SHELL_OUTPUT_MAX);
    }
    if (text.len == 0) {
        strbuf_add(&text, STR("(no output)"));
    }
    if (end->timed_out) {
        begin_line(&text);
        strbuf_addf(&text, "(timed out after %" PRId64 " ms)", command->timeout_ms);
    } else if (end->exit_code != 0) {
        begin_line(&text);
        strbuf_addf(&text, "(exit %d)", end->exit_code);
    }
    return strbuf_str(&text);
}

static bool run(const void *self, const struct shell_command *command, const struct tool_invocation *call,
                struct tool_result *result, struct err *err)
{
    struct real_shell *real = (struct real_shell *)self;
    struct channel_command asked = {.text = command->text, .timeout_ms = command->timeout_ms};
    struct channel_end end;
    if (command->text.len > SHELL_COMMAND_MAX || memchr(command->text.data, '\0', command->text.len)) {
        tool_fail(call, result, STR("bash: a command may have at most 48 KiB, and no NUL"), (struct str){0},
                  (struct str){0});
        return true;
    }
    struct shell_box *box = find_box(real, call->tree, &asked.worktree);
    if (!sync(real, box, asked.worktree, err) || !channel_shell(real->channel, &asked, call->keep, &end, err)) {
        return false;
    }
    take_changes(box, &end, call->record);
    note_skipped(real, box, end.skipped);
    *result = (struct tool_result){.content = text_of(&end, command, call->keep), .size = -1};
    return true;
}

void shell_init(struct real_shell *real, struct channel *channel, struct arena *keep, bool quiet)
{
    *real = (struct real_shell){.channel = channel, .quiet = quiet};
    real->shell = (struct shell){.run = run, .self = real, .real = true};
    chunks_init(&real->boxes, keep, sizeof(struct shell_box));
}
