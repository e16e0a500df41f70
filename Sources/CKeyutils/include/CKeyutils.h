/* The kernel's key service through libkeyutils, which is opened on first use: nothing links it, so that a command that
 * needs no keyring does not pay for it, and a missing library is our own clear error.
 *
 * Every function gives a number of 0 or more, or a negated errno; -ELIBACC where the library cannot be opened. See
 * keyctl(3), add_key(2) and user-keyring(7). */
#ifndef CKEYUTILS_H
#define CKEYUTILS_H

#include <stddef.h>
#include <stdint.h>

enum {
    CKEYUTILS_THREAD_KEYRING = -1,
    CKEYUTILS_SESSION_KEYRING = -3,
    CKEYUTILS_USER_KEYRING = -4,
    CKEYUTILS_USER_SESSION_KEYRING = -5,
    CKEYUTILS_NOWHERE = 0,
};

/* What processes of the key's user may do; nobody else may do anything, whoever possesses it. */
enum {
    CKEYUTILS_USER_VIEW = 0x00010000,
    CKEYUTILS_USER_READ = 0x00020000,
    CKEYUTILS_USER_SEARCH = 0x00080000,
    CKEYUTILS_USER_LINK = 0x00100000,
};

/* Why the library could not be opened; NULL if it could. The text stays valid. */
const char *ckeyutils_problem(void);

/* Makes a key of type "user" and gives its serial number. */
long ckeyutils_add(const char *description, const void *payload, size_t count, int32_t keyring);

/* Gives the serial number, and links the key to `destination` unless that is CKEYUTILS_NOWHERE. */
long ckeyutils_search(int32_t keyring, const char *description, int32_t destination);

/* The serial number of a special keyring; none is made. */
long ckeyutils_keyring(int32_t keyring);

/* The user to whom a key belongs. */
long ckeyutils_owner(int32_t key);

/* Gives the size of the payload, and copies it only if `capacity` suffices. A keyring's is the serial
 * numbers, 32 bits each, of the keys that are linked to it. */
long ckeyutils_read(int32_t key, void *buffer, size_t capacity);

/* Puts the key in the place of one with the same description, in one step. */
long ckeyutils_link(int32_t key, int32_t keyring);

long ckeyutils_unlink(int32_t key, int32_t keyring);

long ckeyutils_set_permissions(int32_t key, uint32_t mask);

/* In seconds from now; 0 for none. */
long ckeyutils_set_timeout(int32_t key, unsigned seconds);

#endif
