#ifndef STAGEDOOR_BASE_WINDOWS_PATH_H_
#define STAGEDOOR_BASE_WINDOWS_PATH_H_

#include <string_view>

namespace stagedoor {

// Whether a path is an absolute one of Windows: on a drive ("Z:/show", "Z:\show"), or on a share
// ("\\server\share"). "//server/share" is not, because on other systems it is the same as
// "/server/share".
inline bool IsWindowsPath(std::string_view path) {
  if (path.starts_with("\\\\")) return true;
  if (path.size() < 3 || path[1] != ':' || (path[2] != '/' && path[2] != '\\')) return false;
  return (path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z');
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_WINDOWS_PATH_H_
