#include "CKeyutils.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const char *problem;
static char problem_text[256];

static int32_t (*add_key_)(const char *, const char *, const void *, size_t, int32_t);
static long (*search_)(int32_t, const char *, const char *, int32_t);
static int32_t (*keyring_)(int32_t, int);
static long (*describe_)(int32_t, char *, size_t);
static long (*read_)(int32_t, char *, size_t);
static long (*link_)(int32_t, int32_t);
static long (*unlink_)(int32_t, int32_t);
static long (*setperm_)(int32_t, uint32_t);
static long (*set_timeout_)(int32_t, unsigned);

static void note_problem(void) {
    const char *text = dlerror();
    snprintf(problem_text, sizeof problem_text, "%s", text ? text : "libkeyutils.so.1 could not be loaded");
    problem = problem_text;
}

/* Through void **, as dlopen(3) shows, since ISO C does not convert an object pointer to a function pointer. */
static int resolve(void *library, const char *name, void *place) {
    void *symbol = dlsym(library, name);
    if (!symbol) return 0;
    *(void **)place = symbol;
    return 1;
}

static void open_library(void) {
    void *library = dlopen("libkeyutils.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library && resolve(library, "add_key", &add_key_) && resolve(library, "keyctl_search", &search_)
        && resolve(library, "keyctl_get_keyring_ID", &keyring_) && resolve(library, "keyctl_describe", &describe_) && resolve(library, "keyctl_read", &read_) && resolve(library, "keyctl_link", &link_)
        && resolve(library, "keyctl_unlink", &unlink_) && resolve(library, "keyctl_setperm", &setperm_)
        && resolve(library, "keyctl_set_timeout", &set_timeout_)) {
        return;
    }
    note_problem();
}

static int ready(void) {
    pthread_once(&opened, open_library);
    return !problem;
}

static long result(long value) {
    return value < 0 ? -(long)errno : value;
}

const char *ckeyutils_problem(void) {
    return ready() ? NULL : problem;
}

long ckeyutils_add(const char *description, const void *payload, size_t count, int32_t keyring) {
    return ready() ? result(add_key_("user", description, payload, count, keyring)) : -ELIBACC;
}

long ckeyutils_search(int32_t keyring, const char *description, int32_t destination) {
    return ready() ? result(search_(keyring, "user", description, destination)) : -ELIBACC;
}

long ckeyutils_keyring(int32_t keyring) {
    return ready() ? result(keyring_(keyring, 0)) : -ELIBACC;
}

long ckeyutils_owner(int32_t key) {
    /* The kernel copies nothing into what is too short: the longest description, and the numbers before it. */
    char text[4096 + 64] = "";
    unsigned owner;
    if (!ready()) return -ELIBACC;
    if (describe_(key, text, sizeof text - 1) < 0) return -(long)errno;
    return sscanf(text, "%*[^;];%u", &owner) == 1 ? (long)owner : -EBADMSG;
}

long ckeyutils_read(int32_t key, void *buffer, size_t capacity) {
    return ready() ? result(read_(key, buffer, capacity)) : -ELIBACC;
}

long ckeyutils_link(int32_t key, int32_t keyring) {
    return ready() ? result(link_(key, keyring)) : -ELIBACC;
}

long ckeyutils_unlink(int32_t key, int32_t keyring) {
    return ready() ? result(unlink_(key, keyring)) : -ELIBACC;
}

long ckeyutils_set_permissions(int32_t key, uint32_t mask) {
    return ready() ? result(setperm_(key, mask)) : -ELIBACC;
}

long ckeyutils_set_timeout(int32_t key, unsigned seconds) {
    return ready() ? result(set_timeout_(key, seconds)) : -ELIBACC;
}
