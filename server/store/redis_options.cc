#include "server/store/redis_options.h"

#include <sys/un.h>

#include <algorithm>
#include <optional>

#include "base/ip_address.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kForms =
    "write redis://HOST:PORT, rediss://HOST:PORT (TLS) or redis+unix:/PATH";
constexpr size_t kMaxUrlBytes = 4096;
constexpr size_t kMaxHostBytes = 253;
constexpr size_t kMaxPrefixBytes = 100;
constexpr int kMostDatabase = 1'000'000;
constexpr int kMostConnections = 1000;

bool IsHostCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
         c == '-' || c == '_';
}

// Nothing if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> DecodePercents(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    decoded.push_back(static_cast<char>(value));
    i += 2;
  }
  return decoded;
}

// "[USER][:PASSWORD]". No message shows any of it.
absl::Status ParseUser(std::string_view text, RedisOptions& options) {
  if (text.find_first_of("@/?#") != std::string_view::npos) {
    return InvalidArgumentError(
        "the user name or password of a Redis URL has a character that must be percent-encoded: "
        "write %40 for '@', %2F for '/', %3F for '?' and %23 for '#'");
  }
  const size_t colon = text.find(':');
  std::optional<std::string> user = DecodePercents(text.substr(0, colon));
  std::optional<std::string> password =
      colon == std::string_view::npos ? std::string() : DecodePercents(text.substr(colon + 1));
  if (!user.has_value() || !password.has_value()) {
    return InvalidArgumentError(
        "the user name or password of a Redis URL has a '%' without two hexadecimal digits; "
        "write %25 for '%'");
  }
  options.user = *std::move(user);
  options.password = *std::move(password);
  return absl::OkStatus();
}

absl::Status ParseHost(std::string_view host, bool in_brackets, RedisOptions& options) {
  if (host.empty()) return InvalidArgumentError("a Redis URL has no host; ", kForms);
  if (in_brackets) {
    const std::optional<IpAddress> address = IpAddress::Parse(host);
    if (!address.has_value() || host.find(':') == std::string_view::npos) {
      return InvalidArgumentError("the host ", Quoted(host),
                                  " of a Redis URL is not an IPv6 address");
    }
  } else if (host.size() > kMaxHostBytes || !std::ranges::all_of(host, IsHostCharacter)) {
    return InvalidArgumentError("the host ", Quoted(host),
                                " of a Redis URL is not a name or an IP address; an IPv6 address "
                                "must be in brackets");
  }
  options.host = host;
  return absl::OkStatus();
}

absl::Status ParsePort(std::string_view text, RedisOptions& options) {
  const std::optional<uint16_t> port = ParseNumber<uint16_t>(text);
  if (!port.has_value() || *port == 0) {
    return InvalidArgumentError("the port ", Quoted(text),
                                " of a Redis URL is not a number from 1 to 65535");
  }
  options.port = *port;
  return absl::OkStatus();
}

// "HOST[:PORT]"
absl::Status ParseHostAndPort(std::string_view text, RedisOptions& options) {
  std::string_view rest;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) {
      return InvalidArgumentError("the host of a Redis URL has a '[' without ']'");
    }
    SD_RETURN_IF_ERROR(ParseHost(text.substr(1, end - 1), true, options));
    rest = text.substr(end + 1);
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    SD_RETURN_IF_ERROR(ParseHost(text.substr(0, colon), false, options));
    rest = text.substr(colon);
  }
  if (rest.empty()) return absl::OkStatus();
  if (!rest.starts_with(':')) {
    return InvalidArgumentError("a Redis URL has ", Quoted(rest), " after the host; ", kForms);
  }
  return ParsePort(rest.substr(1), options);
}

absl::Status ParseDatabase(std::string_view text, RedisOptions& options) {
  const std::optional<int> database = ParseNumber<int>(text);
  if (!database.has_value() || *database < 0 || *database > kMostDatabase) {
    return InvalidArgumentError("the database ", Quoted(text),
                                " of a Redis URL is not a number from 0 to ", kMostDatabase);
  }
  options.database = *database;
  return absl::OkStatus();
}

// Parses the part of the URL that follows "redis://".
absl::Status ParseServer(std::string_view text, RedisOptions& options) {
  const size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    SD_RETURN_IF_ERROR(ParseUser(text.substr(0, at), options));
    text.remove_prefix(at + 1);
  }
  if (text.find_first_of("?#") != std::string_view::npos) {
    return InvalidArgumentError("a Redis URL must not have a query or a fragment; ", kForms);
  }
  const size_t slash = std::min(text.find('/'), text.size());
  SD_RETURN_IF_ERROR(ParseHostAndPort(text.substr(0, slash), options));
  if (text.size() <= slash + 1) return absl::OkStatus();
  return ParseDatabase(text.substr(slash + 1), options);
}

absl::Status CheckRange(std::string_view what, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return InvalidArgumentError("the ", what, " of the Redis store must be from ", least, " to ",
                              most, ", not ", value);
}

}  // namespace

std::string RedisOptions::Address() const {
  if (!socket_path.empty()) return Concat("redis+unix:", socket_path);
  const bool is_v6 = host.find(':') != std::string::npos;
  return Concat(tls ? "rediss://" : "redis://", is_v6 ? "[" : "", host, is_v6 ? "]:" : ":", port);
}

absl::StatusOr<RedisOptions> ParseRedisUrl(std::string_view url) {
  if (url.size() > kMaxUrlBytes) {
    return InvalidArgumentError("a Redis URL has ", url.size(), " bytes, more than ", kMaxUrlBytes);
  }
  // Strings with zeros would be truncated where they are passed to the system.
  if (url.find('\0') != std::string_view::npos) {
    return InvalidArgumentError("a Redis URL must not have a zero byte");
  }
  RedisOptions options;
  const auto skip = [&url](std::string_view scheme) {
    const bool skipped = url.starts_with(scheme);
    if (skipped) url.remove_prefix(scheme.size());
    return skipped;
  };
  if (skip("redis+unix:")) {
    options.socket_path = url;
  } else if (skip("rediss://")) {
    options.tls = true;
    SD_RETURN_IF_ERROR(ParseServer(url, options));
  } else if (skip("redis://")) {
    SD_RETURN_IF_ERROR(ParseServer(url, options));
  } else {
    return InvalidArgumentError("a Redis URL begins with another scheme; ", kForms);
  }
  // The rest of the options may depend on what the caller sets next, such as the password.
  if (options.host.empty() && !options.socket_path.starts_with('/')) {
    return InvalidArgumentError("the path of a Redis URL must be absolute; ", kForms);
  }
  return options;
}

absl::Status CheckRedisOptions(const RedisOptions& options) {
  if (options.host.empty() == options.socket_path.empty()) {
    return InvalidArgumentError("the Redis store needs either a host or the path of a Unix socket");
  }
  constexpr size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;
  if (options.socket_path.size() > kMaxPathBytes) {
    return InvalidArgumentError("the path of the Redis server's socket has more than ",
                                kMaxPathBytes, " bytes");
  }
  if (!options.user.empty() && options.password.empty()) {
    return InvalidArgumentError("a Redis user is set without a password; set the password as well");
  }
  const bool has_certificates = !options.ca_file.empty() || !options.certificate_file.empty();
  if (has_certificates && !options.tls) {
    return InvalidArgumentError(
        "certificates for Redis are set, but its URL does not use TLS; write rediss://");
  }
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return InvalidArgumentError(
        "the certificate and the key of the Redis client must be set together");
  }
  if (options.key_prefix.size() > kMaxPrefixBytes) {
    return InvalidArgumentError("the key prefix of the Redis store has more than ", kMaxPrefixBytes,
                                " bytes");
  }
  constexpr int64_t kHour = 3'600'000;
  constexpr int64_t kGigabyte = int64_t{1} << 30;
  SD_RETURN_IF_ERROR(
      CheckRange("connect timeout in milliseconds", options.connect_timeout.count(), 1, kHour));
  SD_RETURN_IF_ERROR(
      CheckRange("operation timeout in milliseconds", options.operation_timeout.count(), 1, kHour));
  SD_RETURN_IF_ERROR(
      CheckRange("number of connections", options.max_connections, 1, kMostConnections));
  return CheckRange("longest reply in bytes", static_cast<int64_t>(options.max_reply_bytes), 4096,
                    kGigabyte);
}

}  // namespace stagedoor::server
