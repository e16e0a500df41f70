#define _GNU_SOURCE
#include "CMicroHTTPD.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* microhttpd.h, as far as it is needed; the numbers are part of its binary interface. */
struct MHD_Daemon;
struct MHD_Response;
enum { NO = 0, YES = 1 };
enum {
    TLS = 2, THREAD_PER_CONNECTION = 4, INTERNAL_THREAD = 8, POLL = 64, NO_LISTEN_SOCKET = 256, ITC = 1024,
    ALLOW_UPGRADE = 32768
};
enum {
    OPTION_END = 0, MEMORY_LIMIT = 1, CONNECTION_LIMIT = 2, CONNECTION_TIMEOUT = 3, NOTIFY_COMPLETED = 4,
    URI_LOG_CALLBACK = 7, HTTPS_MEM_KEY = 8, HTTPS_MEM_CERT = 9, LISTEN_SOCKET = 12, MEMORY_INCREMENT = 21,
    NOTIFY_CONNECTION = 27, STRICT_FOR_CLIENT = 29,
    OPTION_ARRAY = 15
};
enum { CONNECTION_OPTION_TIMEOUT = 0 };
enum { HEADER_KIND = 1 };
enum { INFO_CLIENT_ADDRESS = 2, INFO_GNUTLS_SESSION = 3, INFO_CONNECTION_FD = 6, INFO_SOCKET_CONTEXT = 7 };
enum { UPGRADE_CLOSE = 0 };
enum { CONNECTION_STARTED = 0 };
enum { MUST_COPY = 2 };
#define SIZE_UNKNOWN ((uint64_t)-1)

struct MHD_OptionItem {
    int option;
    intptr_t value;
    void *pointer;
};

typedef int (*access_handler)(
    void *, cmicrohttpd_connection *, const char *, const char *, const char *, const char *, size_t *, void **);
typedef int (*accept_policy)(void *, const struct sockaddr *, socklen_t);
typedef ssize_t (*content_reader)(void *, uint64_t, char *, size_t);
typedef void (*content_free)(void *);
typedef int (*key_value)(void *, int, const char *, size_t, const char *, size_t);
typedef void (*upgrade_handler)(
    void *, cmicrohttpd_connection *, void *, const char *, size_t, int, cmicrohttpd_stream *);

static struct {
    struct MHD_Daemon *(*start_daemon)(unsigned, uint16_t, accept_policy, void *, access_handler, void *, ...);
    void (*stop_daemon)(struct MHD_Daemon *);
    int (*add_connection)(struct MHD_Daemon *, int, const struct sockaddr *, socklen_t);
    int (*get_connection_values_n)(cmicrohttpd_connection *, int, key_value, void *);
    const void *(*get_connection_info)(cmicrohttpd_connection *, int, ...);
    int (*set_connection_option)(cmicrohttpd_connection *, int, ...);
    struct MHD_Response *(*create_response_from_callback)(uint64_t, size_t, content_reader, void *, content_free);
    struct MHD_Response *(*create_response_from_buffer)(size_t, void *, int);
    struct MHD_Response *(*create_response_for_upgrade)(upgrade_handler, void *);
    int (*add_response_header)(struct MHD_Response *, const char *, const char *);
    int (*queue_response)(cmicrohttpd_connection *, unsigned, struct MHD_Response *);
    void (*destroy_response)(struct MHD_Response *);
    int (*upgrade_action)(cmicrohttpd_stream *, int, ...);
} table;

/* gnutls.h, likewise: the library's TLS is GnuTLS, which it has brought. */
typedef struct gnutls_session_int *gnutls_session;
typedef int (*handshake_hook)(gnutls_session, unsigned, unsigned, unsigned, const void *);
/* GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE. */
enum { NO_SERVER_NAME = -56 };
enum { HANDSHAKE_FINISHED = 20, HOOK_POST = 1, NAME_DNS = 1 };
enum { FEATURE_TLS = 2 };

static struct {
    int (*is_feature_supported)(int);
    int (*server_name_get)(gnutls_session, void *, size_t *, unsigned *, unsigned);
    void (*handshake_set_hook_function)(gnutls_session, unsigned, int, handshake_hook);
    void *(*session_get_ptr)(gnutls_session);
} tls;

/* Of one connection, for heads and for what is on its way; only what is used of it costs anything. In bytes. */
enum { CONNECTION_MEMORY = 512 << 10, READ_AHEAD = 128 << 10, BLOCK = 256 << 10 };

struct cmicrohttpd_server {
    struct MHD_Daemon *daemon;
    struct cmicrohttpd_handlers handlers;
    unsigned seconds;
};

/* One connection. */
struct connection_state {
    int socket;
    /* Whether its TLS handshake has begun and not ended. */
    bool is_in_handshake;
};

/* One request. */
struct call {
    /* With room for one character more. */
    char *target;
    /* Where the library has it. */
    const char *place;
    void *request;
    bool has_begun;
};

const char *cmicrohttpd_open(const char *name)
{
    static struct clibrary library = CLIBRARY_CLOSED;
    static const struct clibrary_function functions[] = {
#define FUNCTION(name) { "MHD_" #name, &table.name }
        FUNCTION(start_daemon), FUNCTION(stop_daemon), FUNCTION(add_connection), FUNCTION(get_connection_values_n),
        FUNCTION(get_connection_info),
        FUNCTION(set_connection_option), FUNCTION(create_response_from_callback), FUNCTION(create_response_from_buffer),
        FUNCTION(create_response_for_upgrade), FUNCTION(add_response_header), FUNCTION(queue_response),
        FUNCTION(destroy_response), FUNCTION(upgrade_action),
    };
    return clibrary_open(&library, name, RTLD_NOW, functions, sizeof functions / sizeof *functions);
}

const char *cmicrohttpd_open_tls(const char *name)
{
    static struct clibrary library = CLIBRARY_CLOSED, gnutls = CLIBRARY_CLOSED;
    static const struct clibrary_function function = { "MHD_is_feature_supported", &tls.is_feature_supported };
    static const struct clibrary_function functions[] = {
        { "gnutls_server_name_get", &tls.server_name_get },
        { "gnutls_handshake_set_hook_function", &tls.handshake_set_hook_function },
        { "gnutls_session_get_ptr", &tls.session_get_ptr },
    };
    const char *problem = clibrary_open(&library, name, RTLD_NOW, &function, 1);
    if (problem != NULL)
        return problem;
    if (tls.is_feature_supported(FEATURE_TLS) != YES)
        return "it was built without TLS";
    return clibrary_open(&gnutls, "libgnutls.so.30", RTLD_NOW, functions, sizeof functions / sizeof *functions);
}

/* --- Requests ---------------------------------------------------------------------------------------------------- */

static bool read_address(const struct sockaddr *address, uint32_t *host, uint16_t *port)
{
    if (address == NULL || address->sa_family != AF_INET)
        return false;
    struct sockaddr_in peer;
    memcpy(&peer, address, sizeof peer);
    *host = peer.sin_addr.s_addr;
    *port = peer.sin_port;
    return true;
}

/* Before a connection takes one of the places. */
static int admit(void *context, const struct sockaddr *address, socklen_t size)
{
    (void)size;
    /* Of a Unix socket it says nothing; `arrive` gets the connection itself. */
    if (address != NULL && address->sa_family == AF_UNIX)
        return YES;
    const struct cmicrohttpd_server *server = context;
    uint32_t host;
    uint16_t port;
    return read_address(address, &host, &port) && server->handlers.admit(server->handlers.context, host, port)
        ? YES : NO;
}

/* The session of a connection with TLS, otherwise NULL. */
static gnutls_session session_of(cmicrohttpd_connection *connection)
{
    const gnutls_session *session = table.get_connection_info(connection, INFO_GNUTLS_SESSION);
    return session == NULL ? NULL : *session;
}

/* A client that does not take the certificate never gets there. */
static int note_finished(gnutls_session session, unsigned kind, unsigned when, unsigned is_incoming, const void *message)
{
    (void)kind;
    (void)when;
    (void)message;
    struct connection_state *const *state = table.get_connection_info(tls.session_get_ptr(session), INFO_SOCKET_CONTEXT);
    if (is_incoming && state != NULL && *state != NULL)
        (*state)->is_in_handshake = false;
    return 0;
}

/* At the end the socket is still open, so its number is nobody else's. */
static void note_connection(void *context, cmicrohttpd_connection *connection, void **kept, int what)
{
    const struct cmicrohttpd_server *server = context;
    struct connection_state *state = *kept;
    if (what == CONNECTION_STARTED) {
        *kept = state = malloc(sizeof *state);
        if (state == NULL)
            return;
        gnutls_session session = session_of(connection);
        *state = (struct connection_state){ cmicrohttpd_socket(connection), session != NULL };
        if (session != NULL)
            tls.handshake_set_hook_function(session, HANDSHAKE_FINISHED, HOOK_POST, note_finished);
        server->handlers.arrive(server->handlers.context, state->socket);
    } else if (state != NULL) {
        server->handlers.leave(server->handlers.context, state->socket, state->is_in_handshake);
        free(state);
    }
}

/* The only place that sees the target before its escapes are undone. */
static void *note_target(void *context, const char *target, cmicrohttpd_connection *connection)
{
    (void)context;
    (void)connection;
    struct call *call = calloc(1, sizeof *call);
    const size_t length = strlen(target);
    if (call != NULL && (call->target = calloc(1, length + 2)) == NULL) {
        free(call);
        call = NULL;
    }
    if (call != NULL) {
        memcpy(call->target, target, length);
        call->place = target;
    }
    return call;
}

/* The library hands the parts of the request line out as they stand in its buffer, one behind the other, and each ends at the first NUL.
 * A target with a NUL in it, or behind such a method, gets a control character at its end, with which nobody takes it. */
static void mark_cut(struct call *call, const char *method, const char *version)
{
    const size_t length = strlen(call->target);
    if (method + strlen(method) + 1 != call->place || call->place + length + 1 != version)
        call->target[length] = 1;
}

static int handle(
    void *context, cmicrohttpd_connection *connection, const char *url, const char *method, const char *version,
    const char *bytes, size_t *count, void **state)
{
    (void)url;
    const struct cmicrohttpd_server *server = context;
    struct call *call = *state;
    if (call == NULL)
        return NO;
    if (!call->has_begun) {
        call->has_begun = true;
        mark_cut(call, method, version);
        /* A request may take as long as it likes; before its head is there, the connection may be idle for a while only. */
        table.set_connection_option(connection, CONNECTION_OPTION_TIMEOUT, 0U);
        return server->handlers.begin(
            server->handlers.context, connection, method, call->target, version, &call->request) ? YES : NO;
    }
    if (*count > 0) {
        size_t given = *count;
        *count = 0;
        return server->handlers.receive(call->request, bytes, given) ? YES : NO;
    }
    return server->handlers.finish(call->request, connection) ? YES : NO;
}

static void complete(void *context, cmicrohttpd_connection *connection, void **state, int reason)
{
    (void)reason;
    const struct cmicrohttpd_server *server = context;
    struct call *call = *state;
    *state = NULL;
    if (call == NULL)
        return;
    if (call->request != NULL)
        server->handlers.end(call->request);
    free(call->target);
    free(call);
    table.set_connection_option(connection, CONNECTION_OPTION_TIMEOUT, server->seconds);
}

cmicrohttpd_server *cmicrohttpd_start(
    struct cmicrohttpd_source source, unsigned connections, unsigned seconds,
    const struct cmicrohttpd_handlers *handlers)
{
    cmicrohttpd_server *server = malloc(sizeof *server);
    if (server == NULL)
        return NULL;
    server->handlers = *handlers;
    server->seconds = seconds;
    const struct MHD_OptionItem none = { OPTION_END, 0, NULL };
    struct MHD_OptionItem listening[] = { { LISTEN_SOCKET, source.listening, NULL }, none };
    struct MHD_OptionItem certified[] = {
        { HTTPS_MEM_CERT, 0, (void *)source.certificate }, { HTTPS_MEM_KEY, 0, (void *)source.key }, none,
    };
    unsigned flags = THREAD_PER_CONNECTION | INTERNAL_THREAD | POLL | ITC | ALLOW_UPGRADE;
    flags |= source.listening < 0 ? NO_LISTEN_SOCKET : 0;
    flags |= source.certificate != NULL ? TLS : 0;
    /* Signals are for the thread that waits for the command: the server's inherit that they are held back. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    server->daemon = table.start_daemon(
        flags, 0, admit, server, handle, server, OPTION_ARRAY,
        source.listening >= 0 ? listening : source.certificate != NULL ? certified : &listening[1],
        CONNECTION_LIMIT, connections, CONNECTION_TIMEOUT, seconds,
        MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MEMORY_INCREMENT, (size_t)READ_AHEAD, STRICT_FOR_CLIENT, 1,
        URI_LOG_CALLBACK, note_target, (void *)NULL, NOTIFY_COMPLETED, complete, (void *)server,
        NOTIFY_CONNECTION, note_connection, (void *)server, OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (server->daemon == NULL) {
        free(server);
        return NULL;
    }
    return server;
}

int cmicrohttpd_add(cmicrohttpd_server *server, int socket)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (getpeername(socket, (struct sockaddr *)&peer, &size) == 0)
        return table.add_connection(server->daemon, socket, (struct sockaddr *)&peer, size) == YES;
    close(socket);
    return 0;
}

void cmicrohttpd_stop(cmicrohttpd_server *server)
{
    table.stop_daemon(server->daemon);
    free(server);
}

struct taking {
    void *context;
    void (*take)(void *, const char *, size_t, const char *, size_t);
};

static int take_field(
    void *context, int kind, const char *name, size_t name_count, const char *value, size_t value_count)
{
    (void)kind;
    const struct taking *taking = context;
    taking->take(taking->context, name, name_count, value == NULL ? "" : value, value == NULL ? 0 : value_count);
    return YES;
}

void cmicrohttpd_fields(
    cmicrohttpd_connection *connection, void *context,
    void (*take)(void *, const char *, size_t, const char *, size_t))
{
    struct taking taking = { context, take };
    table.get_connection_values_n(connection, HEADER_KIND, take_field, &taking);
}

int cmicrohttpd_peer(cmicrohttpd_connection *connection, uint32_t *host, uint16_t *port)
{
    const struct sockaddr *const *address = table.get_connection_info(connection, INFO_CLIENT_ADDRESS);
    return address != NULL && read_address(*address, host, port);
}

int cmicrohttpd_socket(cmicrohttpd_connection *connection)
{
    const int *socket = table.get_connection_info(connection, INFO_CONNECTION_FD);
    return socket == NULL ? -1 : *socket;
}

int cmicrohttpd_server_name(cmicrohttpd_connection *connection, char *name, size_t size)
{
    gnutls_session session = session_of(connection);
    if (session == NULL)
        return CMICROHTTPD_CLEAR;
    unsigned kind;
    size_t length = size;
    name[0] = 0;
    const int problem = tls.server_name_get(session, name, &length, &kind, 0);
    if (problem == 0 && kind == NAME_DNS && length < size && strlen(name) == length)
        return CMICROHTTPD_NAMED;
    /* What is too long, or has a NUL in it, is another name than any that is looked for. */
    return problem == NO_SERVER_NAME ? CMICROHTTPD_NAMELESS : CMICROHTTPD_MISNAMED;
}

/* --- Answers ----------------------------------------------------------------------------------------------------- */

struct answer {
    cmicrohttpd_reader reader;
    void *context;
};

static ssize_t read_answer(void *context, uint64_t place, char *bytes, size_t most)
{
    (void)place;
    const struct answer *answer = context;
    return answer->reader(answer->context, bytes, most);
}

static int queue(
    cmicrohttpd_connection *connection, unsigned status, struct MHD_Response *response,
    const struct cmicrohttpd_field *fields, size_t count)
{
    /* What the library does not take, such as an empty value, is left out. */
    for (size_t i = 0; i < count; i++)
        (void)table.add_response_header(response, fields[i].name, fields[i].value);
    int queued = table.queue_response(connection, status, response);
    table.destroy_response(response);
    return queued;
}

int cmicrohttpd_answer(
    cmicrohttpd_connection *connection, unsigned status, const struct cmicrohttpd_field *fields, size_t count,
    int64_t size, cmicrohttpd_reader reader, void *context)
{
    struct answer *answer = malloc(sizeof *answer);
    if (answer != NULL)
        *answer = (struct answer){ reader, context };
    struct MHD_Response *response = answer == NULL
        ? NULL
        : table.create_response_from_callback(
            size < 0 ? SIZE_UNKNOWN : (uint64_t)size, BLOCK, read_answer, answer, free);
    if (response == NULL) {
        free(answer);
        return NO;
    }
    return queue(connection, status, response, fields, count);
}

int cmicrohttpd_text(
    cmicrohttpd_connection *connection, unsigned status, const struct cmicrohttpd_field *fields, size_t count,
    const char *text)
{
    struct MHD_Response *response = table.create_response_from_buffer(strlen(text), (void *)text, MUST_COPY);
    return response == NULL ? NO : queue(connection, status, response, fields, count);
}

struct switching {
    void *context;
    int (*run)(void *, int, const char *, size_t, cmicrohttpd_stream *);
};

static void speak(
    void *context, cmicrohttpd_connection *connection, void *request, const char *bytes, size_t count, int socket,
    cmicrohttpd_stream *stream)
{
    (void)connection;
    (void)request;
    struct switching switching = *(struct switching *)context;
    free(context);
    if (switching.run(switching.context, socket, bytes, count, stream))
        cmicrohttpd_close(stream);
}

void cmicrohttpd_close(cmicrohttpd_stream *stream) { table.upgrade_action(stream, UPGRADE_CLOSE); }

int cmicrohttpd_upgrade(
    cmicrohttpd_connection *connection, const struct cmicrohttpd_field *fields, size_t count, void *context,
    int (*run)(void *, int, const char *, size_t, cmicrohttpd_stream *))
{
    struct switching *switching = malloc(sizeof *switching);
    if (switching != NULL)
        *switching = (struct switching){ context, run };
    struct MHD_Response *response =
        switching == NULL ? NULL : table.create_response_for_upgrade(speak, switching);
    if (response == NULL || queue(connection, 101, response, fields, count) == NO) {
        free(switching);
        return NO;
    }
    return YES;
}
