#ifndef STAGEDOOR_TESTS_ACCESS_ACCESS_FIXTURE_H_
#define STAGEDOOR_TESTS_ACCESS_ACCESS_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "server/access/testing/test_signing_key.h"
#include "server/listen/testing/test_certificates.h"
#include "server/server.h"

namespace stagedoor::server {

// A server with TLS, tokens and roles on a port of its own, and clients who prove different things.
// Files are in the directories "show", which artists and render nodes may read, and "secret", which
// they may not.
//
//   user:ann, user:bob   role "artist": query and edit
//   *.farm.test          role "render": query, at most two leases
//   user:root            role "admin": everything
class AccessFixture : public testing::Test {
 protected:
  static constexpr std::string_view kIssuer = "https://sso.test";
  static constexpr std::string_view kAudience = "stagedoor";

  AccessFixture();

  // The options of the server that Start starts.
  ServerOptions& options() { return options_; }
  void Start();
  // Stops the server, and waits until its logs are written.
  void Stop();
  // Applies options().access to the running server.
  void Reload();

  // The claims of a valid token for a user, which JSON `more` may add to ("exp", say).
  std::string Claims(std::string_view user, int64_t seconds_left = 600) const;
  std::string TokenOf(std::string_view user) const;
  // A client that sends `token`, unless it is empty, and has no certificate.
  std::unique_ptr<Client> WithToken(std::string_view token);
  std::unique_ptr<Client> As(std::string_view user) { return WithToken(TokenOf(user)); }
  std::unique_ptr<Client> WithCertificate(const TestCertificateAuthority::Issued& issued);

  // How to connect with the CA of the tests, and without a certificate.
  ClientOptions Options() const;

  std::string Show(std::string_view name) const { return folder_ / ("show/" + std::string(name)); }
  std::string Secret(std::string_view name) const {
    return folder_ / ("secret/" + std::string(name));
  }
  // Writes a file and returns its path.
  std::string NewFile(std::string_view kind, std::string_view content);
  // Writes "show/NAME" or "secret/NAME". `content` is usda text without the first line.
  void Write(std::string_view name, std::string_view content);

  // Opens a stage and returns its handle.
  static absl::StatusOr<std::string> Open(Client& client, const std::string& root,
                                          const std::string& session = "");
  // The number that an attribute has at a frame; NOT_FOUND if it has no value.
  static absl::StatusOr<double> Get(Client& client, const std::string& handle,
                                    const std::string& path, double frame = 1);

  const TempDir folder_;
  const TestCertificateAuthority authority_;
  const TestSigningKey key_ = TestSigningKey::P256();

 private:
  ServerOptions options_;
  std::unique_ptr<Server> server_;
  int files_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_TESTS_ACCESS_ACCESS_FIXTURE_H_
