#include "resolver/http/http_validators.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/fingerprinter.h"
#include "base/status.h"
#include "resolver/http/http_message.h"

namespace stagedoor {
namespace {

constexpr std::string_view kContentPrefix = "c-";

AssetVersion Fingerprinted(std::string_view kind, std::string_view first, std::string_view second,
                           uint64_t size) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(first);
  fingerprinter.Add(second);
  fingerprinter.Add(Concat(size));
  return AssetVersion(Concat(kind, fingerprinter.Finish()));
}

// A hexadecimal number; none for anything else.
std::optional<uint64_t> HexNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

// Whether two numbers of an ETag are the size and the modification time, in seconds or, as Apache
// has it, in microseconds. `seconds` is that of Last-Modified, if there is one.
bool AreSizeAndTime(uint64_t number, uint64_t time, uint64_t size, std::optional<int64_t> seconds) {
  constexpr uint64_t kMicroseconds = 1000000;
  if (number != size) return false;
  if (!seconds) return true;
  const auto date = static_cast<uint64_t>(*seconds);
  return time == date || time / kMicroseconds == date;
}

// Whether an ETag only repeats the size and the modification time: "time-size" (nginx, lighttpd and
// others), "size-time" or "inode-size-time" (Apache), all hexadecimal.
bool IsMadeOfTime(std::string_view quoted, std::string_view date, uint64_t size) {
  if (quoted.size() < 2) return false;
  std::vector<uint64_t> numbers;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(quoted.data() + 1, quoted.size() - 2), '-')) {
    const auto number = HexNumber({part.data(), part.size()});
    if (!number || numbers.size() == 3) return false;
    numbers.push_back(*number);
  }
  if (numbers.size() < 2) return false;
  const auto last_modified = ParseHttpDate(date);
  const auto seconds = last_modified
                           ? std::optional<int64_t>(last_modified->time_since_epoch().count())
                           : std::nullopt;
  const uint64_t a = numbers[numbers.size() - 2];
  const uint64_t b = numbers.back();
  return AreSizeAndTime(a, b, size, seconds) ||
         (numbers.size() == 2 && AreSizeAndTime(b, a, size, seconds));
}

}  // namespace

ObjectInfo IdentifyByValidators(const HttpHeaders& headers, uint64_t size) {
  ObjectInfo info;
  info.size = size;
  std::optional<EntityTag> tag;
  if (const auto value = headers.Find("ETag")) tag = ParseEntityTag(*value);
  std::string_view date = headers.Find("Last-Modified").value_or("");
  if (!ParseHttpDate(date)) date = "";
  if (tag) {
    info.version = tag->weak ? Fingerprinted("w-", tag->quoted, date, size)
                             : Fingerprinted("e-", tag->quoted, "", size);
    info.handle = Concat("E", tag->weak ? "W/" : "", tag->quoted);
    info.by_time = IsMadeOfTime(tag->quoted, date, size);
  } else if (!date.empty()) {
    info.version = Fingerprinted("m-", date, "", size);
    info.handle = Concat("M", date);
    info.by_time = true;
  }
  if (info.handle.size() > kMaxHandleBytes) info.handle.clear();
  return info;
}

AssetVersion VersionOfContent(std::string_view content) {
  return AssetVersion(Concat(kContentPrefix, FingerprintOf(content)));
}

bool IsVersionOfContent(const AssetVersion& version) {
  return version.token().starts_with(kContentPrefix);
}

void AddIfChanged(const ObjectInfo& known, HttpRequest* request) {
  if (known.handle.starts_with('E')) {
    request->headers.push_back({"If-None-Match", known.handle.substr(1)});
  } else if (known.handle.starts_with('M')) {
    request->headers.push_back({"If-Modified-Since", known.handle.substr(1)});
  }
}

void AddIfUnchanged(const ObjectInfo& info, HttpRequest* request) {
  if (info.handle.starts_with("E\"")) {
    request->headers.push_back({"If-Match", info.handle.substr(1)});
  }
}

absl::Status CheckNotEncoded(const HttpHeaders& headers) {
  static constexpr std::array<std::string_view, 7> kCompressions = {
      "gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"};
  const auto encoding = headers.Find("Content-Encoding");
  if (!encoding ||
      std::find(kCompressions.begin(), kCompressions.end(), *encoding) == kCompressions.end()) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("the server sends it compressed (", *encoding,
                              "), although only uncompressed bytes are accepted");
}

}  // namespace stagedoor
