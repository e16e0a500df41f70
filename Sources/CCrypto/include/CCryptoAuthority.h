/* An authority for one run, good for one host, and the only certificate that it ever signs. */
#ifndef CCRYPTO_AUTHORITY_H
#define CCRYPTO_AUTHORITY_H

#include <stddef.h>

/* All in PEM, NUL-terminated. */
typedef struct {
    char authority[2048];
    char certificate[2048];
    /* The certificate's, not encrypted. The authority's own does not exist any more. */
    char key[512];
    /* The name of the authority's file in a folder that OpenSSL searches (openssl-rehash(1)). */
    char file_name[16];
} ccrypto_run_authority;

/* Makes both (P-256), valid for 398 days: the authority may sign for `host` alone and for no address (RFC 5280, section
 * 4.2.1.10), and its key is wiped once it has signed. Whoever gets the result wipes it. Returns NULL, or what went wrong. */
const char *ccrypto_make_authority(const char *host, ccrypto_run_authority *made);

#endif
