/* A client certificate and its key, looked at before they are shown to a server. */
#ifndef CCRYPTO_IDENTITY_H
#define CCRYPTO_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CCRYPTO_IDENTITY_GOOD,
    /* The key is encrypted, and there was no passphrase. */
    CCRYPTO_IDENTITY_LOCKED,
    CCRYPTO_IDENTITY_WRONG_PASSPHRASE,
    CCRYPTO_IDENTITY_NO_CERTIFICATE,
    CCRYPTO_IDENTITY_NO_KEY,
    CCRYPTO_IDENTITY_KEY_OF_ANOTHER,
    /* The passphrase is right, but OpenSSL 3 does not undo such an encryption any more (RC2, for one). */
    CCRYPTO_IDENTITY_OLD_ENCRYPTION,
    CCRYPTO_IDENTITY_FAILED,
} ccrypto_identity_state;

typedef struct {
    /* Whether the files are PKCS#12, not PEM. */
    int is_pkcs12;
    /* The last common name of the subject, in UTF-8, NUL-terminated; empty where there is none. */
    char common_name[256];
    /* Seconds of Unix time. */
    int64_t not_before;
    int64_t not_after;
} ccrypto_identity;

/* Reads a certificate and its key: PEM, where the key may stand in the same file, or PKCS#12 (RFC 7292), which has both.
 * `key` is NULL where there is no file of its own, `passphrase` NULL where there is none. What is known of the
 * certificate is written even if the key cannot be read. */
ccrypto_identity_state ccrypto_identity_read(
    const void *certificate, size_t certificate_size, const void *key, size_t key_size, const char *passphrase,
    ccrypto_identity *found);

#endif
