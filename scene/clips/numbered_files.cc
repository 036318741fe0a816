#include "scene/clips/numbered_files.h"

#include <vector>

#include "resolver/asset_path.h"

namespace stagedoor {

bool NumberedFiles::Exists(const std::string& name) const {
  const std::string identifier = registry_.Identify(context_, resolver_context_, name, &anchor_);
  return registry_.resolver().Resolve(context_, resolver_context_, identifier).ok();
}

void NumberedFiles::Announce(std::span<const std::string> names) const {
  std::vector<std::string> remote;
  for (const std::string& name : names) {
    // Search paths are looked for while they are identified, one after the other.
    if (IsSearchAssetPath(name)) return;
    std::string identifier = registry_.Identify(context_, resolver_context_, name, &anchor_);
    if (UriScheme(identifier).empty()) return;
    remote.push_back(std::move(identifier));
  }
  // The backend remembers the versions, or that there is none, for the look-ups that follow.
  (void)registry_.resolver().GetVersions(context_, resolver_context_, remote);
}

}  // namespace stagedoor
