#include "CCryptoDigest.h"

#include <dlfcn.h>
#include <pthread.h>

/* Declared by hand: EVP_Q_digest is stable since 3.0. */
typedef int digest_function(
    void *context, const char *name, const char *properties, const void *bytes, size_t count, unsigned char *digest,
    size_t *length);

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static digest_function *digest_;

/* The library that libcurl has brought already. */
static void open_library(void) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    /* Through void **, as dlopen(3) shows, since ISO C does not convert an object pointer to a function pointer. */
    if (library) *(void **)&digest_ = dlsym(library, "EVP_Q_digest");
}

size_t ccrypto_digest(const char *name, const void *bytes, size_t count, unsigned char *digest) {
    pthread_once(&opened, open_library);
    size_t length = 0;
    if (!digest_ || digest_(NULL, name, NULL, bytes, count, digest, &length) != 1) return 0;
    return length <= CCRYPTO_DIGEST_CAPACITY ? length : 0;
}
