#define _GNU_SOURCE
#include "CCryptoSigning.h"
#include "passphrase.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(F)                                                                                       \
    F(BIO_new) F(BIO_s_secmem) F(BIO_new_mem_buf) F(BIO_free) F(BIO_read) F(BN_bn2binpad)                  \
    F(BN_free) F(BN_num_bits) F(d2i_ECDSA_SIG) F(ECDSA_SIG_free) F(ECDSA_SIG_get0)                         \
    F(EVP_DigestSign) F(EVP_DigestSignInit_ex) F(EVP_MD_CTX_free) F(EVP_MD_CTX_new) F(EVP_PKEY_Q_keygen)   \
    F(EVP_PKEY_free) F(EVP_PKEY_get_bits) F(EVP_PKEY_get_bn_param) F(EVP_PKEY_get_group_name)              \
    F(EVP_PKEY_get_octet_string_param) F(EVP_PKEY_is_a) F(PEM_read_bio_PrivateKey)                         \
    F(PEM_write_bio_PKCS8PrivateKey) F(ERR_clear_error)

#include "libcrypto.h"

typedef struct {
    const char *name;
    /* As EVP_PKEY_is_a knows it, with the group and the digest; NULL where there is none. */
    const char *type, *group, *digest;
    /* Of a coordinate, and of half a signature, in bytes. */
    int half;
} algorithm;

static const algorithm algorithms[] = {
    { "RS256", "RSA", NULL, "SHA256", 0 },
    { "ES256", "EC", "prime256v1", "SHA256", 32 },
    { "ES384", "EC", "secp384r1", "SHA384", 48 },
    { "EdDSA", "ED25519", NULL, NULL, 32 },
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms, LEAST_RSA_BITS = 2048, MOST_RSA_BITS = 16384, MADE_RSA_BITS = 3072 };

static bool is_fitting_rsa(EVP_PKEY *key)
{
    int bits = table.EVP_PKEY_get_bits(key);
    return bits >= LEAST_RSA_BITS && bits <= MOST_RSA_BITS;
}

struct ccrypto_signing_key {
    EVP_PKEY *key;
    const algorithm *algorithm;
};

static const algorithm *fitting(EVP_PKEY *key)
{
    char group[64] = "";
    size_t length;
    if (table.EVP_PKEY_is_a(key, "EC") && !table.EVP_PKEY_get_group_name(key, group, sizeof group, &length))
        return NULL;
    for (size_t index = 0; index < ALGORITHMS; index++) {
        const algorithm *each = &algorithms[index];
        if (!table.EVP_PKEY_is_a(key, each->type) || (each->group != NULL && strcmp(each->group, group) != 0))
            continue;
        return strcmp(each->type, "RSA") != 0 || is_fitting_rsa(key) ? each : NULL;
    }
    return NULL;
}

static ccrypto_key_state keep(EVP_PKEY *found, ccrypto_signing_key **key)
{
    const algorithm *algorithm = fitting(found);
    *key = algorithm == NULL ? NULL : malloc(sizeof **key);
    if (*key == NULL) {
        table.EVP_PKEY_free(found);
        return algorithm == NULL ? CCRYPTO_KEY_UNSUITABLE : CCRYPTO_KEY_FAILED;
    }
    **key = (ccrypto_signing_key){ found, algorithm };
    return CCRYPTO_KEY_GOOD;
}

ccrypto_key_state ccrypto_key_open(
    const void *pem, size_t size, const char *passphrase, ccrypto_signing_key **key)
{
    *key = NULL;
    if (open_libcrypto() != NULL || size > 1 << 20)
        return CCRYPTO_KEY_FAILED;
    BIO *text = table.BIO_new_mem_buf(pem, (int)size);
    if (text == NULL)
        return CCRYPTO_KEY_FAILED;
    passphrase_request asked = { passphrase, false };
    EVP_PKEY *found = table.PEM_read_bio_PrivateKey(text, NULL, give_passphrase, &asked);
    table.BIO_free(text);
    table.ERR_clear_error();
    if (found != NULL)
        return keep(found, key);
    if (!asked.asked)
        return CCRYPTO_KEY_MISSING;
    return passphrase == NULL ? CCRYPTO_KEY_LOCKED : CCRYPTO_KEY_WRONG_PASSPHRASE;
}

static EVP_PKEY *make(const algorithm *algorithm)
{
    if (strcmp(algorithm->type, "RSA") == 0)
        return table.EVP_PKEY_Q_keygen(NULL, NULL, algorithm->type, (size_t)MADE_RSA_BITS);
    /* The last argument is read for EC alone. */
    return table.EVP_PKEY_Q_keygen(NULL, NULL, algorithm->type, algorithm->group);
}

ccrypto_key_state ccrypto_key_make(const char *name, ccrypto_signing_key **key)
{
    *key = NULL;
    if (open_libcrypto() != NULL)
        return CCRYPTO_KEY_FAILED;
    for (size_t index = 0; index < ALGORITHMS; index++) {
        if (strcmp(algorithms[index].name, name) != 0)
            continue;
        EVP_PKEY *made = make(&algorithms[index]);
        table.ERR_clear_error();
        return made == NULL ? CCRYPTO_KEY_FAILED : keep(made, key);
    }
    return CCRYPTO_KEY_UNSUITABLE;
}

void ccrypto_key_free(ccrypto_signing_key *key)
{
    if (key == NULL)
        return;
    table.EVP_PKEY_free(key->key);
    free(key);
}

const char *ccrypto_key_algorithm(const ccrypto_signing_key *key) { return key->algorithm->name; }

/* R and S, each at its full length, in the place of their DER. */
static size_t join(const unsigned char *der, size_t count, int half, unsigned char *signature, size_t capacity)
{
    const unsigned char *start = der;
    ECDSA_SIG *pair = table.d2i_ECDSA_SIG(NULL, &start, (long)count);
    if (pair == NULL)
        return 0;
    const BIGNUM *r, *s;
    table.ECDSA_SIG_get0(pair, &r, &s);
    bool fits = capacity >= 2 * (size_t)half && table.BN_bn2binpad(r, signature, half) == half
        && table.BN_bn2binpad(s, signature + half, half) == half;
    table.ECDSA_SIG_free(pair);
    return fits ? 2 * (size_t)half : 0;
}

size_t ccrypto_key_sign(
    const ccrypto_signing_key *key, const void *bytes, size_t count, unsigned char *signature, size_t capacity)
{
    unsigned char made[MOST_RSA_BITS / 8];
    size_t length = sizeof made;
    EVP_MD_CTX *context = table.EVP_MD_CTX_new();
    bool may = context != NULL
        && table.EVP_DigestSignInit_ex(context, NULL, key->algorithm->digest, NULL, NULL, key->key, NULL) > 0
        && table.EVP_DigestSign(context, made, &length, bytes, count) > 0;
    table.EVP_MD_CTX_free(context);
    table.ERR_clear_error();
    if (!may)
        return 0;
    if (strcmp(key->algorithm->type, "EC") == 0)
        return join(made, length, key->algorithm->half, signature, capacity);
    if (length > capacity)
        return 0;
    memcpy(signature, made, length);
    return length;
}

static size_t number(const ccrypto_signing_key *key, const char *name, unsigned char *value, size_t capacity)
{
    BIGNUM *found = NULL;
    if (!table.EVP_PKEY_get_bn_param(key->key, name, &found))
        return 0;
    int length = (table.BN_num_bits(found) + 7) / 8;
    if (key->algorithm->half > length)
        length = key->algorithm->half;
    if ((size_t)length > capacity || table.BN_bn2binpad(found, value, length) != length)
        length = 0;
    table.BN_free(found);
    return (size_t)length;
}

size_t ccrypto_key_member(
    const ccrypto_signing_key *key, const char *name, unsigned char *value, size_t capacity)
{
    const char *type = key->algorithm->type;
    bool isX = strcmp(name, "x") == 0;
    if (strcmp(type, "RSA") == 0)
        return strcmp(name, "n") == 0 || strcmp(name, "e") == 0 ? number(key, name, value, capacity) : 0;
    if (strcmp(type, "EC") == 0)
        return isX                     ? number(key, OSSL_PKEY_PARAM_EC_PUB_X, value, capacity)
            : strcmp(name, "y") == 0 ? number(key, OSSL_PKEY_PARAM_EC_PUB_Y, value, capacity)
                                       : 0;
    size_t length = 0;
    bool isThere = isX
        && table.EVP_PKEY_get_octet_string_param(key->key, OSSL_PKEY_PARAM_PUB_KEY, value, capacity, &length);
    return isThere ? length : 0;
}

size_t ccrypto_key_write(const ccrypto_signing_key *key, unsigned char *pem, size_t capacity)
{
    BIO *text = table.BIO_new(table.BIO_s_secmem());
    if (text == NULL)
        return 0;
    int length = 0;
    if (table.PEM_write_bio_PKCS8PrivateKey(text, key->key, NULL, NULL, 0, NULL, NULL) > 0)
        length = table.BIO_read(text, pem, (int)capacity);
    table.BIO_free(text);
    table.ERR_clear_error();
    return length > 0 && (size_t)length < capacity ? (size_t)length : 0;
}
