#include "CCryptoDigest.h"

#include <CLibrary.h>
#include <dlfcn.h>

/* Declared by hand: EVP_Q_digest is stable since 3.0. */
typedef int digest_function(
    void *context, const char *name, const char *properties, const void *bytes, size_t count, unsigned char *digest,
    size_t *length);

/* The library that libcurl has brought already. */
size_t ccrypto_digest(const char *name, const void *bytes, size_t count, unsigned char *digest) {
    static struct clibrary library = CLIBRARY_CLOSED;
    static digest_function *compute;
    static const struct clibrary_function function = { "EVP_Q_digest", &compute };
    if (clibrary_open(&library, "libcrypto.so.3", RTLD_NOW, &function, 1) != NULL) return 0;
    size_t length = 0;
    if (compute(NULL, name, NULL, bytes, count, digest, &length) != 1) return 0;
    return length <= CCRYPTO_DIGEST_CAPACITY ? length : 0;
}
