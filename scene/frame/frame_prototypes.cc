#include "scene/frame/frame_prototypes.h"

#include <utility>

#include "base/heap_costs.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"

namespace stagedoor {

absl::Status FramePrototypes::AddOf(uint32_t geometry,
                                    const std::function<bool(const Prim&)>& may_draw) {
  const Prim instancer = plan_.geometry[geometry].prim;
  const Relationship relationship = instancer.GetRelationship(Geom().prototypes);
  if (!relationship.valid()) return absl::OkStatus();
  std::vector<uint32_t> found;
  Pacer pacer(context_);
  // Not forwarded: as in OpenUSD, protoIndices refer to the targets themselves.
  for (const Path path : relationship.Targets(context_)) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Prim root = path.IsPrim() ? instancer.stage().FindPrim(path) : Prim();
    found.push_back(root.valid() && may_draw(root) ? IndexOf(root) : kNoIndex);
  }
  SD_RETURN_IF_ERROR(reserved_.Grow(found.size() * sizeof(uint32_t), "prototypes"));
  plan_.geometry[geometry].prototypes = std::move(found);
  return context_.Check();
}

uint32_t FramePrototypes::IndexOf(const Prim& root) {
  if (const uint32_t* known = known_.Find(root)) return *known;
  const auto index = static_cast<uint32_t>(plan_.prototypes.size());
  constexpr size_t kBytes = 2 * sizeof(FramePrototype) + 4 * sizeof(Prim) + kNodeBytes;
  reserved_.Grow(kBytes, "prototypes").IgnoreError();  // which ends the request
  known_.Add(root, index);
  const uint64_t hash = HashOfPath(root.PathText());
  path_hashes_.push_back(hash);
  instancers_.emplace_back();
  const FrameId id = ids_.Make(FrameObject::kPrim, ExtendHash(hash, hash));
  plan_.prototypes.push_back({.prim = root, .id = id});
  return index;
}

void FramePrototypes::Contains(uint32_t prototype, uint32_t geometry) {
  reserved_.Grow(2 * sizeof(uint32_t), "prototypes").IgnoreError();
  instancers_[prototype].push_back(geometry);
}

absl::Status FramePrototypes::BreakCycles() {
  // A depth-first search: an edge to a prototype on the current path closes a cycle.
  enum class Seen : uint8_t { kNot, kOnPath, kDone };
  struct Step {
    uint32_t prototype;
    size_t instancer = 0;
    size_t target = 0;
  };
  std::vector<Seen> seen(instancers_.size(), Seen::kNot);
  std::vector<Step> path;
  Pacer pacer(context_);
  for (uint32_t first = 0; first < instancers_.size(); ++first) {
    if (seen[first] == Seen::kNot) path.push_back({.prototype = first});
    seen[first] = path.empty() ? seen[first] : Seen::kOnPath;
    while (!path.empty()) {
      SD_RETURN_IF_ERROR(pacer.Step());
      Step& at = path.back();
      if (at.instancer == instancers_[at.prototype].size()) {
        seen[at.prototype] = Seen::kDone;
        path.pop_back();
        continue;
      }
      std::vector<uint32_t>& targets =
          plan_.geometry[instancers_[at.prototype][at.instancer]].prototypes;
      if (at.target == targets.size()) {
        ++at.instancer;
        at.target = 0;
        continue;
      }
      uint32_t& target = targets[at.target++];
      if (target == kNoIndex || seen[target] == Seen::kDone) continue;
      if (seen[target] == Seen::kOnPath) {
        target = kNoIndex;
        continue;
      }
      seen[target] = Seen::kOnPath;
      path.push_back({.prototype = target});
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
