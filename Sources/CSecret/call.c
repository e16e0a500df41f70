#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

void csecret_begin(csecret_service *service, int milliseconds)
{
    service->deadline = now() + milliseconds;
}

int csecret_left(const csecret_service *service)
{
    long long left = service->deadline - now();
    return left > 0 ? (int)left : 0;
}

const char *csecret_words(const csecret_service *service)
{
    return service->words;
}

void csecret_note(csecret_service *service, const char *words)
{
    snprintf(service->words, sizeof service->words, "%s", words);
}

char *csecret_copy(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        abort();
    return copy;
}

static csecret_outcome outcome_of_name(const char *name)
{
    static const struct {
        const char *start;
        csecret_outcome outcome;
    } known[] = {
        {"org.freedesktop.Secret.Error.IsLocked", CSECRET_LOCKED},
        {"org.freedesktop.Secret.Error.NoSuchObject", CSECRET_NOTHING},
        /* An item that was deleted between two calls. */
        {"org.freedesktop.DBus.Error.UnknownObject", CSECRET_NOTHING},
        {"org.freedesktop.DBus.Error.UnknownMethod", CSECRET_NOTHING},
        {"org.freedesktop.DBus.Error.UnknownInterface", CSECRET_NOTHING},
        {"org.freedesktop.DBus.Error.ServiceUnknown", CSECRET_NO_SERVICE},
        {"org.freedesktop.DBus.Error.NameHasNoOwner", CSECRET_NO_SERVICE},
        {"org.freedesktop.DBus.Error.Spawn.", CSECRET_NO_SERVICE},
        {"org.freedesktop.DBus.Error.NoReply", CSECRET_ENDED},
        {"org.freedesktop.DBus.Error.Disconnected", CSECRET_NO_BUS},
        {"org.freedesktop.DBus.Error.TimedOut", CSECRET_TIMED_OUT},
        {"org.freedesktop.DBus.Error.Timeout", CSECRET_TIMED_OUT},
        {"org.freedesktop.DBus.Error.AccessDenied", CSECRET_DENIED},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(name, known[i].start, strlen(known[i].start)) == 0)
            return known[i].outcome;
    }
    return CSECRET_FAILED;
}

csecret_outcome csecret_outcome_of(csecret_service *service, GError *error)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome = CSECRET_FAILED;
    char *name = lib->g_dbus_error_get_remote_error(error);
    if (name != NULL) {
        outcome = outcome_of_name(name);
        lib->g_dbus_error_strip_remote_error(error);
    } else if (error->domain == lib->g_io_error_quark()) {
        if (error->code == G_IO_ERROR_TIMED_OUT || error->code == G_IO_ERROR_CANCELLED)
            outcome = CSECRET_TIMED_OUT;
        if (error->code == G_IO_ERROR_CLOSED)
            outcome = CSECRET_NO_BUS;
    }
    csecret_note(service, error->message);
    lib->g_free(name);
    lib->g_error_free(error);
    return outcome;
}

GVariant *csecret_call_name(csecret_service *service, const char *name, const char *object, const char *interface,
                            const char *method, GVariant *arguments, const char *reply, csecret_outcome *outcome)
{
    const struct csecret_library *lib = service->library;
    GError *error = NULL;
    int left = csecret_left(service);
    /* 0 would be no limit in some releases of GLib and an error in others. */
    GVariant *answer = lib->g_dbus_connection_call_sync(
        service->connection, name, object, interface, method, arguments, (const GVariantType *)reply,
        G_DBUS_CALL_FLAGS_NO_AUTO_START, left > 0 ? left : 1, NULL, &error);
    *outcome = answer == NULL ? csecret_outcome_of(service, error) : CSECRET_DONE;
    return answer;
}

GVariant *csecret_call(csecret_service *service, const char *object, const char *interface, const char *method,
                       GVariant *arguments, const char *reply, csecret_outcome *outcome)
{
    GVariant *answer =
        csecret_call_name(service, service->owner, object, interface, method, arguments, reply, outcome);
    /* The next operation looks for whoever has taken its place. */
    if (*outcome == CSECRET_NO_SERVICE || *outcome == CSECRET_ENDED) {
        *outcome = CSECRET_ENDED;
        service->owner[0] = 0;
    }
    return answer;
}

GVariant *csecret_dictionary(csecret_service *service, const csecret_attribute *attributes, size_t count)
{
    const struct csecret_library *lib = service->library;
    GVariantBuilder *builder = lib->g_variant_builder_new((const GVariantType *)"a{ss}");
    for (size_t i = 0; i < count; i++)
        lib->g_variant_builder_add(builder, "{ss}", attributes[i].name, attributes[i].value);
    GVariant *dictionary = lib->g_variant_builder_end(builder);
    lib->g_variant_builder_unref(builder);
    return dictionary;
}

csecret_outcome csecret_prompt_path(const char *path, char **prompt)
{
    *prompt = NULL;
    if (strcmp(path, "/") == 0)
        return CSECRET_DONE;
    *prompt = csecret_copy(path);
    return CSECRET_PROMPT_NEEDED;
}
