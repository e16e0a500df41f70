#define _GNU_SOURCE
#include "CCryptoTLS.h"

#include <dlfcn.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const char *problem;
static char problem_text[256];

static struct {
    __typeof__(SSL_CTX_get0_param) *get0_param;
    __typeof__(X509_VERIFY_PARAM_set1_ip_asc) *set1_ip_asc;
    __typeof__(SSL_CTX_set_cert_cb) *set_cert_cb;
    __typeof__(SSL_CTX_set_msg_callback) *set_msg_callback;
    __typeof__(SSL_CTX_ctrl) *ctrl;
} table;

static void open_libraries(void)
{
    /* libssl brings libcrypto: its functions are found through the same handle. */
    void *library = dlopen("libssl.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) {
        table.get0_param = (__typeof__(table.get0_param))dlsym(library, "SSL_CTX_get0_param");
        table.set1_ip_asc = (__typeof__(table.set1_ip_asc))dlsym(library, "X509_VERIFY_PARAM_set1_ip_asc");
        table.set_cert_cb = (__typeof__(table.set_cert_cb))dlsym(library, "SSL_CTX_set_cert_cb");
        table.set_msg_callback = (__typeof__(table.set_msg_callback))dlsym(library, "SSL_CTX_set_msg_callback");
        table.ctrl = (__typeof__(table.ctrl))dlsym(library, "SSL_CTX_ctrl");
        if (table.get0_param != NULL && table.set1_ip_asc != NULL && table.set_cert_cb != NULL
            && table.set_msg_callback != NULL && table.ctrl != NULL)
            return;
    }
    const char *text = dlerror();
    snprintf(problem_text, sizeof problem_text, "%s", text ? text : "libssl.so.3 could not be loaded");
    problem = problem_text;
}

const char *ccrypto_tls_open(void)
{
    pthread_once(&opened, open_libraries);
    return problem;
}

int ccrypto_tls_require_address(void *context, const char *address)
{
    return ccrypto_tls_open() == NULL && table.set1_ip_asc(table.get0_param(context), address);
}

static int note(SSL *connection, void *asked)
{
    (void)connection;
    *(int *)asked = 1;
    return 1;
}

void ccrypto_tls_watch(void *context, int *asked)
{
    if (ccrypto_tls_open() == NULL)
        table.set_cert_cb(context, note, asked);
}

static void note_end(
    int written, int version, int type, const void *bytes, size_t count, SSL *connection, void *ended)
{
    (void)version;
    (void)connection;
    if (!written && type == SSL3_RT_ALERT && count == 2 && ((const unsigned char *)bytes)[1] == SSL_AD_CLOSE_NOTIFY)
        *(int *)ended = 1;
}

void ccrypto_tls_watch_end(void *context, int *ended)
{
    if (ccrypto_tls_open() != NULL)
        return;
    table.set_msg_callback(context, note_end);
    table.ctrl(context, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, ended);
}
