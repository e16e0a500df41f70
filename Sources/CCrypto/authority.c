#define _GNU_SOURCE
#include "CCryptoAuthority.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(F)                                                                                       \
    F(ASN1_INTEGER_free) F(BIO_free) F(BIO_new) F(BIO_read) F(BIO_s_mem) F(BIO_s_secmem) F(BN_bin2bn)      \
    F(BN_free) F(BN_to_ASN1_INTEGER) F(ERR_clear_error) F(EVP_PKEY_Q_keygen) F(EVP_PKEY_free) F(EVP_sha256) \
    F(PEM_write_bio_PKCS8PrivateKey) F(PEM_write_bio_X509) F(RAND_bytes)                                   \
    F(X509V3_EXT_nconf_nid) F(X509V3_set_ctx) F(X509_EXTENSION_free) F(X509_NAME_add_entry_by_txt)         \
    F(X509_NAME_hash_ex) F(X509_add_ext) F(X509_free) F(X509_get_subject_name) F(X509_getm_notAfter)       \
    F(X509_getm_notBefore) F(X509_gmtime_adj) F(X509_new) F(X509_set_issuer_name) F(X509_set_pubkey)       \
    F(X509_set_serialNumber) F(X509_set_version) F(X509_sign)

#include "libcrypto.h"

/* A day in the past, for clocks that programs are shown; in seconds. */
enum { DAY = 86400, SINCE = -DAY, UNTIL = 397 * DAY };

static EVP_PKEY *make_key(void) { return table.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "prime256v1"); }

static bool set_serial(X509 *certificate)
{
    unsigned char bytes[16];
    if (table.RAND_bytes(bytes, sizeof bytes) <= 0)
        return false;
    /* Neither negative nor zero (RFC 5280, section 4.1.2.2). */
    bytes[0] = (bytes[0] & 0x7F) | 0x40;
    BIGNUM *number = table.BN_bin2bn(bytes, sizeof bytes, NULL);
    ASN1_INTEGER *serial = number == NULL ? NULL : table.BN_to_ASN1_INTEGER(number, NULL);
    bool is_set = serial != NULL && table.X509_set_serialNumber(certificate, serial) > 0;
    table.ASN1_INTEGER_free(serial);
    table.BN_free(number);
    return is_set;
}

struct extension {
    int kind;
    const char *value;
};

static bool extend(X509 *certificate, X509 *issuer, const struct extension *extensions, size_t count)
{
    X509V3_CTX context;
    table.X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    context.db = NULL;
    for (size_t i = 0; i < count; i++) {
        X509_EXTENSION *made = table.X509V3_EXT_nconf_nid(NULL, &context, extensions[i].kind, extensions[i].value);
        bool is_added = made != NULL && table.X509_add_ext(certificate, made, -1) > 0;
        table.X509_EXTENSION_free(made);
        if (!is_added)
            return false;
    }
    return true;
}

/* `issuer` is NULL where the certificate is its own. */
static X509 *make_certificate(
    const char *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *signer, const struct extension *extensions, size_t count)
{
    X509 *made = table.X509_new();
    if (made == NULL)
        return NULL;
    if (issuer == NULL)
        issuer = made;
    X509_NAME *subject = table.X509_get_subject_name(made);
    bool is_signed = table.X509_set_version(made, X509_VERSION_3) > 0 && set_serial(made)
        && table.X509_gmtime_adj(table.X509_getm_notBefore(made), SINCE) != NULL
        && table.X509_gmtime_adj(table.X509_getm_notAfter(made), UNTIL) != NULL
        && table.X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) > 0
        && table.X509_set_issuer_name(made, table.X509_get_subject_name(issuer)) > 0
        && table.X509_set_pubkey(made, key) > 0 && extend(made, issuer, extensions, count)
        && table.X509_sign(made, signer, table.EVP_sha256()) > 0;
    if (is_signed)
        return made;
    table.X509_free(made);
    return NULL;
}

/* The subject's key identifier comes first: the issuer's is copied from it. */
static X509 *make_root(EVP_PKEY *key, const char *host)
{
    char names[512];
    const int length = snprintf(
        names, sizeof names,
        "critical,permitted;DNS:%s,excluded;IP:0.0.0.0/0.0.0.0,excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0", host);
    if (length < 0 || (size_t)length >= sizeof names)
        return NULL;
    const struct extension extensions[] = {
        { NID_subject_key_identifier, "hash" },
        { NID_basic_constraints, "critical,CA:TRUE,pathlen:0" },
        { NID_key_usage, "critical,keyCertSign" },
        { NID_ext_key_usage, "serverAuth" },
        { NID_name_constraints, names },
    };
    return make_certificate("authctl, for this run only", key, NULL, key, extensions, sizeof extensions / sizeof *extensions);
}

static X509 *make_leaf(EVP_PKEY *key, const char *host, X509 *root, EVP_PKEY *signer)
{
    char name[512];
    const int length = snprintf(name, sizeof name, "DNS:%s", host);
    if (length < 0 || (size_t)length >= sizeof name)
        return NULL;
    const struct extension extensions[] = {
        { NID_subject_key_identifier, "hash" },
        { NID_authority_key_identifier, "keyid:always" },
        { NID_basic_constraints, "critical,CA:FALSE" },
        { NID_key_usage, "critical,digitalSignature" },
        { NID_ext_key_usage, "serverAuth" },
        { NID_subject_alt_name, name },
    };
    return make_certificate(
        "authctl exec --unchanged", key, root, signer, extensions, sizeof extensions / sizeof *extensions);
}

/* Takes the text that was written to `out`, and frees that. */
static bool take_text(BIO *out, bool is_written, char *text, size_t size)
{
    const int length = is_written ? table.BIO_read(out, text, (int)size) : 0;
    table.BIO_free(out);
    return length > 0 && (size_t)length < size;
}

static bool write_certificate(X509 *certificate, char *text, size_t size)
{
    BIO *out = table.BIO_new(table.BIO_s_mem());
    return take_text(out, out != NULL && table.PEM_write_bio_X509(out, certificate) > 0, text, size);
}

static bool write_key(EVP_PKEY *key, char *text, size_t size)
{
    BIO *out = table.BIO_new(table.BIO_s_secmem());
    bool is_written = out != NULL && table.PEM_write_bio_PKCS8PrivateKey(out, key, NULL, NULL, 0, NULL, NULL) > 0;
    return take_text(out, is_written, text, size);
}

/* Both certificates in the order of their making; the signer's key lives no longer than this call. */
static bool sign_both(EVP_PKEY *key, const char *host, X509 **root, X509 **leaf)
{
    EVP_PKEY *signer = make_key();
    *root = signer == NULL ? NULL : make_root(signer, host);
    *leaf = *root == NULL ? NULL : make_leaf(key, host, *root, signer);
    /* Wiped, since a private number is. */
    table.EVP_PKEY_free(signer);
    return *leaf != NULL;
}

/* OpenSSL's arithmetic leaves the private number on the stack, in the digits that it multiplies by. */
static __attribute__((noinline)) void wipe_below(void)
{
    char below[64 << 10];
    explicit_bzero(below, sizeof below);
}

/* It stands in a text of OpenSSL's, where a comma or a colon would begin something else. */
static bool is_name(const char *host)
{
    const char *of_names = "abcdefghijklmnopqrstuvwxyz0123456789-._";
    return *host != 0 && host[strspn(host, of_names)] == 0;
}

const char *ccrypto_make_authority(const char *host, ccrypto_run_authority *made)
{
    const char *problem = open_libcrypto();
    if (problem != NULL)
        return problem;
    if (!is_name(host))
        return "the host is no name that a certificate can have";
    memset(made, 0, sizeof *made);
    X509 *root = NULL, *leaf = NULL;
    EVP_PKEY *key = make_key();
    bool is_made = key != NULL && sign_both(key, host, &root, &leaf)
        && write_certificate(root, made->authority, sizeof made->authority)
        && write_certificate(leaf, made->certificate, sizeof made->certificate)
        && write_key(key, made->key, sizeof made->key);
    if (is_made) {
        int is_hashed = 0;
        unsigned long hash = table.X509_NAME_hash_ex(table.X509_get_subject_name(root), NULL, NULL, &is_hashed);
        is_made = is_hashed;
        snprintf(made->file_name, sizeof made->file_name, "%08lx.0", hash);
    }
    table.X509_free(leaf);
    table.X509_free(root);
    table.EVP_PKEY_free(key);
    table.ERR_clear_error();
    wipe_below();
    if (is_made)
        return NULL;
    explicit_bzero(made, sizeof *made);
    return "OpenSSL made no certificate";
}
