#include "resolver/http/http_validators.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "resolver/http/http_fields.h"

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
  } else if (!date.empty()) {
    info.version = Fingerprinted("m-", date, "", size);
    info.handle = Concat("M", date);
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
