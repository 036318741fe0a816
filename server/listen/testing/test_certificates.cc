#include "server/listen/testing/test_certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <string_view>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

constexpr long kHour = 3600;

std::string TextOf(const BioPointer& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string ToPem(X509* certificate) {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return TextOf(bio);
}

std::string ToPem(EVP_PKEY* key) {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return TextOf(bio);
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509_NAME* SetName(X509_NAME* name, std::string_view common_name) {
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name.data()),
                             static_cast<int>(common_name.size()), -1, 0);
  return name;
}

// A certificate of `key` that `issuer` has not signed yet.
CertificatePointer MakeCertificate(EVP_PKEY* key, std::string_view common_name,
                                   std::chrono::seconds validity) {
  CertificatePointer certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  long serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 4);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), static_cast<long>(validity.count()));
  X509_set_pubkey(certificate.get(), key);
  SetName(X509_get_subject_name(certificate.get()), common_name);
  SetName(X509_get_issuer_name(certificate.get()), "Stagedoor test authority");
  return certificate;
}

}  // namespace

TestCertificateAuthority::TestCertificateAuthority() : key_(EVP_EC_gen("P-256")) {
  const CertificatePointer own =
      MakeCertificate(key_.get(), "Stagedoor test authority", std::chrono::hours(1));
  AddExtension(own.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(own.get(), key_.get(), EVP_sha256());
  certificate_ = ToPem(own.get());
}

TestCertificateAuthority::Issued TestCertificateAuthority::Issue(
    const std::vector<std::string>& names, std::chrono::seconds validity) const {
  const KeyPointer key(EVP_EC_gen("P-256"));
  const CertificatePointer certificate = MakeCertificate(key.get(), names.front(), validity);
  std::vector<std::string> alternatives;
  for (const std::string& name : names) alternatives.push_back(Concat("DNS:", name));
  AddExtension(certificate.get(), NID_subject_alt_name, Join(alternatives, ","));
  X509_sign(certificate.get(), key_.get(), EVP_sha256());
  return {ToPem(certificate.get()), ToPem(key.get())};
}

}  // namespace stagedoor::server
