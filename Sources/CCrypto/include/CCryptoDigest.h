/* Message digests by OpenSSL's libcrypto; see EVP_DigestInit(3). */
#ifndef CCRYPTO_DIGEST_H
#define CCRYPTO_DIGEST_H

#include <stddef.h>

/* The longest digest that is asked for, in bytes. */
enum { CCRYPTO_DIGEST_CAPACITY = 64 };

/* Hashes `count` bytes with the algorithm that OpenSSL knows by `name`, such as "SHA512-256", and writes the digest to
 * `digest`, which has CCRYPTO_DIGEST_CAPACITY bytes. Returns its length, or 0 where the library or the algorithm is not
 * there. OpenSSL wipes its own copies. */
size_t ccrypto_digest(const char *name, const void *bytes, size_t count, unsigned char *digest);

#endif
