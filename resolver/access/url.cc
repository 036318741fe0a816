#include "resolver/access/url.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/ip_address.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUnreserved(char c) {
  return IsAlpha(c) || IsDigit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = ToLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte that "%XX" at `at` stands for, or -1.
int EncodedByte(std::string_view text, size_t at) {
  if (at + 2 >= text.size() || text[at] != '%') return -1;
  const int high = HexValue(text[at + 1]);
  const int low = HexValue(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void AppendEncoded(std::string& out, char c) {
  out += '%';
  out += kHexDigits[static_cast<uint8_t>(c) >> 4];
  out += kHexDigits[static_cast<uint8_t>(c) & 15];
}

// Percent-encodes what is neither unreserved nor in `legal`. "%XX" stays, with the digits in upper
// case, or is decoded if it stands for an unreserved character.
std::string NormalizeEncoding(std::string_view text, std::string_view legal) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (const int byte = EncodedByte(text, i); byte >= 0) {
      const char c = static_cast<char>(byte);
      if (IsUnreserved(c)) {
        out += c;
      } else {
        AppendEncoded(out, c);
      }
      i += 2;
    } else if (IsUnreserved(text[i]) || legal.find(text[i]) != std::string_view::npos) {
      out += text[i];
    } else {
      AppendEncoded(out, text[i]);
    }
  }
  return out;
}

// RFC 3986, 5.2.4, for a path that begins with '/'.
std::string RemoveDotSegments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool open = false;  // whether the path ends with '/'
  for (size_t at = 1; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view segment = path.substr(at, end - at);
    open = segment == "." || segment == "..";
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
    at = end + 1;
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  if (open || out.empty()) out += '/';
  return out;
}

bool HasDotSegment(std::string_view path) {
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find_first_of("/\\", at), path.size());
    std::string_view segment = path.substr(at, end - at);
    segment = segment.substr(0, segment.find(';'));  // some servers drop parameters
    if (segment == "." || segment == "..") return true;
    at = end + 1;
  }
  return false;
}

// Whether a server that decodes the path once more often than it should sees other components, or
// the end of a text.
bool IsAmbiguous(std::string path) {
  while (true) {
    if (HasDotSegment(path) || path.find('\0') != std::string::npos) return true;
    std::string decoded;
    for (size_t i = 0; i < path.size(); ++i) {
      const int byte = EncodedByte(path, i);
      decoded += byte < 0 ? path[i] : static_cast<char>(byte);
      if (byte >= 0) i += 2;
    }
    if (decoded.size() == path.size()) return false;
    path = std::move(decoded);
  }
}

absl::Status Invalid(std::string_view text, std::string_view why) {
  return InvalidArgumentError("cannot use the URL ", Quoted(UrlForMessage(text)), ": ", why);
}

// Returns why the host is wrong, or empty text.
std::string_view SetHost(Url& url, std::string_view host) {
  if (host.empty()) return "it has no host name";
  if (host.front() == '[') {
    const auto address = host.back() == ']' ? IpAddress::Parse(host.substr(1, host.size() - 2))
                                            : std::optional<IpAddress>();
    if (!address || host.find(':') == std::string_view::npos) {
      return "the brackets must enclose an IPv6 address";
    }
    url.host = address->ToString();
    return "";
  }
  if (host.back() == '.') host.remove_suffix(1);
  url.host = AsciiLower(host);
  if (url.host.size() > 253) return "the host name is too long";
  if (url.host.empty() || url.host.front() == '.' || url.host.find("..") != std::string::npos ||
      !std::all_of(url.host.begin(), url.host.end(), [](char c) {
        return IsAlpha(c) || IsDigit(c) || c == '-' || c == '.' || c == '_';
      })) {
    return "the host name may have letters, digits, '-', '_' and '.' only (write other names in "
           "their xn-- form)";
  }
  // A host that ends in a number is an address for libraries that read 127.1, 0x7f.1 or 2130706433.
  const std::string_view last = std::string_view(url.host).substr(url.host.rfind('.') + 1);
  const bool numeric = std::all_of(last.begin(), last.end(), IsDigit) ||
                       (last.size() > 1 && last.substr(0, 2) == "0x");
  if (numeric && !IpAddress::Parse(url.host)) {
    return "write an IPv4 address as four decimal numbers";
  }
  return "";
}

std::string_view SetAuthority(Url& url, std::string_view authority) {
  if (authority.find('@') != std::string_view::npos) {
    return "it must not have a user name or password";
  }
  const uint16_t standard = url.scheme == "https" ? 443 : 80;
  url.port = standard;
  const size_t port_at =
      authority.starts_with('[') ? authority.find(':', authority.find(']')) : authority.find(':');
  if (port_at != std::string_view::npos) {
    const std::string_view digits = authority.substr(port_at + 1);
    const auto port = ParseNumber<uint16_t>(digits);
    if (!digits.empty() && (!port || *port == 0)) return "the port must be a number up to 65535";
    if (port) url.port = *port;
  }
  return SetHost(url, authority.substr(0, port_at));
}

std::string_view SetPath(Url& url, std::string_view path, std::string_view query) {
  url.path = RemoveDotSegments(NormalizeEncoding(Concat("/", path), "/!$&'()*+,;=:@"));
  if (IsAmbiguous(url.path)) {
    return "its path has an encoded separator or NUL character beside '.' or '..'";
  }
  if (!query.empty()) url.query = NormalizeEncoding(query, "/!$&'()*+,;=:@?");
  return "";
}

std::string_view SetBucketAndKey(Url& url, std::string_view rest) {
  const size_t slash = std::min(rest.find('/'), rest.size());
  url.host = std::string(rest.substr(0, slash));
  if (url.host.empty() || url.host.size() > 255 || url.host.front() == '.' ||
      url.host.back() == '.' || url.host.find("..") != std::string::npos ||
      !std::all_of(url.host.begin(), url.host.end(), [](char c) {
        return IsAlpha(c) || IsDigit(c) || c == '-' || c == '.' || c == '_';
      })) {
    return "the bucket's name may have letters, digits, '-', '_' and '.' only";
  }
  url.path = RemoveDotSegments(Concat("/", rest.substr(std::min(slash + 1, rest.size()))));
  return "";
}

}  // namespace

std::string Url::HostHeader() const {
  std::string out = host.find(':') == std::string::npos ? host : Concat("[", host, "]");
  const bool standard = port == 0 || port == (scheme == "https" ? 443 : 80);
  return standard ? out : Concat(out, ":", port);
}

std::string Url::Origin() const { return Concat(scheme, "://", HostHeader()); }

absl::StatusOr<Url> ParseUrl(std::string_view text) {
  if (text.size() > kMaxUrlBytes) {
    return Invalid(text, Concat("it is longer than ", kMaxUrlBytes, " bytes"));
  }
  if (std::any_of(text.begin(), text.end(), IsAsciiControl)) {
    return Invalid(text, "it has a control character");
  }
  const size_t colon = text.find("://");
  Url url;
  if (colon != std::string_view::npos) url.scheme = AsciiLower(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https" && url.scheme != "s3") {
    return Invalid(text, "it must begin with http://, https:// or s3://");
  }
  std::string_view rest = text.substr(colon + 3);
  std::string_view why;
  if (url.scheme == "s3") {
    why = SetBucketAndKey(url, rest);
  } else if (rest.find('#') != std::string_view::npos) {
    why = "it has a fragment; write '#' in a file name as %23";
  } else {
    const size_t end = std::min(rest.find_first_of("/?"), rest.size());
    why = SetAuthority(url, rest.substr(0, end));
    rest.remove_prefix(end);
    const size_t question = std::min(rest.find('?'), rest.size());
    const std::string_view path = rest.substr(0, question);
    if (why.empty()) {
      why = SetPath(url, path.substr(path.empty() ? 0 : 1), rest.substr(question));
    }
  }
  if (!why.empty()) return Invalid(text, why);
  return url;
}

absl::StatusOr<Url> ParseUrlReference(const Url& base, std::string_view text) {
  text = text.substr(0, text.find('#'));
  // A scheme is there if the first of ":/?" is a colon.
  const size_t mark = text.find_first_of(":/?");
  if (mark != std::string_view::npos && text[mark] == ':') return ParseUrl(text);
  if (text.substr(0, 2) == "//") return ParseUrl(Concat(base.scheme, ":", text));
  if (text.empty()) return base;
  if (text.front() == '/') return ParseUrl(Concat(base.Origin(), text));
  if (text.front() == '?') return ParseUrl(Concat(base.Origin(), base.path, text));
  const std::string_view folder = std::string_view(base.path).substr(0, base.path.rfind('/') + 1);
  return ParseUrl(Concat(base.Origin(), folder, text));
}

std::string UrlForMessage(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos) {
    // Without a scheme, what stands before an '@' may still be a password.
    const size_t at = text.rfind('@');
    if (at != std::string_view::npos) text.remove_prefix(at + 1);
    return std::string(text.substr(0, text.find('?')));
  }
  const std::string_view scheme = text.substr(0, colon + 3);
  std::string_view rest = text.substr(colon + 3);
  const bool s3 = AsciiLower(scheme) == "s3://";  // the rest is the key, also after '?'
  if (!s3) rest = rest.substr(0, rest.find_first_of("?#"));
  std::string_view authority = rest.substr(0, rest.find_first_of("/\\"));
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    rest.remove_prefix(at + 1);
    authority.remove_prefix(at + 1);
  }
  // "user:pass/word@host": a password with a separator would be read as the port and the path.
  const size_t port = authority.rfind(':');
  if (port != std::string_view::npos && authority.find(']') == std::string_view::npos &&
      !ParseNumber<uint16_t>(authority.substr(port + 1))) {
    return Concat(scheme, "...");
  }
  return Concat(scheme, rest);
}

}  // namespace stagedoor
