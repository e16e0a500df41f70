#include "CKeyutils.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

static struct {
    int32_t (*add_key)(const char *, const char *, const void *, size_t, int32_t);
    long (*search)(int32_t, const char *, const char *, int32_t);
    int32_t (*keyring)(int32_t, int);
    long (*describe)(int32_t, char *, size_t);
    long (*read)(int32_t, char *, size_t);
    long (*link)(int32_t, int32_t);
    long (*unlink)(int32_t, int32_t);
    long (*setperm)(int32_t, uint32_t);
    long (*set_timeout)(int32_t, unsigned);
} table;

const char *ckeyutils_problem(void) {
    static struct clibrary library = CLIBRARY_CLOSED;
    static const struct clibrary_function functions[] = {
        { "add_key", &table.add_key },
        { "keyctl_search", &table.search },
        { "keyctl_get_keyring_ID", &table.keyring },
        { "keyctl_describe", &table.describe },
        { "keyctl_read", &table.read },
        { "keyctl_link", &table.link },
        { "keyctl_unlink", &table.unlink },
        { "keyctl_setperm", &table.setperm },
        { "keyctl_set_timeout", &table.set_timeout },
    };
    return clibrary_open(&library, "libkeyutils.so.1", RTLD_NOW, functions, sizeof functions / sizeof *functions);
}

static int ready(void) {
    return !ckeyutils_problem();
}

static long result(long value) {
    return value < 0 ? -(long)errno : value;
}

long ckeyutils_add(const char *description, const void *payload, size_t count, int32_t keyring) {
    return ready() ? result(table.add_key("user", description, payload, count, keyring)) : -ELIBACC;
}

long ckeyutils_search(int32_t keyring, const char *description, int32_t destination) {
    return ready() ? result(table.search(keyring, "user", description, destination)) : -ELIBACC;
}

long ckeyutils_keyring(int32_t keyring) {
    return ready() ? result(table.keyring(keyring, 0)) : -ELIBACC;
}

long ckeyutils_owner(int32_t key) {
    /* The kernel copies nothing into what is too short: the longest description, and the numbers before it. */
    char text[4096 + 64] = "";
    unsigned owner;
    if (!ready()) return -ELIBACC;
    if (table.describe(key, text, sizeof text - 1) < 0) return -(long)errno;
    return sscanf(text, "%*[^;];%u", &owner) == 1 ? (long)owner : -EBADMSG;
}

long ckeyutils_read(int32_t key, void *buffer, size_t capacity) {
    return ready() ? result(table.read(key, buffer, capacity)) : -ELIBACC;
}

long ckeyutils_link(int32_t key, int32_t keyring) {
    return ready() ? result(table.link(key, keyring)) : -ELIBACC;
}

long ckeyutils_unlink(int32_t key, int32_t keyring) {
    return ready() ? result(table.unlink(key, keyring)) : -ELIBACC;
}

long ckeyutils_set_permissions(int32_t key, uint32_t mask) {
    return ready() ? result(table.setperm(key, mask)) : -ELIBACC;
}

long ckeyutils_set_timeout(int32_t key, unsigned seconds) {
    return ready() ? result(table.set_timeout(key, seconds)) : -ELIBACC;
}
