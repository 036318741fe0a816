#include "client/cc/daemon_address.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

// The advice for an invalid address: empty if none is known, nothing if the address is valid.
using Problem = std::optional<std::string>;

constexpr char kBrackets[] = "an IPv6 address is in brackets, as in '[::1]:50051'";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsOutOfPlace(char c) {
  return static_cast<unsigned char>(c) <= ' ' ||
         std::string_view("@?#,\x7f").find(c) != std::string_view::npos;
}

bool IsZoneCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

// Whether it looks like "[fe80::1]" or "[fe80::1%eth0]".
bool IsBracketed(std::string_view host) {
  if (host.size() < 3 || !host.starts_with('[') || !host.ends_with(']')) return false;
  host = host.substr(1, host.size() - 2);
  const size_t percent = std::min(host.find('%'), host.size());
  const std::string_view number = host.substr(0, percent);
  const std::string_view zone = host.substr(percent);
  return !number.empty() && zone.size() != 1 &&
         std::all_of(number.begin(), number.end(),
                     [](char c) {
                       return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == ':' ||
                              c == '.';
                     }) &&
         std::all_of(zone.begin() + (zone.empty() ? 0 : 1), zone.end(), IsZoneCharacter);
}

bool HasPort(std::string_view host) {
  const size_t bracket = host.rfind(']');
  return host.substr(bracket == std::string_view::npos ? 0 : bracket).find(':') !=
         std::string_view::npos;
}

Problem ProblemOf(const std::string& address);

// That of a URL, or of an address with something after a slash.
Problem ProblemOfUrl(const std::string& address) {
  const size_t separator = address.rfind("://");
  const bool has_scheme = separator != std::string::npos;
  const std::string scheme = has_scheme ? address.substr(0, separator) : "";
  std::string host = has_scheme ? address.substr(separator + 3) : address;
  host.erase(0, std::min(host.find_first_not_of('/'), host.size()));
  host.erase(std::min(host.find('/'), host.size()));
  const Problem found = ProblemOf(host);
  if (host.empty() || scheme.find("://") != std::string::npos) return "";
  if (found.has_value() && HasPort(host)) return "";
  std::string advice = Concat("write '", host, found.has_value() ? ":PORT'" : "'");
  if (scheme == "https" || scheme == "grpcs") advice += ", and connect with TLS";
  return advice;
}

Problem ProblemOfPort(std::string_view host, std::string_view port) {
  if (host.empty()) {
    return port.empty() ? "" : Concat("it lacks a host, as in 'localhost:", port, "'");
  }
  const bool number = port.size() <= 5 && std::all_of(port.begin(), port.end(), IsDigit);
  if (number && ParseNumber<uint16_t>(port).value_or(0) != 0) return std::nullopt;
  return "the port must be a number from 1 to 65535";
}

Problem ProblemOf(const std::string& address) {
  if (address.starts_with('/')) return Concat("write 'unix:", address, "'");
  if (address.find('/') != std::string::npos) return ProblemOfUrl(address);
  if (address.empty() || address == "unix:" ||
      std::any_of(address.begin(), address.end(), IsOutOfPlace)) {
    return "";
  }
  const size_t colon = address.rfind(':');
  const std::string_view host =
      std::string_view(address).substr(0, colon == std::string::npos ? 0 : colon);
  if (address.starts_with('[')) {
    if (address.ends_with(']')) return Concat("it lacks a port, as in '", address, ":50051'");
    if (!IsBracketed(host)) return kBrackets;
  } else if (host.find(':') != std::string_view::npos) {
    return kBrackets;
  }
  if (colon != std::string::npos) return ProblemOfPort(host, address.substr(colon + 1));
  if (std::all_of(address.begin(), address.end(), IsDigit)) {
    return Concat("it lacks a host, as in 'localhost:", address, "'");
  }
  return Concat("it lacks a port, as in '", address, ":50051'");
}

}  // namespace

absl::Status CheckDaemonAddress(const std::string& address) {
  if (address.starts_with("unix:") && address.size() > 5) return absl::OkStatus();
  const Problem problem = ProblemOf(address);
  if (!problem.has_value()) return absl::OkStatus();
  return InvalidArgumentError("the address of the daemon must be HOST:PORT or unix:PATH, not ",
                              Quoted(address), problem->empty() ? "" : "; ", *problem);
}

std::vector<std::string> SplitAddresses(const std::string& list) {
  constexpr const char* kSpaces = " \t";
  std::vector<std::string> addresses;
  std::istringstream rest(list);
  for (std::string item; std::getline(rest, item, ',');) {
    const size_t begin = item.find_first_not_of(kSpaces);
    if (begin == std::string::npos) continue;
    addresses.push_back(item.substr(begin, item.find_last_not_of(kSpaces) + 1 - begin));
  }
  return addresses;
}

HostAndPort SplitAddress(const std::string& address) {
  const size_t colon = std::min(address.rfind(':'), address.size());
  HostAndPort parts = {address.substr(0, colon), ""};
  if (colon < address.size()) parts.port = address.substr(colon + 1);
  if (parts.host.starts_with('[') && parts.host.ends_with(']')) {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  }
  return parts;
}

}  // namespace stagedoor
