/* Hide: tells AddressSanitizer which bytes of our own blocks nobody may touch now; nothing in other builds. */
#ifndef BASE_HIDE_H
#define BASE_HIDE_H

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define HIDE(address, size) ASAN_POISON_MEMORY_REGION((address), (size))
#define SHOW(address, size) ASAN_UNPOISON_MEMORY_REGION((address), (size))
#else
#define HIDE(address, size) ((void)(address), (void)(size))
#define SHOW(address, size) ((void)(address), (void)(size))
#endif

#endif
