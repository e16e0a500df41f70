#define _GNU_SOURCE
#include "CCryptoX509.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(F)                                                                                       \
    F(BIO_new_mem_buf) F(BIO_new) F(BIO_s_mem) F(BIO_read) F(BIO_free) F(PEM_read_bio_X509) F(X509_free)   \
    F(X509_get_subject_name) F(X509_get_issuer_name) F(X509_NAME_print_ex) F(X509_get0_notBefore)          \
    F(X509_get0_notAfter) F(ASN1_TIME_to_tm) F(X509_digest) F(EVP_sha256) F(EVP_Digest)                    \
    F(X509_get_X509_PUBKEY) F(i2d_X509_PUBKEY) F(CRYPTO_free) F(X509_STORE_new) F(X509_STORE_free)         \
    F(X509_STORE_load_file) F(X509_STORE_set_flags) F(X509_STORE_CTX_new) F(X509_STORE_CTX_free)           \
    F(X509_STORE_CTX_init) F(X509_STORE_CTX_set_default) F(X509_STORE_CTX_get0_param)                      \
    F(X509_STORE_CTX_set_verify_cb) F(X509_STORE_CTX_get_error) F(X509_STORE_CTX_get_ex_data)              \
    F(X509_STORE_CTX_set_ex_data) F(X509_verify_cert) F(X509_VERIFY_PARAM_set1_host)                       \
    F(X509_VERIFY_PARAM_set1_ip_asc) F(X509_VERIFY_PARAM_set_hostflags)                                    \
    F(X509_VERIFY_PARAM_set_auth_level) F(OPENSSL_sk_new_null) F(OPENSSL_sk_push) F(OPENSSL_sk_free)       \
    F(ERR_clear_error) F(X509_get_ext_d2i) F(OPENSSL_sk_num) F(OPENSSL_sk_value) F(GENERAL_NAMES_free)    \
    F(ASN1_STRING_get0_data) F(ASN1_STRING_length)

#include "libcrypto.h"

/* The numbers are those of x509_vfy.h; see openssl-verification-options(1). */
static uint32_t reason(int code)
{
    switch (code) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return CCRYPTO_SELF_SIGNED;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: return CCRYPTO_UNKNOWN_AUTHORITY;
    case X509_V_ERR_CERT_HAS_EXPIRED: return CCRYPTO_EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID: return CCRYPTO_NOT_YET_VALID;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return CCRYPTO_OTHER_HOST;
    case X509_V_ERR_INVALID_PURPOSE:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_REJECTED: return CCRYPTO_WRONG_PURPOSE;
    case X509_V_ERR_INVALID_CA:
    case X509_V_ERR_PATH_LENGTH_EXCEEDED:
    case X509_V_ERR_KEYUSAGE_NO_CERTSIGN: return CCRYPTO_ISSUER_NO_AUTHORITY;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK: return CCRYPTO_TOO_WEAK;
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return CCRYPTO_BAD_SIGNATURE;
    default: return CCRYPTO_INVALID;
    }
}

static int note(int ok, X509_STORE_CTX *context)
{
    if (!ok) {
        uint32_t *reasons = table.X509_STORE_CTX_get_ex_data(context, 0);
        *reasons |= reason(table.X509_STORE_CTX_get_error(context));
    }
    return 1;
}

static X509 *read_certificate(const char *pem)
{
    BIO *text = table.BIO_new_mem_buf(pem, -1);
    if (text == NULL)
        return NULL;
    X509 *certificate = table.PEM_read_bio_X509(text, NULL, NULL, NULL);
    table.BIO_free(text);
    return certificate;
}

static bool write_name(const X509_NAME *name, char *text, size_t size)
{
    BIO *out = table.BIO_new(table.BIO_s_mem());
    if (out == NULL)
        return false;
    /* Control characters are escaped; letters are not. */
    bool written = table.X509_NAME_print_ex(out, name, 0, XN_FLAG_ONELINE & ~(unsigned long)ASN1_STRFLGS_ESC_MSB) >= 0;
    int count = written ? table.BIO_read(out, text, (int)size - 1) : 0;
    text[count > 0 ? count : 0] = 0;
    table.BIO_free(out);
    return written;
}

/* One name of a certificate; a byte that could end it early, or a line, is a question mark. Returns 0 where it is of another kind. */
static size_t write_host(const GENERAL_NAME *name, char *text, size_t size)
{
    if (name->type != GEN_DNS && name->type != GEN_IPADD)
        return 0;
    const unsigned char *bytes = table.ASN1_STRING_get0_data(name->d.ia5);
    size_t count = (size_t)table.ASN1_STRING_length(name->d.ia5);
    if (name->type == GEN_IPADD) {
        int family = count == 4 ? AF_INET : count == 16 ? AF_INET6 : AF_UNSPEC;
        return family != AF_UNSPEC && inet_ntop(family, bytes, text, (socklen_t)size) != NULL ? strlen(text) : 0;
    }
    if (count >= size)
        return 0;
    for (size_t i = 0; i < count; i++)
        text[i] = bytes[i] == 0 || bytes[i] == '\n' ? '?' : (char)bytes[i];
    text[count] = 0;
    return count;
}

static void write_hosts(X509 *certificate, char *text, size_t size)
{
    GENERAL_NAMES *names = table.X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    size_t written = 0;

    for (int i = 0; names != NULL && i < table.OPENSSL_sk_num((const OPENSSL_STACK *)names); i++) {
        char host[256];
        size_t count = write_host(table.OPENSSL_sk_value((const OPENSSL_STACK *)names, i), host, sizeof host);
        if (count == 0 || written + count + 2 > size)
            continue;
        if (written > 0)
            text[written++] = '\n';
        memcpy(text + written, host, count + 1);
        written += count;
    }
    if (names != NULL)
        table.GENERAL_NAMES_free(names);
}

static bool seconds(const ASN1_TIME *time, int64_t *result)
{
    struct tm parts;
    if (table.ASN1_TIME_to_tm(time, &parts) != 1)
        return false;
    *result = timegm(&parts);
    return true;
}

static bool describe(X509 *certificate, ccrypto_certificate *found)
{
    unsigned char *key = NULL;
    int length = table.i2d_X509_PUBKEY(table.X509_get_X509_PUBKEY(certificate), &key);
    if (length <= 0)
        return false;
    bool known = table.EVP_Digest(key, (size_t)length, found->key, NULL, table.EVP_sha256(), NULL) == 1;
    table.CRYPTO_free(key, __FILE__, __LINE__);
    write_hosts(certificate, found->names, sizeof found->names);
    return known && table.X509_digest(certificate, table.EVP_sha256(), found->fingerprint, NULL) == 1
        && write_name(table.X509_get_subject_name(certificate), found->subject, sizeof found->subject)
        && write_name(table.X509_get_issuer_name(certificate), found->issuer, sizeof found->issuer)
        && seconds(table.X509_get0_notBefore(certificate), &found->not_before)
        && seconds(table.X509_get0_notAfter(certificate), &found->not_after);
}

/* Names and purpose are part of it, so that their faults come through the same callback. */
static bool verify(X509_STORE_CTX *context, const char *host, uint32_t *reasons)
{
    X509_VERIFY_PARAM *rules = table.X509_STORE_CTX_get0_param(context);
    /* Debian's level for TLS: 112 bits. */
    table.X509_VERIFY_PARAM_set_auth_level(rules, 2);
    table.X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (!table.X509_STORE_CTX_set_default(context, "ssl_server")
        || !table.X509_STORE_CTX_set_ex_data(context, 0, reasons)
        || (!table.X509_VERIFY_PARAM_set1_ip_asc(rules, host) && !table.X509_VERIFY_PARAM_set1_host(rules, host, 0)))
        return false;
    table.X509_STORE_CTX_set_verify_cb(context, note);
    if (table.X509_verify_cert(context) <= 0 && *reasons == 0)
        *reasons = CCRYPTO_INVALID;
    return true;
}

static const char *evaluate(OPENSSL_STACK *others, X509 *leaf, const char *host, X509_STORE *store, uint32_t *reasons)
{
    X509_STORE_CTX *context = table.X509_STORE_CTX_new();
    if (context == NULL)
        return "out of memory";
    bool done = table.X509_STORE_CTX_init(context, store, leaf, (STACK_OF(X509) *)others)
        && verify(context, host, reasons);
    table.X509_STORE_CTX_free(context);
    return done ? NULL : "the server's certificate cannot be evaluated";
}

static const char *evaluate_all(
    X509 *const *certificates, size_t count, const char *host, const char *ca_file, uint32_t *reasons)
{
    X509_STORE *store = table.X509_STORE_new();
    OPENSSL_STACK *others = table.OPENSSL_sk_new_null();
    const char *fault = store == NULL || others == NULL ? "out of memory" : NULL;
    /* As libcurl sets them. */
    if (fault == NULL
        && (!table.X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN)
            || !table.X509_STORE_load_file(store, ca_file)))
        fault = "the file of certificate authorities cannot be read";
    for (size_t i = 1; fault == NULL && i < count; i++)
        if (!table.OPENSSL_sk_push(others, certificates[i]))
            fault = "out of memory";
    if (fault == NULL)
        fault = evaluate(others, certificates[0], host, store, reasons);
    if (others != NULL)
        table.OPENSSL_sk_free(others);
    if (store != NULL)
        table.X509_STORE_free(store);
    return fault;
}

const char *ccrypto_evaluate(
    const char *const *chain, size_t count, const char *host, const char *ca_file, ccrypto_certificate *found)
{
    enum { most = 32 };
    X509 *certificates[most];
    size_t read = 0;

    const char *problem = open_libcrypto();
    if (problem != NULL)
        return problem;
    memset(found, 0, sizeof *found);
    while (read < count && read < most && (certificates[read] = read_certificate(chain[read])) != NULL)
        read++;
    const char *fault = NULL;
    if (read == 0 || read < count || !describe(certificates[0], found))
        fault = "the server's certificate cannot be read";
    if (fault == NULL)
        fault = evaluate_all(certificates, read, host, ca_file, &found->reasons);
    for (size_t i = 0; i < read; i++)
        table.X509_free(certificates[i]);
    table.ERR_clear_error();
    return fault;
}
