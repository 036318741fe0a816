#include "resolver/path_map.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "base/windows_path.h"
#include "resolver/asset_path.h"

namespace stagedoor {
namespace {

std::string WithoutTrailingSlashes(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

// A path of Windows with '/' only.
std::string WithSlashes(std::string_view path) {
  std::string text(path);
  if (IsWindowsPath(path)) std::replace(text.begin(), text.end(), '\\', '/');
  return text;
}

// The form in which paths are compared: equal for paths that are the same on their system. It has
// the length of WithSlashes(path). Layers also write shares as "//server/share".
std::string Comparable(std::string_view path) {
  const std::string text = WithSlashes(path);
  return IsWindowsPath(path) || path.starts_with("//") ? AsciiLower(text) : text;
}

bool IsAtOrBelow(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

absl::StatusOr<PathMap> PathMap::Parse(std::span<const std::string> rules) {
  PathMap map;
  for (const std::string& text : rules) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return InvalidArgumentError(Quoted(text), " is not FROM=TO, as in Z:/show=/show");
    }
    const std::string_view from = std::string_view(text).substr(0, equals);
    const std::string to = text.substr(equals + 1);
    if (!from.starts_with('/') && !IsWindowsPath(from)) {
      return InvalidArgumentError(Quoted(text),
                                  ": what is mapped must be absolute, such as /show, "
                                  "Z:/show or \\\\server\\show");
    }
    if (!IsAbsoluteAssetPath(to)) {
      return InvalidArgumentError(Quoted(text),
                                  ": paths must be mapped to an absolute path or a URI");
    }
    Rule rule{WithoutTrailingSlashes(Comparable(from)), WithoutTrailingSlashes(to)};
    for (const Rule& other : map.rules_) {
      if (other.from == rule.from) {
        return InvalidArgumentError(Quoted(text), ": ", Quoted(from), " is mapped twice");
      }
    }
    map.rules_.push_back(std::move(rule));
  }
  std::sort(map.rules_.begin(), map.rules_.end(),
            [](const Rule& a, const Rule& b) { return a.from.size() > b.from.size(); });
  return map;
}

std::string PathMap::Apply(std::string_view path) const {
  if (!path.starts_with('/') && !IsWindowsPath(path)) return std::string(path);
  const std::string compared = Comparable(path);
  for (const Rule& rule : rules_) {
    if (!IsAtOrBelow(compared, rule.from)) continue;
    const std::string mapped = Concat(rule.to, WithSlashes(path).substr(rule.from.size()));
    return mapped.empty() ? "/" : mapped;
  }
  return std::string(path);
}

}  // namespace stagedoor
