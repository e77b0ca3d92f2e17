/* The bundled files: scenarios/, and what `simagent init` writes, as bytes in the program. */
#ifndef CLI_BUNDLED_H
#define CLI_BUNDLED_H

#include <stddef.h>

struct bundled {
    const char *name;  /* the file's stem; NULL ends the table */
    const char *bytes; /* the file's text */
    size_t length;
};

extern const struct bundled bundled_scenarios[];
extern const struct bundled bundled_files[]; /* new_scenario and simagent, the annotations */

#endif
