/* libqrencode, opened on first use: only --qr needs it. Nothing links it and no header of it is needed: the two functions have
 * not changed since libqrencode 3.0, and are declared in CQREncode.c. */
#ifndef CQRENCODE_H
#define CQRENCODE_H

typedef struct cqrencode_symbol cqrencode_symbol;

/* Opens the library of this name, once. Returns NULL, or what went wrong: text that is valid until the next call. */
const char *cqrencode_open(const char *name);

/* The smallest symbol that holds the text, with the least error correction: it is read from a screen. Only after cqrencode_open
 * has returned NULL. Returns NULL for what is too long, or empty. */
cqrencode_symbol *cqrencode_encode(const char *text);
void cqrencode_free(cqrencode_symbol *symbol);

/* Modules in a row, without the quiet zone. */
int cqrencode_width(const cqrencode_symbol *symbol);
/* Both places count from the upper left; they have to be in the symbol. */
int cqrencode_is_dark(const cqrencode_symbol *symbol, int row, int column);

#endif
