#include "client/sdk/stage_changes.h"

#include <algorithm>

namespace stagedoor::sdk {
namespace {

// Whether `path` is `root`, or below it.
bool IsAtOrBelow(std::string_view path, std::string_view root) {
  if (root == "/") return true;
  if (!path.starts_with(root)) return false;
  return path.size() == root.size() || path[root.size()] == '/' || path[root.size()] == '.';
}

}  // namespace

bool StageChanges::Affects(std::string_view path) const {
  return changed_info.contains(path) ||
         std::any_of(resynced_paths.begin(), resynced_paths.end(),
                     [&](const std::string& root) { return IsAtOrBelow(path, root); });
}

}  // namespace stagedoor::sdk
