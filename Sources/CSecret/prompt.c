#include "service.h"

#include <stdlib.h>

/* In milliseconds. */
enum { FASTER_THAN_A_PERSON = 500 };

csecret_outcome csecret_unlock(csecret_service *service, const char *object, char **prompt)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    *prompt = NULL;
    GVariantBuilder *objects = lib->g_variant_builder_new((const GVariantType *)"ao");
    lib->g_variant_builder_add(objects, "o", object);
    GVariant *arguments = lib->g_variant_new("(@ao)", lib->g_variant_builder_end(objects));
    lib->g_variant_builder_unref(objects);
    GVariant *answer = csecret_call(service, CSECRET_PATH, CSECRET_SERVICE, "Unlock", arguments, "(aoo)", &outcome);
    if (answer == NULL)
        return outcome;
    GVariantIter *unlocked;
    const char *path;
    lib->g_variant_get(answer, "(ao&o)", &unlocked, &path);
    lib->g_variant_iter_free(unlocked);
    outcome = csecret_prompt_path(path, prompt);
    lib->g_variant_unref(answer);
    return outcome;
}

/* What a prompt is waited for by. */
struct watch {
    csecret_service *service;
    bool is_answered;
    bool is_dismissed;
    bool has_ended;
};

static void answered(GDBusConnection *connection, const char *sender, const char *object, const char *interface,
                     const char *signal, GVariant *arguments, void *data)
{
    struct watch *watch = data;
    const struct csecret_library *lib = watch->service->library;
    (void)connection, (void)sender, (void)object, (void)interface, (void)signal;
    if (!lib->g_variant_is_of_type(arguments, (const GVariantType *)"(bv)"))
        return;
    GVariant *dismissed = lib->g_variant_get_child_value(arguments, 0);
    int value;
    lib->g_variant_get(dismissed, "b", &value);
    lib->g_variant_unref(dismissed);
    watch->is_answered = true;
    watch->is_dismissed = value != 0;
}

static void owner_changed(GDBusConnection *connection, const char *sender, const char *object, const char *interface,
                          const char *signal, GVariant *arguments, void *data)
{
    (void)connection, (void)sender, (void)object, (void)interface, (void)signal, (void)arguments;
    ((struct watch *)data)->has_ended = true;
}

/* Wakes the loop, which then looks at the clock and at the connection. */
static int look_again(void *data)
{
    (void)data;
    return 1;
}

static csecret_outcome call_prompt(csecret_service *service, const char *prompt, const char *method,
                                   GVariant *arguments)
{
    csecret_outcome outcome;
    GVariant *answer = csecret_call(service, prompt, CSECRET_PROMPT, method, arguments, "()", &outcome);
    if (answer != NULL)
        service->library->g_variant_unref(answer);
    return outcome;
}

static csecret_outcome wait_for(csecret_service *service, struct watch *watch)
{
    const struct csecret_library *lib = service->library;
    GSource *timer = lib->g_timeout_source_new(250);
    lib->g_source_set_callback(timer, look_again, NULL, NULL);
    lib->g_source_attach(timer, service->context);
    while (!watch->is_answered && !watch->has_ended && csecret_left(service) > 0) {
        lib->g_main_context_iteration(service->context, 1);
        if (lib->g_dbus_connection_is_closed(service->connection))
            watch->has_ended = true;
    }
    lib->g_source_destroy(timer);
    lib->g_source_unref(timer);
    if (watch->is_answered)
        return watch->is_dismissed ? CSECRET_DISMISSED : CSECRET_DONE;
    if (!watch->has_ended)
        return CSECRET_TIMED_OUT;
    service->owner[0] = 0;
    return CSECRET_ENDED;
}

csecret_outcome csecret_prompt(csecret_service *service, const char *prompt, int milliseconds)
{
    const struct csecret_library *lib = service->library;
    struct watch watch = {.service = service};
    lib->g_main_context_push_thread_default(service->context);
    unsigned answer = lib->g_dbus_connection_signal_subscribe(service->connection, service->owner, CSECRET_PROMPT,
                                                              "Completed", prompt, NULL, 0, answered, &watch, NULL);
    unsigned end = lib->g_dbus_connection_signal_subscribe(
        service->connection, "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged",
        "/org/freedesktop/DBus", service->owner, 0, owner_changed, &watch, NULL);
    lib->g_main_context_pop_thread_default(service->context);
    /* No window of ours for the dialogue to stay above of. */
    csecret_outcome outcome = call_prompt(service, prompt, "Prompt", lib->g_variant_new("(s)", ""));
    bool is_shown = outcome == CSECRET_DONE;
    csecret_begin(service, milliseconds);
    if (is_shown)
        outcome = wait_for(service, &watch);
    lib->g_dbus_connection_signal_unsubscribe(service->connection, answer);
    lib->g_dbus_connection_signal_unsubscribe(service->connection, end);
    /* Closed faster than anybody could see it: there was no desktop to show it on. */
    if (outcome == CSECRET_DISMISSED && milliseconds - csecret_left(service) < FASTER_THAN_A_PERSON)
        return CSECRET_LOCKED;
    if (!is_shown || outcome != CSECRET_TIMED_OUT)
        return outcome;
    csecret_begin(service, 500);
    call_prompt(service, prompt, "Dismiss", NULL);
    return CSECRET_UNANSWERED;
}
