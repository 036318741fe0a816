#include "server/store/open_session_store.h"

#include <fstream>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/store/redis_session_store.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxPasswordBytes = 4096;

absl::StatusOr<std::string> ReadPassword(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string password;
  char byte;
  while (password.size() <= kMaxPasswordBytes && in.get(byte) && byte != '\n') password += byte;
  if (!password.empty() && password.back() == '\r') password.pop_back();
  if (password.empty() || password.size() > kMaxPasswordBytes) {
    return InvalidArgumentError(
        "--session-store-password-file: cannot read a password from the "
        "first line of ",
        Quoted(file));
  }
  return password;
}

}  // namespace

absl::StatusOr<RedisOptions> ParseSessionStore(const SessionStoreOptions& options) {
  absl::StatusOr<RedisOptions> redis = ParseRedisUrl(options.url);
  if (!redis.ok()) return Annotate(redis.status(), "--session-store");
  if (!redis->password.empty()) {
    return InvalidArgumentError(
        "--session-store: the URL has a password, which others can read; "
        "use --session-store-password-file");
  }
  if (!options.password_file.empty()) {
    SD_ASSIGN_OR_RETURN(redis->password, ReadPassword(options.password_file));
  }
  redis->ca_file = options.ca_file;
  redis->certificate_file = options.certificate_file;
  redis->key_file = options.key_file;
  SD_RETURN_IF_ERROR(Annotate(CheckRedisOptions(*redis), "--session-store"));
  return redis;
}

absl::StatusOr<std::shared_ptr<SessionStore>> OpenSessionStore(const SessionStoreOptions& options) {
  if (options.url.empty()) return nullptr;
  SD_ASSIGN_OR_RETURN(RedisOptions redis, ParseSessionStore(options));
  auto store = RedisSessionStore::Create(std::move(redis));
  if (!store.ok()) return Annotate(store.status(), "--session-store");
  return std::shared_ptr<SessionStore>(*std::move(store));
}

}  // namespace stagedoor::server
