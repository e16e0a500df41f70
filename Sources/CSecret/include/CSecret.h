/* The desktop's Secret Service, through libsecret, GLib and GIO, which are opened on first use: nothing links them.
 *
 * libsecret makes the session in which secrets travel and encrypts them for it. The calls are made here, one by one, since
 * libsecret's own ask the person whenever something is locked, create a collection where there is none, and wait 25
 * seconds for every answer. Here nothing asks but csecret_prompt, and every call ends when the time given to
 * csecret_begin is over.
 *
 * See the Secret Service API, version 0.2: <https://specifications.freedesktop.org/secret-service/>. */
#ifndef CSECRET_H
#define CSECRET_H

#include <stdbool.h>
#include <stddef.h>

typedef enum __attribute__((enum_extensibility(closed))) csecret_outcome {
    CSECRET_DONE,
    /* There is no such thing: an item that was deleted, an alias of nothing. */
    CSECRET_NOTHING,
    CSECRET_NO_LIBRARY,
    /* The bus does not take the connection, or has lost it. */
    CSECRET_NO_BUS,
    /* The bus is another user's; the words are that user's number, or empty where the connection does not show it. */
    CSECRET_FOREIGN_BUS,
    /* No program answers to the service's name, and none could be started. */
    CSECRET_NO_SERVICE,
    CSECRET_TIMED_OUT,
    CSECRET_LOCKED,
    /* Only after a dialogue with the person. */
    CSECRET_PROMPT_NEEDED,
    CSECRET_DISMISSED,
    /* Nobody answered the dialogue. */
    CSECRET_UNANSWERED,
    /* The program that answers to the name ended meanwhile. */
    CSECRET_ENDED,
    /* Not for this process. */
    CSECRET_DENIED,
    CSECRET_FAILED,
} csecret_outcome;

/* One connection and one session. For one thread at a time. */
typedef struct csecret_service csecret_service;

typedef struct {
    const char *name;
    const char *value;
} csecret_attribute;

csecret_service *csecret_new(void);
void csecret_close(csecret_service *service);

/* What the last outcome other than CSECRET_DONE was about, in the words of whoever said so; it may be empty. */
const char *csecret_words(const csecret_service *service);

/* From now on every call ends after so many milliseconds, all of them together. */
void csecret_begin(csecret_service *service, int milliseconds);

/* Connects, finds the program that answers to the name or has the bus start it, and opens a session. Does nothing where
 * that was done before. An address of launching programs is not for this function. */
csecret_outcome csecret_open(csecret_service *service, const char *address);

/* Object paths, with a blank between any two, in all collections. The caller frees both texts. */
csecret_outcome csecret_search(csecret_service *service, const csecret_attribute *attributes, size_t count,
                               char **unlocked, char **locked);

/* The object path of the collection that has this alias. The caller frees it. */
csecret_outcome csecret_collection(csecret_service *service, const char *alias, char **path);

csecret_outcome csecret_is_locked(csecret_service *service, const char *collection, bool *locked);

/* Whether the item has these attributes with exactly these values, whatever else it has. */
csecret_outcome csecret_has(csecret_service *service, const char *item, const csecret_attribute *attributes,
                            size_t count, bool *has);

/* Lends the secret to `take`, from libsecret's memory, which is wiped afterwards. */
csecret_outcome csecret_read(csecret_service *service, const char *item,
                             void (*take)(const void *bytes, size_t count, void *context), void *context);

/* Puts a secret in the place of the item's. */
csecret_outcome csecret_replace(csecret_service *service, const char *item, const void *bytes, size_t count);

/* With CSECRET_PROMPT_NEEDED these three give the object path of a prompt, which the caller frees; else NULL. */
csecret_outcome csecret_create(csecret_service *service, const char *collection, const char *label,
                               const csecret_attribute *attributes, size_t count, const void *bytes, size_t size,
                               char **prompt);

csecret_outcome csecret_delete(csecret_service *service, const char *item, char **prompt);

/* Of a collection, or of the one that an item is in. */
csecret_outcome csecret_unlock(csecret_service *service, const char *object, char **prompt);

/* Has the service ask the person, and waits for so many milliseconds: CSECRET_DONE, CSECRET_DISMISSED,
 * CSECRET_LOCKED where the service could show nothing, or CSECRET_UNANSWERED, after which the question is taken back. The next call needs a csecret_begin. */
csecret_outcome csecret_prompt(csecret_service *service, const char *prompt, int milliseconds);

#endif
