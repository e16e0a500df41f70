/* libcrypto, opened on first use. A file says in FUNCTIONS(F) what it calls, and then includes this: `table` has those functions. */
#ifndef CCRYPTO_LIBCRYPTO_H
#define CCRYPTO_LIBCRYPTO_H

#include <CLibrary.h>
#include <dlfcn.h>

#define MEMBER(name) __typeof__(name) *name;
static struct { FUNCTIONS(MEMBER) } table;

/* Returns NULL, or what went wrong. */
static const char *open_libcrypto(void)
{
    static struct clibrary library = CLIBRARY_CLOSED;
#define FUNCTION(name) { #name, &table.name },
    static const struct clibrary_function functions[] = { FUNCTIONS(FUNCTION) };
    return clibrary_open(&library, "libcrypto.so.3", RTLD_LAZY, functions, sizeof functions / sizeof *functions);
}

#endif
