#include "CQREncode.h"

#include <CLibrary.h>
#include <dlfcn.h>
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

const char *cqrencode_open(const char *name)
{
    static struct clibrary library = CLIBRARY_CLOSED;
    static const struct clibrary_function functions[] = {
        { "QRcode_encodeString8bit", &table.encode },
        { "QRcode_free", &table.free },
    };
    return clibrary_open(&library, name, RTLD_NOW, functions, sizeof functions / sizeof *functions);
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
