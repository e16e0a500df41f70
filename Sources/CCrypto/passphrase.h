/* The passphrase of a private key in PEM, for PEM_read_bio_PrivateKey(3). */
#ifndef CCRYPTO_PASSPHRASE_H
#define CCRYPTO_PASSPHRASE_H

#include <stdbool.h>
#include <string.h>

/* Tells a key that needs no passphrase from one that does. */
typedef struct {
    /* NULL where there is none. */
    const char *passphrase;
    bool asked;
} passphrase_request;

/* A pem_password_cb; `context` is a passphrase_request. */
static inline int give_passphrase(char *buffer, int size, int writing, void *context)
{
    (void)writing;
    passphrase_request *request = context;
    request->asked = true;
    size_t length = request->passphrase == NULL ? 0 : strlen(request->passphrase);
    if (request->passphrase == NULL || length > (size_t)size)
        return -1;
    memcpy(buffer, request->passphrase, length);
    return (int)length;
}

#endif
