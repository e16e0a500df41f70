#define _GNU_SOURCE
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

csecret_service *csecret_new(void)
{
    csecret_service *service = calloc(1, sizeof *service);
    if (service == NULL)
        abort();
    return service;
}

static void forget(csecret_service *service)
{
    const struct csecret_library *lib = service->library;
    if (service->session != NULL)
        lib->g_object_unref(service->session);
    if (service->connection != NULL)
        lib->g_object_unref(service->connection);
    service->session = NULL;
    service->connection = NULL;
    service->owner[0] = 0;
}

void csecret_close(csecret_service *service)
{
    if (service->library != NULL) {
        forget(service);
        if (service->context != NULL)
            service->library->g_main_context_unref(service->context);
    }
    free(service);
}

static void start_connection(struct step *step, GCancellable *cancellable)
{
    step->service->library->g_bus_get(G_BUS_TYPE_SESSION, cancellable, csecret_step_is_done, step);
}

static void finish_connection(void *source, GAsyncResult *result, void *data)
{
    struct step *step = data;
    (void)source;
    step->result = step->service->library->g_bus_get_finish(result, &step->error);
}

static csecret_outcome connect_to_bus(csecret_service *service, const char *address)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    if (service->context == NULL)
        service->context = lib->g_main_context_new();
    /* libsecret knows no other bus than the one that GIO takes from the environment. */
    const char *present = getenv("DBUS_SESSION_BUS_ADDRESS");
    if (present == NULL || strcmp(present, address) != 0)
        setenv("DBUS_SESSION_BUS_ADDRESS", address, 1);
    service->connection = csecret_perform(service, start_connection, finish_connection, &outcome);
    if (service->connection == NULL)
        return outcome == CSECRET_TIMED_OUT ? outcome : CSECRET_NO_BUS;
    lib->g_dbus_connection_set_exit_on_close(service->connection, 0);
    return CSECRET_DONE;
}

/* Whoever listens there would be handed the secrets, and may be somebody else where a variable of another user's session was
 * carried over, as by su(1) and sudo(8). The kernel tells (SO_PEERCRED of unix(7)); of a connection that is not local, it does
 * not. */
static csecret_outcome check_peer(csecret_service *service)
{
    const struct csecret_library *lib = service->library;
    GIOStream *stream = lib->g_dbus_connection_get_stream(service->connection);
    int descriptor = lib->g_socket_get_fd(lib->g_socket_connection_get_socket(stream));
    int domain = 0;
    struct ucred peer = {0};
    socklen_t size = sizeof domain, peer_size = sizeof peer;
    csecret_note(service, "");
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX)
        return CSECRET_FOREIGN_BUS;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0)
        return CSECRET_FOREIGN_BUS;
    if (peer.uid == geteuid())
        return CSECRET_DONE;
    snprintf(service->words, sizeof service->words, "%u", (unsigned)peer.uid);
    return CSECRET_FOREIGN_BUS;
}

static csecret_outcome ask_bus(csecret_service *service, const char *method, GVariant *arguments, const char *format)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    GVariant *answer = csecret_call_name(service, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                         "org.freedesktop.DBus", method, arguments, format, &outcome);
    if (answer == NULL)
        return outcome;
    const char *owner = NULL;
    if (strcmp(format, "(s)") == 0) {
        lib->g_variant_get(answer, "(&s)", &owner);
        snprintf(service->owner, sizeof service->owner, "%s", owner);
    }
    lib->g_variant_unref(answer);
    return CSECRET_DONE;
}

static csecret_outcome find_owner(csecret_service *service)
{
    const char *name = "org.freedesktop.secrets";
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome = ask_bus(service, "GetNameOwner", lib->g_variant_new("(s)", name), "(s)");
    if (outcome != CSECRET_NO_SERVICE)
        return outcome;
    outcome = ask_bus(service, "StartServiceByName", lib->g_variant_new("(su)", name, 0), "(u)");
    if (outcome == CSECRET_DONE)
        outcome = ask_bus(service, "GetNameOwner", lib->g_variant_new("(s)", name), "(s)");
    /* Whatever else the bus has to say of a program that it cannot start. */
    return outcome == CSECRET_FAILED || outcome == CSECRET_ENDED ? CSECRET_NO_SERVICE : outcome;
}

static void start_proxy(struct step *step, GCancellable *cancellable)
{
    const struct csecret_library *lib = step->service->library;
    lib->secret_service_open(lib->secret_service_get_type(), NULL, 0, cancellable, csecret_step_is_done, step);
}

static void finish_proxy(void *source, GAsyncResult *result, void *data)
{
    struct step *step = data;
    (void)source;
    step->result = step->service->library->secret_service_open_finish(result, &step->error);
}

static void start_session(struct step *step, GCancellable *cancellable)
{
    step->service->library->secret_service_ensure_session(step->service->session, cancellable, csecret_step_is_done, step);
}

static void finish_session(void *source, GAsyncResult *result, void *data)
{
    struct step *step = data;
    int is_open = step->service->library->secret_service_ensure_session_finish(source, result, &step->error);
    step->result = is_open ? source : NULL;
}

static csecret_outcome open_session(csecret_service *service)
{
    csecret_outcome outcome;
    service->session = csecret_perform(service, start_proxy, finish_proxy, &outcome);
    if (outcome == CSECRET_DONE)
        csecret_perform(service, start_session, finish_session, &outcome);
    return outcome;
}

csecret_outcome csecret_open(csecret_service *service, const char *address)
{
    if (service->library == NULL) {
        const char *problem;
        service->library = csecret_library_opened(&problem);
        if (service->library == NULL) {
            csecret_note(service, problem);
            return CSECRET_NO_LIBRARY;
        }
    }
    if (service->owner[0] != 0 && !service->library->g_dbus_connection_is_closed(service->connection))
        return CSECRET_DONE;
    forget(service);
    csecret_outcome outcome = connect_to_bus(service, address);
    if (outcome == CSECRET_DONE)
        outcome = check_peer(service);
    if (outcome == CSECRET_DONE)
        outcome = find_owner(service);
    if (outcome == CSECRET_DONE)
        outcome = open_session(service);
    if (outcome != CSECRET_DONE)
        forget(service);
    return outcome;
}
