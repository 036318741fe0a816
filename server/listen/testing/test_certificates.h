#ifndef STAGEDOOR_SERVER_LISTEN_TESTING_TEST_CERTIFICATES_H_
#define STAGEDOOR_SERVER_LISTEN_TESTING_TEST_CERTIFICATES_H_

#include <chrono>
#include <string>
#include <vector>

#include "base/openssl_pointers.h"

namespace stagedoor::server {

// A new certificate authority, for tests.
class TestCertificateAuthority {
 public:
  struct Issued {
    std::string certificate;  // PEM
    std::string key;          // PEM
  };

  TestCertificateAuthority();

  const std::string& certificate() const { return certificate_; }  // PEM

  // A certificate for DNS names, valid from an hour before now for `validity` more.
  Issued Issue(const std::vector<std::string>& names,
               std::chrono::seconds validity = std::chrono::hours(1)) const;

 private:
  KeyPointer key_;
  std::string certificate_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_TESTING_TEST_CERTIFICATES_H_
