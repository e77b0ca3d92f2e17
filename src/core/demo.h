/* Demo: a small project of six files, so that a scenario has something to read when no folder is given.
 *
 * A toy loader, parser and pipeline with their test, 5,640 bytes of ASCII in all.  The bytes never change: figures that
 * people compare with each other stand on them.  Bodies are static data, referenced by the workspace and never freed.
 */
#ifndef CORE_DEMO_H
#define CORE_DEMO_H

struct workspace;

/* Adds the six files.  None of their paths may be there yet; the workspace stays unsealed. */
void demo_fill(struct workspace *workspace);

#endif
