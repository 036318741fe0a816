#include "server/stages/snapshot_fingerprint.h"

#include <set>
#include <utility>

#include "base/fingerprinter.h"

namespace stagedoor::server {

std::string SnapshotFingerprint(std::string_view cache_key, const Stage& stage) {
  // Sorted, because the order in which layers are met is not part of the content.
  std::set<std::pair<std::string_view, std::string_view>> layers;
  const auto used = stage.UsedLayers();
  for (const std::shared_ptr<const Layer>& layer : used) {
    layers.emplace(layer->info().identifier, layer->info().content_version);
  }
  Fingerprinter fingerprinter;
  fingerprinter.Add(cache_key);
  fingerprinter.Add(stage.options().resolver_context.fingerprint());  // with that of pin files
  for (const auto& [identifier, version] : layers) {
    fingerprinter.Add(identifier);
    fingerprinter.Add(version);
  }
  return fingerprinter.Finish();
}

}  // namespace stagedoor::server
