#include "CQREncode.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* QRcode of qrencode.h. The lowest bit of a module says whether it is dark. */
struct cqrencode_symbol {
    int version;
    int width;
    unsigned char *data;
};

/* QR_ECLEVEL_L. */
enum { least_correction = 0 };

static struct {
    cqrencode_symbol *(*encode)(const char *, int, int);
    void (*free)(cqrencode_symbol *);
} table;

/* Through void **, as dlopen(3) shows, since ISO C does not convert an object pointer to a function pointer. */
static bool look_up(void *library, const char *name, void *place)
{
    return (*(void **)place = dlsym(library, name)) != NULL;
}

static const char *load(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return dlerror();
    bool found = look_up(library, "QRcode_encodeString8bit", &table.encode)
        && look_up(library, "QRcode_free", &table.free);
    return found ? NULL : dlerror();
}

const char *cqrencode_open(const char *library)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool opened = false;

    pthread_mutex_lock(&lock);
    const char *problem = opened ? NULL : load(library);
    opened = problem == NULL;
    pthread_mutex_unlock(&lock);
    return problem;
}

cqrencode_symbol *cqrencode_encode(const char *text)
{
    return table.encode(text, 0, least_correction);
}

void cqrencode_free(cqrencode_symbol *symbol)
{
    if (symbol != NULL)
        table.free(symbol);
}

int cqrencode_width(const cqrencode_symbol *symbol)
{
    return symbol->width;
}

int cqrencode_is_dark(const cqrencode_symbol *symbol, int row, int column)
{
    return symbol->data[row * symbol->width + column] & 1;
}
