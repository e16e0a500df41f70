/* What the files of this target share. */
#ifndef CSECRET_SERVICE_H
#define CSECRET_SERVICE_H

#include "CSecret.h"
#include "library.h"

#define CSECRET_PATH "/org/freedesktop/secrets"
#define CSECRET_SERVICE "org.freedesktop.Secret.Service"
#define CSECRET_COLLECTION "org.freedesktop.Secret.Collection"
#define CSECRET_ITEM "org.freedesktop.Secret.Item"
#define CSECRET_PROMPT "org.freedesktop.Secret.Prompt"

struct csecret_service {
    const struct csecret_library *library;
    GMainContext *context;
    GDBusConnection *connection;
    /* Of the program that owns the service's name: what takes the name later is not asked with this session.
     * Empty where it has to be found, or found again. */
    char owner[256];
    SecretService *session;
    /* On the monotonic clock, in milliseconds. */
    long long deadline;
    char words[512];
};

/* Milliseconds until the deadline, at least 0. */
int csecret_left(const csecret_service *service);

/* A method call whose reply is of the type `reply`. NULL and an outcome where it failed; the caller unrefs the reply. */
GVariant *csecret_call(csecret_service *service, const char *object, const char *interface, const char *method,
                       GVariant *arguments, const char *reply, csecret_outcome *outcome);

/* The same to whatever name, such as the bus itself. */
GVariant *csecret_call_name(csecret_service *service, const char *name, const char *object, const char *interface,
                            const char *method, GVariant *arguments, const char *reply, csecret_outcome *outcome);

/* Turns an error into an outcome and words, and frees it. */
csecret_outcome csecret_outcome_of(csecret_service *service, GError *error);

void csecret_note(csecret_service *service, const char *words);

/* An a{ss}, floating. */
GVariant *csecret_dictionary(csecret_service *service, const csecret_attribute *attributes, size_t count);

/* Unlike g_strdup's, a text that the caller gives to free. */
char *csecret_copy(const char *text);

/* Whether a reply's object path names a prompt; then a copy of it is in `prompt`. */
csecret_outcome csecret_prompt_path(const char *path, char **prompt);

#endif
