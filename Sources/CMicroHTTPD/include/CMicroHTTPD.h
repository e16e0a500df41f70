/* GNU libmicrohttpd, opened on first use: only `exec --serve` and `--unchanged` need it. Nothing links it and no header of it is
 * needed: the functions have not changed since libmicrohttpd 0.9.71, and are declared in CMicroHTTPD.c.
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
typedef struct MHD_UpgradeResponseHandle cmicrohttpd_stream;

/* What a request is told by; each returns 0 to have the connection closed. */
struct cmicrohttpd_handlers {
    void *context;
    /* Somebody has connected, from there, both in the network's order; nothing was read. Not asked about a Unix socket. */
    int (*admit)(void *context, uint32_t address, uint16_t port);
    /* A connection that was admitted has this socket, and until it leaves nobody else has. */
    void (*arrive)(void *context, int socket);
    /* `broke_off` where its client ended the handshake of TLS, which is how it says that it does not take the certificate. */
    void (*leave)(void *context, int socket, int broke_off);
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

/* The same, and whether it speaks TLS; on first use of that. */
const char *cmicrohttpd_open_tls(const char *name);

/* Where connections come from. */
struct cmicrohttpd_source {
    /* A socket that listens, which belongs to the server from then on; -1 where each connection is added. */
    int listening;
    /* In PEM, both or neither: every connection that is added speaks TLS. They are not needed after the start. */
    const char *certificate, *key;
};

/* Serves so many connections at once, each of which may be idle for so many seconds. Only after cmicrohttpd_open has returned
 * NULL, and cmicrohttpd_open_tls where there is a certificate. Returns NULL where it cannot be started. */
cmicrohttpd_server *cmicrohttpd_start(
    struct cmicrohttpd_source source, unsigned connections, unsigned seconds,
    const struct cmicrohttpd_handlers *handlers);
/* Adds a connection, which belongs to the server from then on, also where it returns 0: then it is closed. */
int cmicrohttpd_add(cmicrohttpd_server *server, int socket);
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

/* Writes the server name that the client has asked for (RFC 6066, section 3), and returns CMICROHTTPD_NAMED; or why there is none:
 * no TLS, no name, or one that is no name of a host. */
enum { CMICROHTTPD_CLEAR, CMICROHTTPD_NAMELESS, CMICROHTTPD_MISNAMED, CMICROHTTPD_NAMED };
int cmicrohttpd_server_name(cmicrohttpd_connection *connection, char *name, size_t size);

/* Answers. The size is negative where only the end will tell it. The context has to live until the request's end. */
int cmicrohttpd_answer(
    cmicrohttpd_connection *connection, unsigned status, const struct cmicrohttpd_field *fields, size_t count,
    int64_t size, cmicrohttpd_reader reader, void *context);

/* The same with a text, which is copied. */
int cmicrohttpd_text(
    cmicrohttpd_connection *connection, unsigned status, const struct cmicrohttpd_field *fields, size_t count,
    const char *text);

/* Answers with 101, and has `run` speak with the client over the socket; what the client has sent behind its request comes along.
 * It returns 1 where that is over. With TLS, which is undone by the thread that calls it, it returns 0 at once, and whoever goes on
 * closes the stream. Where the client is gone before that, `run` is not called. */
int cmicrohttpd_upgrade(
    cmicrohttpd_connection *connection, const struct cmicrohttpd_field *fields, size_t count, void *context,
    int (*run)(void *context, int socket, const char *bytes, size_t count, cmicrohttpd_stream *stream));
void cmicrohttpd_close(cmicrohttpd_stream *stream);

#endif
