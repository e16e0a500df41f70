/* libsodium, opened by the name that it has here: Debian's next release has another one, and one program is for both. The functions
 * below are declared in its own header and defined in CSodium.c; every other one is missing when the program is linked. */
#ifndef CSODIUM_H
#define CSODIUM_H

#include <sodium.h>

/* Opens the library, and sets it up. Returns NULL, or what went wrong: text that is valid until this thread's next call. */
const char *csodium_open(void);

#endif
