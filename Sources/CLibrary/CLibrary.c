#define _GNU_SOURCE

#include "CLibrary.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

const char *clibrary_find(const char *name, int mode, const struct clibrary_function *functions, size_t count)
{
    void *library = dlopen(name, mode | RTLD_LOCAL);
    if (library == NULL)
        return dlerror();
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);
        if (address == NULL)
            return dlerror();
        /* Through void **, as dlopen(3) shows, since ISO C does not convert an object pointer to a function pointer. */
        *(void **)functions[i].place = address;
    }
    return NULL;
}

const char *clibrary_open(
    struct clibrary *library, const char *name, int mode, const struct clibrary_function *functions, size_t count)
{
    pthread_mutex_lock(&library->lock);
    const char *problem = library->is_open ? NULL : clibrary_find(name, mode, functions, count);
    library->is_open = problem == NULL;
    pthread_mutex_unlock(&library->lock);
    return problem;
}

const char *clibrary_open_any(
    struct clibrary *library, const char *const *names, size_t name_count, int mode,
    const struct clibrary_function *functions, size_t count)
{
    /* dlerror's text is gone with the next call. */
    static _Thread_local char first[1024];
    for (size_t i = 0; i < name_count; i++) {
        const char *problem = clibrary_open(library, names[i], mode, functions, count);
        if (problem == NULL)
            return NULL;
        if (i == 0)
            snprintf(first, sizeof first, "%s", problem);
    }
    return first;
}

char *clibrary_path(const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    struct link_map *map = NULL;
    if (library == NULL || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return NULL;
    return realpath(map->l_name, NULL);
}
