/*
 * crypto_library -- what signing needs of libcrypto, loaded when the first key signs: few do,
 * and its linking takes as long as a short command.  Private to source.
 */
#ifndef SOURCE_CRYPTO_LIBRARY_H
#define SOURCE_CRYPTO_LIBRARY_H

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

struct err;

#define CRYPTO_LIBRARY_CALLS(call) \
	call(BIO_free) call(BIO_new_mem_buf) call(EVP_DigestSign) call(EVP_DigestSignInit) \
	call(EVP_MD_CTX_free) call(EVP_MD_CTX_new) call(EVP_PKEY_free) call(EVP_PKEY_is_a) \
	call(EVP_sha256) call(PEM_read_bio_PrivateKey)

#define CRYPTO_LIBRARY_MEMBER(name) __typeof__(name) *name;
struct crypto_library {
	CRYPTO_LIBRARY_CALLS(CRYPTO_LIBRARY_MEMBER)
};
#undef CRYPTO_LIBRARY_MEMBER

/* Set once crypto_library_load() was 0, for as long as the process lives. */
extern struct crypto_library crypto_library;

/* Loads it, the first time; any thread may. */
int crypto_library_load(struct err *err) __attribute__((warn_unused_result));

#endif
