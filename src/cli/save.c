#include "cli/save.h"

#include <signal.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/outfile.h"

struct str save_folder_of(struct str path)
{
    for (size_t i = path.len; i > 0; i--) {
        if (path.data[i - 1] == '/') {
            return i > 1 ? str_slice(path, 0, i - 1) : STR("/");
        }
    }
    return STR(".");
}

static bool write_aside(const char *path, struct str bytes, struct err *err)
{
    struct outfile file;
    if (!outfile_open(&file, path, err)) {
        return false;
    }
    sink_write(&file.sink, bytes);
    return outfile_commit(&file, err);
}

bool save_file(struct arena *arena, const char *path, struct str bytes, struct err *err)
{
    sigset_t held;
    sigset_t before;
    const char *folder = str_z(arena, save_folder_of(str_of(path)));
    if (!file_is_folder(folder) && !file_make_folder(folder, err)) {
        return false;
    }
    const char *slash = strrchr(path, '/');
    outfile_clean(folder, slash != NULL ? slash + 1 : path);
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &before);
    bool fine = write_aside(path, bytes, err);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fine;
}

static bool is_link(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

bool save_file_unlinked(struct arena *arena, const char *path, struct str bytes, struct err *err)
{
    const char *folder = str_z(arena, save_folder_of(str_of(path)));
    const char *link = is_link(path) ? path : is_link(folder) ? folder : NULL;
    if (link != NULL) {
        return err_set(err, ERR_IO, "%s: is a link, and nothing is written through one: put a file or a folder there",
                       link);
    }
    return save_file(arena, path, bytes, err);
}
