#include "resolver/remote/resolver_service_options.h"

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "resolver/asset_path.h"

namespace stagedoor {

absl::Status CheckServiceAddress(std::string_view address) {
  if (address.starts_with("unix:") && address.size() > 5) return absl::OkStatus();
  // gRPC would accept any name, and use port 443 if none is given.
  const size_t colon = address.rfind(':');
  if (colon != std::string_view::npos && colon != 0 &&
      ParseNumber<uint16_t>(address.substr(colon + 1)).value_or(0) != 0) {
    return absl::OkStatus();
  }
  return InvalidArgumentError(
      "the address of a resolver service must be HOST:PORT or unix:PATH, not ", Quoted(address));
}

absl::Status CheckServiceScheme(std::string_view scheme) {
  if (scheme.empty()) return absl::OkStatus();
  bool lower = UriScheme(Concat(scheme, "://")) == scheme;
  for (const char c : scheme) lower = lower && !(c >= 'A' && c <= 'Z');
  if (lower) return absl::OkStatus();
  return InvalidArgumentError(
      "the scheme of a resolver service must be the part of its URIs before ://, in lower case "
      "(asset), not ",
      Quoted(scheme));
}

}  // namespace stagedoor
