/* What is needed of GLib, GObject, GIO and libsecret, declared here instead of by their headers, so that building needs
 * none of them. The types are theirs, and part of their stable binary interface; so are the numbers. */
#ifndef CSECRET_LIBRARY_H
#define CSECRET_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

typedef struct GMainContext GMainContext;
typedef struct GCancellable GCancellable;
typedef struct GDBusConnection GDBusConnection;
typedef struct GAsyncResult GAsyncResult;
typedef struct GVariant GVariant;
typedef struct GVariantIter GVariantIter;
typedef struct GVariantBuilder GVariantBuilder;
typedef struct GVariantType GVariantType;
typedef struct GSource GSource;
typedef struct GIOStream GIOStream;
typedef struct GSocket GSocket;
typedef struct SecretService SecretService;
typedef struct SecretValue SecretValue;
typedef struct GError {
    uint32_t domain;
    int code;
    char *message;
} GError;

typedef void (*GAsyncReadyCallback)(void *source, GAsyncResult *result, void *data);
typedef int (*GSourceFunc)(void *data);
typedef void (*GDBusSignalCallback)(GDBusConnection *connection, const char *sender, const char *object,
                                    const char *interface, const char *signal, GVariant *arguments, void *data);
typedef int (*GLogWriterFunc)(unsigned level, const void *fields, size_t count, void *data);
typedef void (*GLogFunc)(const char *domain, unsigned level, const char *message, void *data);
typedef void (*GPrintFunc)(const char *text);

enum {
    G_BUS_TYPE_SESSION = 2,
    G_DBUS_CALL_FLAGS_NO_AUTO_START = 1,
    G_IO_ERROR_CLOSED = 18,
    G_IO_ERROR_CANCELLED = 19,
    G_IO_ERROR_TIMED_OUT = 24,
    G_LOG_WRITER_HANDLED = 1,
};

/* Result, name, parameters. */
#define CSECRET_FUNCTIONS(F)                                                                                           \
    F(GMainContext *, g_main_context_new, (void))                                                                      \
    F(void, g_main_context_unref, (GMainContext *))                                                                    \
    F(void, g_main_context_push_thread_default, (GMainContext *))                                                      \
    F(void, g_main_context_pop_thread_default, (GMainContext *))                                                       \
    F(int, g_main_context_iteration, (GMainContext *, int may_block))                                                  \
    F(GSource *, g_timeout_source_new, (unsigned milliseconds))                                                        \
    F(void, g_source_set_callback, (GSource *, GSourceFunc, void *data, void (*destroy)(void *)))                      \
    F(unsigned, g_source_attach, (GSource *, GMainContext *))                                                          \
    F(void, g_source_destroy, (GSource *))                                                                             \
    F(void, g_source_unref, (GSource *))                                                                               \
    F(void, g_error_free, (GError *))                                                                                  \
    F(void, g_free, (void *))                                                                                          \
    F(void, g_object_unref, (void *))                                                                                  \
    F(void, g_log_set_writer_func, (GLogWriterFunc, void *data, void (*destroy)(void *)))                              \
    F(GLogFunc, g_log_set_default_handler, (GLogFunc, void *data))                                                     \
    F(GPrintFunc, g_set_print_handler, (GPrintFunc))                                                                   \
    F(GPrintFunc, g_set_printerr_handler, (GPrintFunc))                                                                \
    F(GVariant *, g_variant_new, (const char *format, ...))                                                            \
    F(void, g_variant_get, (GVariant *, const char *format, ...))                                                      \
    F(void, g_variant_unref, (GVariant *))                                                                             \
    F(GVariant *, g_variant_ref_sink, (GVariant *))                                                                    \
    F(int, g_variant_is_of_type, (GVariant *, const GVariantType *))                                                   \
    F(GVariant *, g_variant_get_child_value, (GVariant *, size_t))                                                     \
    F(int, g_variant_iter_next, (GVariantIter *, const char *format, ...))                                             \
    F(void, g_variant_iter_free, (GVariantIter *))                                                                     \
    F(int, g_variant_lookup, (GVariant *, const char *key, const char *format, ...))                                   \
    F(GVariantBuilder *, g_variant_builder_new, (const GVariantType *))                                                \
    F(void, g_variant_builder_add, (GVariantBuilder *, const char *format, ...))                                       \
    F(GVariant *, g_variant_builder_end, (GVariantBuilder *))                                                          \
    F(void, g_variant_builder_unref, (GVariantBuilder *))                                                              \
    F(GCancellable *, g_cancellable_new, (void))                                                                       \
    F(void, g_cancellable_cancel, (GCancellable *))                                                                    \
    F(uint32_t, g_io_error_quark, (void))                                                                              \
    F(char *, g_dbus_error_get_remote_error, (const GError *))                                                         \
    F(int, g_dbus_error_strip_remote_error, (GError *))                                                                \
    F(void, g_bus_get, (int type, GCancellable *, GAsyncReadyCallback, void *data))                                    \
    F(GDBusConnection *, g_bus_get_finish, (GAsyncResult *, GError **))                                                \
    F(void, g_dbus_connection_set_exit_on_close, (GDBusConnection *, int))                                             \
    F(GIOStream *, g_dbus_connection_get_stream, (GDBusConnection *))                                                  \
    F(GSocket *, g_socket_connection_get_socket, (GIOStream *))                                                        \
    F(int, g_socket_get_fd, (GSocket *))                                                                               \
    F(int, g_dbus_connection_is_closed, (GDBusConnection *))                                                           \
    F(GVariant *, g_dbus_connection_call_sync,                                                                         \
      (GDBusConnection *, const char *name, const char *path, const char *interface, const char *method, GVariant *,   \
       const GVariantType *reply, int flags, int milliseconds, GCancellable *, GError **))                             \
    F(unsigned, g_dbus_connection_signal_subscribe,                                                                    \
      (GDBusConnection *, const char *sender, const char *interface, const char *member, const char *path,             \
       const char *argument, int flags, GDBusSignalCallback, void *data, void (*destroy)(void *)))                     \
    F(void, g_dbus_connection_signal_unsubscribe, (GDBusConnection *, unsigned))                                       \
    F(size_t, secret_service_get_type, (void))                                                                         \
    F(void, secret_service_open,                                                                                       \
      (size_t type, const char *name, int flags, GCancellable *, GAsyncReadyCallback, void *data))                     \
    F(SecretService *, secret_service_open_finish, (GAsyncResult *, GError **))                                        \
    F(void, secret_service_ensure_session, (SecretService *, GCancellable *, GAsyncReadyCallback, void *data))         \
    F(int, secret_service_ensure_session_finish, (SecretService *, GAsyncResult *, GError **))                         \
    F(const char *, secret_service_get_session_dbus_path, (SecretService *))                                           \
    F(GVariant *, secret_service_encode_dbus_secret, (SecretService *, SecretValue *))                                 \
    F(SecretValue *, secret_service_decode_dbus_secret, (SecretService *, GVariant *))                                 \
    F(SecretValue *, secret_value_new, (const char *bytes, ptrdiff_t count, const char *content_type))                 \
    F(const char *, secret_value_get, (SecretValue *, size_t *count))                                                  \
    F(void, secret_value_unref, (void *))

#define CSECRET_MEMBER(result, name, parameters) result(*name) parameters;
struct csecret_library {
    CSECRET_FUNCTIONS(CSECRET_MEMBER)
};
#undef CSECRET_MEMBER

/* Opens the libraries at the first call. Gives NULL and why, if that is not possible. */
const struct csecret_library *csecret_library_opened(const char **problem);

#endif
