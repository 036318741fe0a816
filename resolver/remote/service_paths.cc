#include "resolver/remote/service_paths.h"

#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "resolver/remote/service_connection.h"
#include "resolver/resolver.h"

namespace stagedoor {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

absl::Status CheckServicePath(std::string_view path) {
  SD_RETURN_IF_ERROR(CheckAssetPath(path));
  if (IsValidUtf8(path)) return absl::OkStatus();
  return InvalidArgumentError("the asset path is not UTF-8, which a resolver service needs: ",
                              Quoted(path));
}

bool SameScheme(std::string_view a, std::string_view b) {
  return EqualIgnoringCase(UriScheme(a), UriScheme(b));
}

bool IsPossibleIdentifier(std::string_view scheme, std::string_view asset_path,
                          std::string_view identifier) {
  if (scheme.empty() || EqualIgnoringCase(UriScheme(identifier), scheme)) return true;
  return identifier == asset_path || identifier == NormalizeAssetPath(asset_path);
}

size_t FittingServiceItems(std::span<const std::string> paths) {
  size_t count = 0, bytes = 0;
  while (count < paths.size() && count < kMaxServiceItems) {
    bytes += paths[count].size();
    if (count > 0 && bytes > kMaxServiceItemBytes) break;
    ++count;
  }
  return count;
}

}  // namespace stagedoor
