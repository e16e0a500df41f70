#define _GNU_SOURCE
#include "library.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct csecret_library library;
static char problem_text[256];
static int is_open;

/* What would have these libraries load code, write to standard error, abort, or keep secrets somewhere else. */
static void forget_environment(void)
{
    static const char *const names[] = {
        "SECRET_BACKEND", "SECRET_FILE_TEST_PATH", "SECRET_FILE_TEST_PASSWORD", "SECRET_SERVICE_BUS_NAME", "G_DEBUG",
        "G_MESSAGES_DEBUG", "G_MESSAGES_PREFIXED", "G_DBUS_DEBUG", "G_DBUS_COOKIE_SHA1_KEYRING_DIR",
        "G_DBUS_COOKIE_SHA1_KEYRING_DIR_IGNORE_PERMISSION", "G_SLICE", "G_MAIN_POLL_DEBUG", "GOBJECT_DEBUG",
        "G_ENABLE_DIAGNOSTIC", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "GIO_USE_VFS", "GIO_USE_PROXY_RESOLVER",
        "GIO_USE_NETWORK_MONITOR", "GIO_USE_TLS", "GLIB_CHARSETALIAS_DIR", "GNUTLS_DEBUG_LEVEL",
        "GNUTLS_SYSTEM_PRIORITY_FILE", "GNUTLS_FORCE_FIPS_MODE", "GNUTLS_KEYLOGFILE",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* Their messages are for programmers; ours are about what failed. */
static int drop_log(unsigned level, const void *fields, size_t count, void *data)
{
    (void)level, (void)fields, (void)count, (void)data;
    return G_LOG_WRITER_HANDLED;
}

static void drop_message(const char *domain, unsigned level, const char *message, void *data)
{
    (void)domain, (void)level, (void)message, (void)data;
}

static void drop_text(const char *text) { (void)text; }

static void open_library(void)
{
    forget_environment();
    /* A look-up through the handle goes on in what libsecret itself was linked to: GIO, GObject and GLib. */
#define FUNCTION(result, name, parameters) { #name, &library.name },
    static const struct clibrary_function functions[] = { CSECRET_FUNCTIONS(FUNCTION) };
    const char *problem =
        clibrary_find("libsecret-1.so.0", RTLD_LAZY, functions, sizeof functions / sizeof *functions);
    if (problem != NULL) {
        snprintf(problem_text, sizeof problem_text, "%s", problem);
        return;
    }
    library.g_log_set_writer_func(drop_log, NULL, NULL);
    library.g_log_set_default_handler(drop_message, NULL);
    library.g_set_print_handler(drop_text);
    library.g_set_printerr_handler(drop_text);
    is_open = 1;
}

const struct csecret_library *csecret_library_opened(const char **problem)
{
    pthread_once(&once, open_library);
    *problem = is_open ? NULL : problem_text;
    return is_open ? &library : NULL;
}
