#pragma once

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// An OSSL_PARAM keeps the pointer to its name, so the name has to be a C literal. A Swift string would live only for
// the call.

static inline OSSL_PARAM tx_param_rsa_modulus(unsigned char *number, size_t count) {
    return OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, number, count);
}

static inline OSSL_PARAM tx_param_rsa_exponent(unsigned char *number, size_t count) {
    return OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, number, count);
}

// The OSSL_PARAM keeps the pointer to the value as well, so the value is a literal too. OpenSSL does not write to it.
static inline OSSL_PARAM tx_param_group(int bits) {
    const char *name = bits == 256 ? "P-256" : bits == 384 ? "P-384" : "P-521";
    return OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)name, 0);
}

static inline OSSL_PARAM tx_param_public_point(unsigned char *point, size_t count) {
    return OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, count);
}

static inline OSSL_PARAM tx_param_kdf_sha256(void) {
    return OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
}

static inline OSSL_PARAM tx_param_kdf_key(unsigned char *bytes, size_t count) {
    return OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, bytes, count);
}

static inline OSSL_PARAM tx_param_kdf_salt(unsigned char *bytes, size_t count) {
    return OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, bytes, count);
}

static inline OSSL_PARAM tx_param_kdf_info(unsigned char *bytes, size_t count) {
    return OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, bytes, count);
}

// The following functions call macros, which Swift does not import.

static inline long tx_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

static inline void tx_free(void *memory) { OPENSSL_free(memory); }

static inline void tx_clear_free(void *memory, size_t count) { OPENSSL_clear_free(memory, count); }

static inline int tx_select_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }

static inline STACK_OF(X509) *tx_certificates(void) { return sk_X509_new_null(); }

static inline void tx_append(STACK_OF(X509) *list, X509 *certificate) { (void)sk_X509_push(list, certificate); }

static inline void tx_free_list(STACK_OF(X509) *list) { sk_X509_free(list); }

// OpenSSL 3 deprecates engines in favour of providers, but Debian 12 has PKCS#11 only as an engine. Only these functions use one.

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static inline ENGINE *tx_engine_by_id(const char *name) {
    ENGINE_load_dynamic();
    return ENGINE_by_id(name);
}

static inline int tx_engine_control(ENGINE *engine, const char *command, const char *argument) {
    return ENGINE_ctrl_cmd_string(engine, command, argument, 0);
}

static inline int tx_engine_init(ENGINE *engine) { return ENGINE_init(engine); }

static inline EVP_PKEY *tx_engine_private_key(ENGINE *engine, const char *uri) {
    return ENGINE_load_private_key(engine, uri, NULL, NULL);
}

#pragma GCC diagnostic pop
