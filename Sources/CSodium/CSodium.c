#define _GNU_SOURCE
#include "CSodium.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    int (*init)(void);
    void *(*malloc)(const size_t);
    void (*free)(void *);
    int (*mprotect_readonly)(void *);
    int (*memcmp)(const void *const, const void *const, size_t);
    size_t (*encoded_len)(const size_t, const int);
    char *(*bin2base64)(char *const, const size_t, const unsigned char *const, const size_t, const int);
    int (*base642bin)(
        unsigned char *const, const size_t, const char *const, const size_t, const char *const, size_t *const,
        const char **const, const int);
    void (*random)(void *const, const size_t);
    int (*encrypt)(
        unsigned char *, unsigned long long *, const unsigned char *, unsigned long long, const unsigned char *,
        unsigned long long, const unsigned char *, const unsigned char *, const unsigned char *);
    int (*decrypt)(
        unsigned char *, unsigned long long *, unsigned char *, const unsigned char *, unsigned long long,
        const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
    int (*generichash)(
        unsigned char *, size_t, const unsigned char *, unsigned long long, const unsigned char *, size_t);
    int (*pwhash)(
        unsigned char *const, unsigned long long, const char *const, unsigned long long, const unsigned char *const,
        unsigned long long, size_t, int);
    int (*argon2id13)(void);
    size_t (*sha256_bytes)(void);
    int (*sha256)(unsigned char *, const unsigned char *, unsigned long long);
    size_t (*hmac_bytes)(void);
    int (*hmac_init)(crypto_auth_hmacsha256_state *, const unsigned char *, size_t);
    int (*hmac_update)(crypto_auth_hmacsha256_state *, const unsigned char *, unsigned long long);
    int (*hmac_final)(crypto_auth_hmacsha256_state *, unsigned char *);
} table;

/* What is used here is the same in both. */
static const char *const names[] = { "libsodium.so.23", "libsodium.so.26" };

const char *csodium_open(void)
{
    static struct clibrary library = CLIBRARY_CLOSED;
    static const struct clibrary_function functions[] = {
        { "sodium_init", &table.init },
        { "sodium_malloc", &table.malloc },
        { "sodium_free", &table.free },
        { "sodium_mprotect_readonly", &table.mprotect_readonly },
        { "sodium_memcmp", &table.memcmp },
        { "sodium_base64_encoded_len", &table.encoded_len },
        { "sodium_bin2base64", &table.bin2base64 },
        { "sodium_base642bin", &table.base642bin },
        { "randombytes_buf", &table.random },
        { "crypto_aead_xchacha20poly1305_ietf_encrypt", &table.encrypt },
        { "crypto_aead_xchacha20poly1305_ietf_decrypt", &table.decrypt },
        { "crypto_generichash", &table.generichash },
        { "crypto_pwhash", &table.pwhash },
        { "crypto_pwhash_alg_argon2id13", &table.argon2id13 },
        { "crypto_hash_sha256_bytes", &table.sha256_bytes },
        { "crypto_hash_sha256", &table.sha256 },
        { "crypto_auth_hmacsha256_bytes", &table.hmac_bytes },
        { "crypto_auth_hmacsha256_init", &table.hmac_init },
        { "crypto_auth_hmacsha256_update", &table.hmac_update },
        { "crypto_auth_hmacsha256_final", &table.hmac_final },
    };
    const char *problem = clibrary_open_any(
        &library, names, sizeof names / sizeof *names, RTLD_NOW, functions, sizeof functions / sizeof *functions);
    if (problem != NULL)
        return problem;
    return table.init() < 0 ? "libsodium could not be set up" : NULL;
}

/* Before a function that needs no memory from here, and may be the first one. */
static void be_open(void)
{
    if (csodium_open() != NULL)
        abort();
}

/* A child of fork(2), which may have to open its memory to other processes (CProcess/network.c), has zeros there: madvise(2). */
void *csodium_malloc(const size_t size)
{
    void *place = table.malloc(size);
    if (place == NULL)
        return NULL;
    const uintptr_t start = (uintptr_t)place & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    madvise((void *)start, (uintptr_t)place + size - start, MADV_WIPEONFORK);
    return place;
}

void csodium_free(void *place) { table.free(place); }

int csodium_mprotect_readonly(void *place) { return table.mprotect_readonly(place); }

int csodium_memcmp(const void *const one, const void *const other, size_t size)
{
    return table.memcmp(one, other, size);
}

size_t csodium_base64_encoded_len(const size_t size, const int variant)
{
    be_open();
    return table.encoded_len(size, variant);
}

char *csodium_bin2base64(
    char *const text, const size_t most, const unsigned char *const bytes, const size_t size, const int variant)
{
    return table.bin2base64(text, most, bytes, size, variant);
}

int csodium_base642bin(
    unsigned char *const bytes, const size_t most, const char *const text, const size_t size,
    const char *const ignored, size_t *const length, const char **const end, const int variant)
{
    be_open();
    return table.base642bin(bytes, most, text, size, ignored, length, end, variant);
}

void csodium_random(void *const place, const size_t size)
{
    be_open();
    table.random(place, size);
}

int csodium_aead_xchacha20poly1305_ietf_encrypt(
    unsigned char *sealed, unsigned long long *length, const unsigned char *text, unsigned long long size,
    const unsigned char *more, unsigned long long more_size, const unsigned char *none, const unsigned char *nonce,
    const unsigned char *key)
{
    return table.encrypt(sealed, length, text, size, more, more_size, none, nonce, key);
}

int csodium_aead_xchacha20poly1305_ietf_decrypt(
    unsigned char *text, unsigned long long *length, unsigned char *none, const unsigned char *sealed,
    unsigned long long size, const unsigned char *more, unsigned long long more_size, const unsigned char *nonce,
    const unsigned char *key)
{
    return table.decrypt(text, length, none, sealed, size, more, more_size, nonce, key);
}

int csodium_generichash(
    unsigned char *digest, size_t digest_size, const unsigned char *bytes, unsigned long long size,
    const unsigned char *key, size_t key_size)
{
    be_open();
    return table.generichash(digest, digest_size, bytes, size, key, key_size);
}

int csodium_pwhash(
    unsigned char *const key, unsigned long long key_size, const char *const password, unsigned long long size,
    const unsigned char *const salt, unsigned long long operations, size_t memory, int algorithm)
{
    return table.pwhash(key, key_size, password, size, salt, operations, memory, algorithm);
}

int csodium_pwhash_alg_argon2id13(void)
{
    be_open();
    return table.argon2id13();
}

size_t csodium_hash_sha256_bytes(void)
{
    be_open();
    return table.sha256_bytes();
}

int csodium_hash_sha256(unsigned char *digest, const unsigned char *bytes, unsigned long long size)
{
    return table.sha256(digest, bytes, size);
}

size_t csodium_auth_hmacsha256_bytes(void)
{
    be_open();
    return table.hmac_bytes();
}

int csodium_auth_hmacsha256_init(crypto_auth_hmacsha256_state *state, const unsigned char *key, size_t size)
{
    return table.hmac_init(state, key, size);
}

int csodium_auth_hmacsha256_update(
    crypto_auth_hmacsha256_state *state, const unsigned char *bytes, unsigned long long size)
{
    return table.hmac_update(state, bytes, size);
}

int csodium_auth_hmacsha256_final(crypto_auth_hmacsha256_state *state, unsigned char *code)
{
    return table.hmac_final(state, code);
}
