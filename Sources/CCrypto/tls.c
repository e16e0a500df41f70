#define _GNU_SOURCE
#include "CCryptoTLS.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

static struct {
    __typeof__(SSL_CTX_get0_param) *get0_param;
    __typeof__(X509_VERIFY_PARAM_set1_ip_asc) *set1_ip_asc;
    __typeof__(SSL_CTX_set_cert_cb) *set_cert_cb;
    __typeof__(SSL_CTX_set_msg_callback) *set_msg_callback;
    __typeof__(SSL_CTX_ctrl) *ctrl;
} table;

const char *ccrypto_tls_open(void)
{
    static struct clibrary library = CLIBRARY_CLOSED;
    /* libssl brings libcrypto: its functions are found through the same handle. */
    static const struct clibrary_function functions[] = {
        { "SSL_CTX_get0_param", &table.get0_param },
        { "X509_VERIFY_PARAM_set1_ip_asc", &table.set1_ip_asc },
        { "SSL_CTX_set_cert_cb", &table.set_cert_cb },
        { "SSL_CTX_set_msg_callback", &table.set_msg_callback },
        { "SSL_CTX_ctrl", &table.ctrl },
    };
    return clibrary_open(&library, "libssl.so.3", RTLD_LAZY, functions, sizeof functions / sizeof *functions);
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
