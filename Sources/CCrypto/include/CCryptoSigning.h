/* Private keys that sign JSON Web Tokens (RFC 7515), by OpenSSL's libcrypto. */
#ifndef CCRYPTO_SIGNING_H
#define CCRYPTO_SIGNING_H

#include <stddef.h>

typedef struct ccrypto_signing_key ccrypto_signing_key;

typedef enum {
    CCRYPTO_KEY_GOOD,
    /* It is encrypted, and there was no passphrase. */
    CCRYPTO_KEY_LOCKED,
    CCRYPTO_KEY_WRONG_PASSPHRASE,
    /* There is no private key in PEM. */
    CCRYPTO_KEY_MISSING,
    /* Of a kind or size that signs with none of the algorithms. */
    CCRYPTO_KEY_UNSUITABLE,
    CCRYPTO_KEY_FAILED,
} ccrypto_key_state;

/* Opens a private key in PEM; `passphrase` is NULL where there is none. The key is to be freed. */
ccrypto_key_state ccrypto_key_open(
    const void *pem, size_t size, const char *passphrase, ccrypto_signing_key **key);

/* Makes a new key for an algorithm. The key is to be freed. */
ccrypto_key_state ccrypto_key_make(const char *algorithm, ccrypto_signing_key **key);

void ccrypto_key_free(ccrypto_signing_key *key);

/* The algorithm of its signatures: RS256, ES256, ES384 (RFC 7518, section 3.1) or EdDSA (RFC 8037, section 3.1). */
const char *ccrypto_key_algorithm(const ccrypto_signing_key *key);

/* Signs `count` bytes, and writes the signature as JWS has it (for ECDSA R and S, RFC 7518, section 3.4). Returns its length,
 * or 0 where that fails or has no room. */
size_t ccrypto_key_sign(
    const ccrypto_signing_key *key, const void *bytes, size_t count, unsigned char *signature, size_t capacity);

/* Writes a member of its public JWK as bytes: "n" and "e" (RSA), "x" and "y" (EC, each of full length), "x" (Ed25519). Returns
 * the length, or 0 where there is no such member or no room. */
size_t ccrypto_key_member(
    const ccrypto_signing_key *key, const char *name, unsigned char *value, size_t capacity);

/* Writes the private key in PEM (PKCS#8, not encrypted). Returns the length, or 0 where that fails or has no room. */
size_t ccrypto_key_write(const ccrypto_signing_key *key, unsigned char *pem, size_t capacity);

#endif
