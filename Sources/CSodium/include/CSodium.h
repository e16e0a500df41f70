/* libsodium, opened by the name that it has here: Debian's next release has another one, and one program is for both.
 *
 * sodium.h has the constants and types. Its functions are missing when the program is linked; those that are used are here, as
 * sodium.h describes them, with a name that a program which links libsodium itself does not have. */
#ifndef CSODIUM_H
#define CSODIUM_H

#include <sodium.h>

/* Opens the library, and sets it up, which everything below needs; what may be called before there is a secret does it by itself.
 * Returns NULL, or what went wrong: text that is valid until this thread's next call. */
const char *csodium_open(void);

void *csodium_malloc(const size_t size);
void csodium_free(void *place);
int csodium_mprotect_readonly(void *place);
int csodium_memcmp(const void *const one, const void *const other, size_t size);
size_t csodium_base64_encoded_len(const size_t size, const int variant);
char *csodium_bin2base64(
    char *const text, const size_t most, const unsigned char *const bytes, const size_t size, const int variant);
int csodium_base642bin(
    unsigned char *const bytes, const size_t most, const char *const text, const size_t size,
    const char *const ignored, size_t *const length, const char **const end, const int variant);
void csodium_random(void *const place, const size_t size);
int csodium_aead_xchacha20poly1305_ietf_encrypt(
    unsigned char *sealed, unsigned long long *length, const unsigned char *text, unsigned long long size,
    const unsigned char *more, unsigned long long more_size, const unsigned char *none, const unsigned char *nonce,
    const unsigned char *key);
int csodium_aead_xchacha20poly1305_ietf_decrypt(
    unsigned char *text, unsigned long long *length, unsigned char *none, const unsigned char *sealed,
    unsigned long long size, const unsigned char *more, unsigned long long more_size, const unsigned char *nonce,
    const unsigned char *key);
int csodium_generichash(
    unsigned char *digest, size_t digest_size, const unsigned char *bytes, unsigned long long size,
    const unsigned char *key, size_t key_size);
int csodium_pwhash(
    unsigned char *const key, unsigned long long key_size, const char *const password, unsigned long long size,
    const unsigned char *const salt, unsigned long long operations, size_t memory, int algorithm);
int csodium_pwhash_alg_argon2id13(void);
size_t csodium_hash_sha256_bytes(void);
int csodium_hash_sha256(unsigned char *digest, const unsigned char *bytes, unsigned long long size);
size_t csodium_auth_hmacsha256_bytes(void);
int csodium_auth_hmacsha256_init(crypto_auth_hmacsha256_state *state, const unsigned char *key, size_t size);
int csodium_auth_hmacsha256_update(
    crypto_auth_hmacsha256_state *state, const unsigned char *bytes, unsigned long long size);
int csodium_auth_hmacsha256_final(crypto_auth_hmacsha256_state *state, unsigned char *code);

#endif
