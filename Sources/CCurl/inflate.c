#define _GNU_SOURCE
#include "CCurl.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* z_stream of zlib.h, which has not changed since zlib 1.0. */
struct stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *words;
    void *state;
    void *(*allocate)(void *, unsigned int, unsigned int);
    void (*free)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

enum { ok = 0, stream_end = 1 };

static struct {
    int (*init)(struct stream *, int, const char *, int);
    int (*inflate)(struct stream *, int);
    int (*reset)(struct stream *);
    int (*end)(struct stream *);
} table;

const char *ccurl_open_zlib(const char *name)
{
    static struct clibrary library = CLIBRARY_CLOSED;
    static const struct clibrary_function functions[] = {
        { "inflateInit2_", &table.init },
        { "inflate", &table.inflate },
        { "inflateReset", &table.reset },
        { "inflateEnd", &table.end },
    };
    return clibrary_open(&library, name, RTLD_NOW, functions, sizeof functions / sizeof *functions);
}

static void *allocate(void *opaque, unsigned int count, unsigned int size)
{
    (void)opaque;
    return calloc(count, size);
}

/* Its window holds what was unpacked. */
static void wiping_free(void *opaque, void *pointer)
{
    (void)opaque;
    if (pointer == NULL)
        return;
    explicit_bzero(pointer, malloc_usable_size(pointer));
    free(pointer);
}

/* One member of gzip may follow another (RFC 1952, section 2.2). */
static int has_another(const struct stream *stream)
{
    return stream->avail_in > 1 && stream->next_in[0] == 0x1f && stream->next_in[1] == 0x8b;
}

ptrdiff_t ccurl_inflate(const void *bytes, size_t count, void *place, size_t capacity, int window)
{
    struct stream stream = { .allocate = allocate, .free = wiping_free };
    if (count > 1U << 30 || table.init(&stream, window, "1.2", sizeof stream) != ok)
        return -1;
    stream.next_in = bytes;
    stream.avail_in = (unsigned int)count;
    unsigned char piece[16384];
    size_t done = 0;
    ptrdiff_t result = -1;
    for (;;) {
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        int code = table.inflate(&stream, 0);
        size_t got = sizeof piece - stream.avail_out;
        if (code != ok && code != stream_end)
            break;
        if (got > capacity - done) {
            result = -2;
            break;
        }
        if (place != NULL)
            memcpy((unsigned char *)place + done, piece, got);
        done += got;
        if (code == stream_end && !has_another(&stream)) {
            result = (ptrdiff_t)done;
            break;
        }
        if (code == stream_end ? table.reset(&stream) != ok : stream.avail_out > 0 && stream.avail_in == 0)
            break;
    }
    explicit_bzero(piece, sizeof piece);
    table.end(&stream);
    return result;
}
