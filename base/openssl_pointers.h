#ifndef STAGEDOOR_BASE_OPENSSL_POINTERS_H_
#define STAGEDOOR_BASE_OPENSSL_POINTERS_H_

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>

#include <memory>

namespace stagedoor {

// Owners of OpenSSL's objects.
template <auto kFree>
struct OpensslDeleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using BioPointer = std::unique_ptr<BIO, OpensslDeleter<BIO_free>>;
using BignumPointer = std::unique_ptr<BIGNUM, OpensslDeleter<BN_free>>;
using CertificatePointer = std::unique_ptr<X509, OpensslDeleter<X509_free>>;
using DigestContextPointer = std::unique_ptr<EVP_MD_CTX, OpensslDeleter<EVP_MD_CTX_free>>;
using EcdsaSignaturePointer = std::unique_ptr<ECDSA_SIG, OpensslDeleter<ECDSA_SIG_free>>;
using KeyContextPointer = std::unique_ptr<EVP_PKEY_CTX, OpensslDeleter<EVP_PKEY_CTX_free>>;
using KeyPointer = std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>>;
using ParamBuilderPointer = std::unique_ptr<OSSL_PARAM_BLD, OpensslDeleter<OSSL_PARAM_BLD_free>>;
using ParamsPointer = std::unique_ptr<OSSL_PARAM, OpensslDeleter<OSSL_PARAM_free>>;

// Drops the errors that OpenSSL queues for the thread within a scope. gRPC's connections on the
// same thread would otherwise take them for their own.
class OpensslErrorScope {
 public:
  OpensslErrorScope() { ERR_set_mark(); }
  ~OpensslErrorScope() { ERR_pop_to_mark(); }
  OpensslErrorScope(const OpensslErrorScope&) = delete;
  OpensslErrorScope& operator=(const OpensslErrorScope&) = delete;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_OPENSSL_POINTERS_H_
