#include "server/listen/server_credentials.h"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstdio>
#include <string>

#include "base/openssl_pointers.h"
#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "server/listen/testing/test_certificates.h"

namespace stagedoor::server {
namespace {

class ServerCredentialsTest : public ::testing::Test {
 protected:
  ServerCredentialsTest() {
    const auto server = authority_.Issue({"server.test"});
    folder_.Write("server.pem", server.certificate);
    folder_.Write("server.key", server.key);
    folder_.Write("ca.pem", authority_.certificate());
    folder_.Write("text", "not PEM");
  }
  // The error for these files; empty if they can be used.
  std::string Error(const std::string& certificate, const std::string& key,
                    const std::string& client_ca = "") const {
    const absl::Status status =
        CheckTlsFiles({.certificate_file = folder_ / certificate,
                       .key_file = folder_ / key,
                       .client_ca_file = client_ca.empty() ? std::string() : folder_ / client_ca});
    EXPECT_EQ(ERR_peek_error(), 0u) << "gRPC would take the error for its own";
    if (!status.ok()) EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(Message(status));
  }
  std::string Named(const std::string& name) const { return Quoted(folder_ / name); }

  const TempDir folder_;
  const TestCertificateAuthority authority_;
};

TEST_F(ServerCredentialsTest, TheKeyIsThatOfTheCertificate) {
  EXPECT_EQ(Error("server.pem", "server.key"), "");
  EXPECT_EQ(Error("server.pem", "server.key", "ca.pem"), "");
  folder_.Write("other.key", authority_.Issue({"other.test"}).key);
  EXPECT_EQ(
      Error("server.pem", "other.key"),
      "the key " + Named("other.key") + " is not that of the certificate " + Named("server.pem"));
}

TEST_F(ServerCredentialsTest, ErrorsNameTheFile) {
  EXPECT_EQ(Error("none", "server.key"), "cannot read the certificate " + Named("none") +
                                             ": check that it exists and its permissions");
  EXPECT_EQ(Error("server.pem", "none"),
            "cannot read the key " + Named("none") + ": check that it exists and its permissions");
  EXPECT_EQ(Error("text", "server.key"), Named("text") + " is not a certificate in PEM form");
  EXPECT_EQ(Error("server.pem", "server.key", "text"),
            Named("text") + " is not a certificate in PEM form");
  EXPECT_EQ(Error("server.pem", "server.pem"),
            Named("server.pem") + " is not a key in PEM form without a password");
}

// It must not ask for the password on a terminal.
TEST_F(ServerCredentialsTest, AKeyWithAPasswordIsRefused) {
  const KeyPointer key(EVP_EC_gen("P-256"));
  std::FILE* const file = std::fopen((folder_ / "locked.key").c_str(), "w");
  ASSERT_EQ(
      PEM_write_PKCS8PrivateKey(file, key.get(), EVP_aes_128_cbc(), "secret", 6, nullptr, nullptr),
      1);
  std::fclose(file);
  EXPECT_EQ(Error("server.pem", "locked.key"),
            Named("locked.key") + " is not a key in PEM form without a password");
}

TEST_F(ServerCredentialsTest, CredentialsNeedFilesThatFit) {
  const auto none = MakeServerCredentials({});
  ASSERT_TRUE(none.ok());
  EXPECT_NE(*none, nullptr) << "without TLS";
  TlsOptions options{.certificate_file = folder_ / "server.pem", .key_file = folder_ / "text"};
  EXPECT_FALSE(MakeServerCredentials(options).ok());
  options.key_file = folder_ / "server.key";
  const auto encrypted = MakeServerCredentials(options);
  ASSERT_TRUE(encrypted.ok()) << encrypted.status();
  EXPECT_NE(*encrypted, nullptr);
}

}  // namespace
}  // namespace stagedoor::server
