#define _GNU_SOURCE
#include "CCryptoIdentity.h"
#include "passphrase.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(F)                                                                                       \
    F(BIO_new_mem_buf) F(BIO_free) F(PEM_read_bio_X509) F(PEM_read_bio_PrivateKey) F(X509_free)            \
    F(EVP_PKEY_free) F(X509_check_private_key) F(X509_get_subject_name) F(X509_NAME_get_index_by_NID)      \
    F(X509_NAME_get_entry) F(X509_NAME_ENTRY_get_data) F(ASN1_STRING_to_UTF8) F(CRYPTO_free)               \
    F(X509_get0_notBefore) F(X509_get0_notAfter) F(ASN1_TIME_to_tm) F(d2i_PKCS12_bio) F(PKCS12_free)       \
    F(PKCS12_verify_mac) F(PKCS12_parse) F(ERR_clear_error)

#include "libcrypto.h"

static void describe(X509 *certificate, ccrypto_identity *found)
{
    struct tm parts;
    if (table.ASN1_TIME_to_tm(table.X509_get0_notBefore(certificate), &parts) == 1)
        found->not_before = timegm(&parts);
    if (table.ASN1_TIME_to_tm(table.X509_get0_notAfter(certificate), &parts) == 1)
        found->not_after = timegm(&parts);
    const X509_NAME *subject = table.X509_get_subject_name(certificate);
    int last = -1;
    for (int next; (next = table.X509_NAME_get_index_by_NID(subject, NID_commonName, last)) >= 0;)
        last = next;
    if (last < 0)
        return;
    unsigned char *text = NULL;
    int length = table.ASN1_STRING_to_UTF8(
        &text, table.X509_NAME_ENTRY_get_data(table.X509_NAME_get_entry(subject, last)));
    if (length > 0 && (size_t)length < sizeof found->common_name && memchr(text, 0, (size_t)length) == NULL)
        memcpy(found->common_name, text, (size_t)length);
    if (length >= 0)
        table.CRYPTO_free(text, __FILE__, __LINE__);
}

static ccrypto_identity_state compare(X509 *certificate, EVP_PKEY *key)
{
    return table.X509_check_private_key(certificate, key) ? CCRYPTO_IDENTITY_GOOD : CCRYPTO_IDENTITY_KEY_OF_ANOTHER;
}

static ccrypto_identity_state read_key(BIO *text, const char *passphrase, X509 *certificate)
{
    passphrase_request asked = { passphrase, false };
    EVP_PKEY *key = table.PEM_read_bio_PrivateKey(text, NULL, give_passphrase, &asked);
    if (key != NULL) {
        ccrypto_identity_state state = compare(certificate, key);
        table.EVP_PKEY_free(key);
        return state;
    }
    if (!asked.asked)
        return CCRYPTO_IDENTITY_NO_KEY;
    return passphrase == NULL ? CCRYPTO_IDENTITY_LOCKED : CCRYPTO_IDENTITY_WRONG_PASSPHRASE;
}

static ccrypto_identity_state read_pem(BIO *certificate, BIO *key, const char *passphrase, ccrypto_identity *found)
{
    passphrase_request asked = { NULL, false };
    X509 *own = table.PEM_read_bio_X509(certificate, NULL, give_passphrase, &asked);
    if (own == NULL)
        return CCRYPTO_IDENTITY_NO_CERTIFICATE;
    describe(own, found);
    ccrypto_identity_state state = read_key(key, passphrase, own);
    table.X509_free(own);
    return state;
}

static ccrypto_identity_state open_pkcs12(PKCS12 *file, const char *passphrase, ccrypto_identity *found)
{
    bool is_open_to_all = table.PKCS12_verify_mac(file, "", 0) || table.PKCS12_verify_mac(file, NULL, 0);
    if (!is_open_to_all && passphrase == NULL)
        return CCRYPTO_IDENTITY_LOCKED;
    if (!is_open_to_all && !table.PKCS12_verify_mac(file, passphrase, -1))
        return CCRYPTO_IDENTITY_WRONG_PASSPHRASE;
    EVP_PKEY *key = NULL;
    X509 *certificate = NULL;
    if (!table.PKCS12_parse(file, is_open_to_all ? "" : passphrase, &key, &certificate, NULL))
        return CCRYPTO_IDENTITY_OLD_ENCRYPTION;
    ccrypto_identity_state state = CCRYPTO_IDENTITY_NO_CERTIFICATE;
    if (certificate != NULL) {
        describe(certificate, found);
        state = key == NULL ? CCRYPTO_IDENTITY_NO_KEY : compare(certificate, key);
        table.X509_free(certificate);
    }
    if (key != NULL)
        table.EVP_PKEY_free(key);
    return state;
}

static ccrypto_identity_state read_files(BIO *certificate, BIO *key, const char *passphrase, ccrypto_identity *found)
{
    if (!found->is_pkcs12)
        return read_pem(certificate, key, passphrase, found);
    PKCS12 *file = table.d2i_PKCS12_bio(certificate, NULL);
    if (file == NULL)
        return CCRYPTO_IDENTITY_NO_CERTIFICATE;
    ccrypto_identity_state state = open_pkcs12(file, passphrase, found);
    table.PKCS12_free(file);
    return state;
}

ccrypto_identity_state ccrypto_identity_read(
    const void *certificate, size_t certificate_size, const void *key, size_t key_size, const char *passphrase,
    ccrypto_identity *found)
{
    memset(found, 0, sizeof *found);
    if (open_libcrypto() != NULL || certificate_size > 1 << 20 || key_size > 1 << 20)
        return CCRYPTO_IDENTITY_FAILED;
    /* DER begins with a SEQUENCE; PEM is text. */
    found->is_pkcs12 = certificate_size > 0 && *(const unsigned char *)certificate == 0x30;
    BIO *first = table.BIO_new_mem_buf(certificate, (int)certificate_size);
    BIO *second = key == NULL ? table.BIO_new_mem_buf(certificate, (int)certificate_size)
                              : table.BIO_new_mem_buf(key, (int)key_size);
    ccrypto_identity_state state =
        first == NULL || second == NULL ? CCRYPTO_IDENTITY_FAILED : read_files(first, second, passphrase, found);
    if (first != NULL)
        table.BIO_free(first);
    if (second != NULL)
        table.BIO_free(second);
    table.ERR_clear_error();
    return state;
}
