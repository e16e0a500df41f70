/* A library that is opened on first use, so that nothing has to be installed which nobody uses, and no start pays for it. */
#ifndef CLIBRARY_H
#define CLIBRARY_H

#include <pthread.h>
#include <stddef.h>

/* A function of a library, and where its address goes. */
struct clibrary_function {
    const char *name;
    void *place;
};

struct clibrary {
    pthread_mutex_t lock;
    int is_open;
};

#define CLIBRARY_CLOSED { PTHREAD_MUTEX_INITIALIZER, 0 }

/* Opens the library of this name with a mode of dlopen(3), and looks all the functions up. Returns NULL, or what went wrong:
 * dlerror's text, which is valid until this thread's next call of this. */
const char *clibrary_find(const char *name, int mode, const struct clibrary_function *functions, size_t count);

/* The same, done once, whichever thread is the first. What went wrong is tried again by the next call. */
const char *clibrary_open(
    struct clibrary *library, const char *name, int mode, const struct clibrary_function *functions, size_t count);

/* The same for a library that Debian's releases have by several names: the first that is there is taken. What went wrong is told
 * of the first name alone. */
const char *clibrary_open_any(
    struct clibrary *library, const char *const *names, size_t name_count, int mode,
    const struct clibrary_function *functions, size_t count);

/* The file that a name leads to, links followed; to be freed. NULL where there is none. */
char *clibrary_path(const char *name);

#endif
