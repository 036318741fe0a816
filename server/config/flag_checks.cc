#include "server/config/flag_checks.h"

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "base/status.h"
#include "base/strings.h"
#include "resolver/access/network_policy.h"
#include "resolver/access/url.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_logins.h"
#include "resolver/path_map.h"
#include "resolver/remote/remote_backend.h"
#include "server/listen/listen_address.h"
#include "server/log/logging.h"
#include "server/store/redis_options.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;

}  // namespace

absl::Status CheckAddress(const std::string& value) {
  const auto address = ListenAddress::Parse(value);
  if (address.ok()) return absl::OkStatus();
  return InvalidArgumentError("HOST:PORT or unix:PATH (", Message(address.status()), ")");
}

absl::Status CheckTcpAddress(const std::string& value) {
  const auto address = ListenAddress::Parse(value);
  if (address.ok() && !address->is_unix()) return absl::OkStatus();
  return InvalidArgumentError("HOST:PORT, with a port from 0 to 65535");
}

absl::Status CheckSocketPath(const std::string& value) {
  const auto address = ListenAddress::Parse(Concat("unix:", value));
  if (address.ok() && value.starts_with('/')) return absl::OkStatus();
  return InvalidArgumentError("an absolute path of at most 107 bytes");
}

absl::Status CheckDirectory(const std::string& value) {
  std::error_code ignored;
  if (fs::is_directory(value, ignored)) return absl::OkStatus();
  return InvalidArgumentError("an existing directory");
}

absl::Status CheckNoFile(const std::string& value) {
  std::error_code ignored;
  if (!value.empty() && (!fs::exists(value, ignored) || fs::is_directory(value, ignored))) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("a directory");
}

absl::Status CheckThere(const std::string& value) {
  std::error_code ignored;
  if (fs::exists(value, ignored)) return absl::OkStatus();
  return InvalidArgumentError("an existing directory or file");
}

absl::Status CheckNewDirectory(const std::string& value) {
  std::error_code ignored;
  const fs::path parent = fs::path(value).parent_path();
  if (fs::is_directory(value, ignored)) return absl::OkStatus();
  const bool room = parent.empty() || fs::is_directory(parent, ignored);
  if (!value.empty() && room && !fs::exists(value, ignored)) return absl::OkStatus();
  return InvalidArgumentError("a directory, which may be new in an existing one");
}

absl::Status CheckUrlPrefix(const std::string& value) {
  const auto parsed = UrlAllowList::Parse({&value, 1});
  if (parsed.ok()) return absl::OkStatus();
  return InvalidArgumentError("a URL prefix like https://host/show/ (", Message(parsed.status()),
                              ")");
}

absl::Status CheckRedisUrl(const std::string& value) {
  const auto redis = ParseRedisUrl(value);
  if (redis.ok()) return absl::OkStatus();
  return InvalidArgumentError(
      "redis://[USER@]HOST[:PORT][/DATABASE], rediss://… or "
      "redis+unix:/PATH (",
      Message(redis.status()), ")");
}

absl::Status CheckWord(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \t\r\n/") == std::string::npos) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("a name");
}

absl::Status CheckResolver(const std::string& value) { return ParseResolverFlag(value).status(); }

absl::Status CheckPathMap(const std::string& value) {
  const auto map = PathMap::Parse(std::span(&value, 1));
  if (map.ok()) return absl::OkStatus();
  return InvalidArgumentError("FROM=TO with absolute paths, such as Z:/show=/show");
}

absl::Status CheckLogin(const std::string& value) {
  if (HttpLogins::Parse(std::span(&value, 1)).ok()) return absl::OkStatus();
  return InvalidArgumentError("PREFIX=KIND:FILE, such as https://host/show/=bearer:/run/token");
}

absl::Status CheckEndpoint(const std::string& value) {
  const auto url = ParseUrl(value);
  if (url.ok() && url->scheme != "s3") return absl::OkStatus();
  return InvalidArgumentError("a URL like http://host:9000");
}

absl::Status CheckProxy(const std::string& value) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (value.starts_with(scheme) && value.size() > scheme.size()) return absl::OkStatus();
  }
  return InvalidArgumentError("a URL like http://proxy:3128");
}

absl::Status CheckNetwork(const std::string& value) {
  const auto parsed = NetworkPolicy::Parse({&value, 1});
  if (parsed.ok()) return absl::OkStatus();
  return InvalidArgumentError("a network like 10.0.0.0/8 (", Message(parsed.status()), ")");
}

absl::Status CheckNewFile(const std::string& value) {
  std::error_code ignored;
  const fs::path parent = fs::path(value).parent_path();
  if (!value.empty() && !fs::is_directory(value, ignored) &&
      (parent.empty() || fs::is_directory(parent, ignored))) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("the name of a file in an existing directory");
}

absl::Status CheckLogLevel(const std::string& value) {
  if (IsLogLevel(value)) return absl::OkStatus();
  return InvalidArgumentError("trace, debug, info, warn, error or off");
}

}  // namespace stagedoor::server
