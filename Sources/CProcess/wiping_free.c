// A free and a realloc that leave nothing behind.
//
// Libraries copy what they are given: libcurl leaves the Basic header twice in freed heap, a JSON decoder a token three
// times. None of them wipes, so the allocator does. These two take the place of glibc's for
// the whole process, shared libraries included, because the program comes first in the order of look-up.
//
// Left out where an allocator of a sanitizer or a fuzzer must see every call itself.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer) || __has_feature(memory_sanitizer) \
    || __has_feature(thread_sanitizer) || __has_feature(leak_sanitizer) || __has_feature(coverage_sanitizer)
#define AUTHCTL_KEEP_GLIBC_FREE 1
#endif
#endif

#ifndef AUTHCTL_KEEP_GLIBC_FREE

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern void __libc_free(void *block);
extern void *__libc_realloc(void *block, size_t size);

// memset is the fastest zeroing there is; the empty statement that claims to read the block keeps the compiler from
// dropping it as a store that nobody looks at.
static inline void wipe(void *start, size_t count) {
    memset(start, 0, count);
    __asm__ volatile("" : : "r"(start) : "memory");
}

void free(void *block) {
    if (block == NULL) return;
    wipe(block, malloc_usable_size(block));
    __libc_free(block);
}

void *realloc(void *block, size_t size) {
    if (block == NULL) return malloc(size);
    size_t had = malloc_usable_size(block);
    if (size == 0 || size <= had) {
        // What is cut off goes back to the heap. Size 0 frees, as glibc does it.
        wipe((char *)block + size, had - size);
        return __libc_realloc(block, size);
    }
    // glibc would free the old block as it is if it had to move, and does not tell whether it will.
    void *larger = malloc(size);
    if (larger == NULL) return NULL;
    memcpy(larger, block, had);
    free(block);
    return larger;
}

#endif
