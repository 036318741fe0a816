#ifndef STAGEDOOR_CLIENT_OPENUSD_ASSET_URI_H_
#define STAGEDOOR_CLIENT_OPENUSD_ASSET_URI_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace stagedoor::openusd {

// URIs of assets that are read through a daemon: this scheme, and the path as the daemon knows it,
// which may be a URI itself.
inline constexpr std::string_view kAssetScheme = "stagedoor-asset:";

inline std::string AssetUriOf(const std::string& path) { return std::string(kAssetScheme) + path; }

// The path of a URI; any other text as it is.
inline std::string PathOfAssetUri(const std::string& uri) {
  const bool has_scheme = uri.compare(0, kAssetScheme.size(), kAssetScheme) == 0;
  return has_scheme ? uri.substr(kAssetScheme.size()) : uri;
}

// The length of "scheme://" at the beginning of a path of the daemon; 0 without one.
inline size_t SchemeLength(const std::string& path) {
  const size_t end = path.find("://");
  return end == std::string::npos || path.find('/') < end ? 0 : end + 3;
}

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_ASSET_URI_H_
