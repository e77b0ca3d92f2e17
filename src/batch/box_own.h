/* What the files of the box share: what is known of each file, and folders that are opened without following links.
 *
 * A path is taken apart here and nowhere else in the box.
 */
#ifndef BATCH_BOX_OWN_H
#define BATCH_BOX_OWN_H

#include "batch/box.h"

/* A file as it was when it was last synced. */
struct box_file {
    bool exists;
    bool seen; /* by the walk that goes on */
    int64_t bytes;
    uint64_t hash[2]; /* XXH3, 128 bits */
};

/* What is known of a path, or NULL; with `make` it is from now on. */
struct box_file *box_file_of(struct box *box, struct str path, bool make);

/* From now on the file is there with this body, or gone. */
void box_file_is(struct box *box, struct box_file *file, struct str body);
void box_file_is_gone(struct box *box, struct box_file *file);
bool box_file_has(const struct box_file *file, struct str body);

/* Changes the mode of an entry that was just seen to be no link; where that fails, what needs it fails. */
void box_set_mode(int folder, const char *name, mode_t mode);

/* Whether a regular file is there now. */
bool box_has_regular(const struct box *box, struct str path);

/* Gives every folder and regular file in the box to us to read, whatever their modes. */
void box_settle(const struct box *box);

/* Removes everything that is in the folder, however deep. */
void box_empty(int folder);

#endif
