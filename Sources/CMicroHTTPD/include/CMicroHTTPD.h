/* GNU libmicrohttpd, opened on first use: only `exec --serve` needs it. Nothing links it and no header of it is needed: the
 * functions have not changed since libmicrohttpd 0.9.71, and are declared in CMicroHTTPD.c.
 *
 * A server has a thread for each connection, so every function here may wait as long as it likes.
 */
#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct cmicrohttpd_server cmicrohttpd_server;
typedef struct MHD_Connection cmicrohttpd_connection;

/* What a request is told by; each returns 0 to have the connection closed. */
struct cmicrohttpd_handlers {
    void *context;
    /* Somebody has connected, from there, both in the network's order; nothing was read. Not asked about a Unix socket. */
    int (*admit)(void *context, uint32_t address, uint16_t port);
    /* A connection that was admitted has this socket, and until it leaves nobody else has. */
    void (*arrive)(void *context, int socket);
    void (*leave)(void *context, int socket);
    /* The head is there; the target is as it was sent. An answer may be given now, or once the body has ended. *request is
     * the caller's, for all that follows. */
    int (*begin)(
        void *context, cmicrohttpd_connection *connection, const char *method, const char *target,
        const char *version, void **request);
    /* A piece of the body, which has to be taken whole. */
    int (*receive)(void *request, const char *bytes, size_t count);
    /* The body has ended; unless an answer was given, it has to be given now. */
    int (*finish)(void *request, cmicrohttpd_connection *connection);
    /* Nothing more comes of the request, whether it was answered or not. */
    void (*end)(void *request);
};

/* The next bytes of an answer, or one of these. */
enum { CMICROHTTPD_END = -1, CMICROHTTPD_BROKEN = -2 };
typedef ssize_t (*cmicrohttpd_reader)(void *context, char *bytes, size_t most);

struct cmicrohttpd_field {
    const char *name;
    const char *value;
};

/* Opens the library of this name, once. Returns NULL, or what went wrong: text that is valid until the next call. */
const char *cmicrohttpd_open(const char *name);

/* Serves on a socket that listens, which belongs to the server from then on; so many connections at once, each of which may
 * be idle for so many seconds. Only after cmicrohttpd_open has returned NULL. Returns NULL where it cannot be started. */
cmicrohttpd_server *cmicrohttpd_start(
    int listening, unsigned connections, unsigned seconds, const struct cmicrohttpd_handlers *handlers);
/* Closes everything, and waits for what the handlers are doing. */
void cmicrohttpd_stop(cmicrohttpd_server *server);

/* Every header field of a request, one by one. */
void cmicrohttpd_fields(
    cmicrohttpd_connection *connection, void *context,
    void (*take)(void *context, const char *name, size_t name_count, const char *value, size_t value_count));
/* Who is at the other end, both in the network's order; 0 where that cannot be told, as for a Unix socket. */
int cmicrohttpd_peer(cmicrohttpd_connection *connection, uint32_t *address, uint16_t *port);
/* The socket of the connection, to be looked at and not to be read from. */
int cmicrohttpd_socket(cmicrohttpd_connection *connection);

/* Answers. The size is negative where only the end will tell it. The context has to live until the request's end. */
int cmicrohttpd_answer(
    cmicrohttpd_connection *connection, unsigned status, const struct cmicrohttpd_field *fields, size_t count,
    int64_t size, cmicrohttpd_reader reader, void *context);

/* The same with a text, which is copied. */
int cmicrohttpd_text(
    cmicrohttpd_connection *connection, unsigned status, const struct cmicrohttpd_field *fields, size_t count,
    const char *text);

/* Answers with 101, and has `run` speak with the client over the socket until it returns; what the client has sent behind its
 * request comes along. Where the client is gone before that, `run` is not called. */
int cmicrohttpd_upgrade(
    cmicrohttpd_connection *connection, const struct cmicrohttpd_field *fields, size_t count, void *context,
    void (*run)(void *context, int socket, const char *bytes, size_t count));

#endif
