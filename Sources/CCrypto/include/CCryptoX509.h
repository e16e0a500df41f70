/* Certificates: everything that is wrong with a chain, found out without a connection. */
#ifndef CCRYPTO_X509_H
#define CCRYPTO_X509_H

#include <stddef.h>
#include <stdint.h>

/* What can be wrong, one bit for each. */
enum {
    CCRYPTO_UNKNOWN_AUTHORITY = 1 << 0,
    CCRYPTO_SELF_SIGNED = 1 << 1,
    CCRYPTO_EXPIRED = 1 << 2,
    CCRYPTO_NOT_YET_VALID = 1 << 3,
    CCRYPTO_OTHER_HOST = 1 << 4,
    CCRYPTO_WRONG_PURPOSE = 1 << 5,
    CCRYPTO_ISSUER_NO_AUTHORITY = 1 << 6,
    CCRYPTO_TOO_WEAK = 1 << 7,
    CCRYPTO_BAD_SIGNATURE = 1 << 8,
    CCRYPTO_INVALID = 1 << 9, /* anything else */
};

typedef struct {
    uint32_t reasons;
    /* UTF-8 that others wrote, NUL-terminated, cut where it is longer. */
    char subject[1024];
    char issuer[1024];
    /* The hosts and addresses that it is for (subjectAltName), with line ends between them; what has no room is left out. */
    char names[1024];
    /* Seconds of Unix time. */
    int64_t not_before;
    int64_t not_after;
    /* SHA-256 of the certificate, and of its public key (SubjectPublicKeyInfo), both in DER. */
    uint8_t fingerprint[32];
    uint8_t key[32];
} ccrypto_certificate;

/* Evaluates the chain that a server showed (PEM, its own certificate first) as libcurl does for a connection to `host`,
 * a name or an address without brackets, with the authorities in `ca_file` (PEM) and no others; but goes on after a fault,
 * so that all of them are found. Returns NULL, or what kept it from that. */
const char *ccrypto_evaluate(
    const char *const *chain, size_t count, const char *host, const char *ca_file, ccrypto_certificate *found);

#endif
