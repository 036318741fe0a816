#include "tests/tools/frame_references.h"

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor {
namespace {

using Kind = HeldPartKind;
using Key = HeldPartKey;

constexpr uint64_t kAllLights = 1;  // the set of that ID need not be sent

bool IsOfGeometry(Kind kind) {
  return kind == Kind::kGeometry || kind == Kind::kFields || kind == Kind::kInstances ||
         kind == Kind::kValue;
}

// Follows all references from objects to others.
class References {
 public:
  References(HeldParts* parts, bool without_invisible)
      : parts_(*parts), without_invisible_(without_invisible) {}

  std::vector<std::string> Run() {
    for (const auto& [key, bytes] : parts_) Follow(Parsed(bytes));
    std::erase_if(parts_, [&](const auto& part) {
      return part.first.kind == Kind::kSubset && !IsSubsetOfPrim(Parsed(part.second));
    });
    std::erase_if(parts_, [&](const auto& part) { return IsUnused(part.first); });
    for (const auto& [key, kind] : used_) {
      if (!parts_.contains({key, kind, ""})) {
        Problem(Concat("there is no object ", key, " of kind ", static_cast<int>(kind)));
      }
    }
    for (const auto& [key, bytes] : parts_) CheckOwner(key);
    return std::move(problems_);
  }

 private:
  void Problem(std::string text) { problems_.push_back(std::move(text)); }

  v1::ExtractFrameResponse Parsed(const std::string& bytes) {
    v1::ExtractFrameResponse part;
    if (!part.ParseFromString(bytes)) Problem("a part cannot be parsed");
    return part;
  }

  // Notes a reference. 0 is no object.
  void Use(uint64_t id, Kind kind) {
    if (id != 0) used_.insert({id, kind});
  }
  void UseSet(uint64_t id) {
    if (id != kAllLights) Use(id, Kind::kLightSet);
  }

  void Follow(const v1::ExtractFrameResponse& part) {
    if (part.has_prims()) Prim(part.prims());
    for (const v1::FrameLight& light : part.lights()) Light(light);
    for (const v1::FrameLightSet& set : part.light_sets()) {
      for (const uint64_t light : set.lights()) Use(light, Kind::kLight);
    }
  }

  void Prim(const v1::FramePrims& prim) {
    Use(prim.materials(0), Kind::kMaterial);
    UseSet(prim.light_sets(0));
    UseSet(prim.shadow_sets(0));
    Use(prim.geometry(0), Kind::kGeometry);
  }

  void Light(const v1::FrameLight& light) {
    Use(light.material(), Kind::kMaterial);
    if (!without_invisible_) Use(light.prim(), Kind::kPrim);
    for (const uint64_t filter : light.filters()) Use(filter, Kind::kLight);
    for (const uint64_t portal : light.portals()) Use(portal, Kind::kLight);
  }

  bool IsSubsetOfPrim(const v1::ExtractFrameResponse& part) {
    const v1::FrameSubset& subset = part.subsets(0);
    if (!parts_.contains({subset.prim(), Kind::kPrim, ""})) return false;
    Use(subset.material(), Kind::kMaterial);
    return true;
  }

  bool IsUnused(const Key& key) const {
    if (IsOfGeometry(key.kind)) return !used_.contains({key.id, Kind::kGeometry});
    return key.kind == Kind::kMaterial && !used_.contains({key.id, key.kind});
  }

  // Visibility and transforms belong to prims and lights, which have both, and so on.
  void CheckOwner(const Key& key) {
    const auto has = [&](Kind kind) { return parts_.contains({key.id, kind, ""}); };
    if (key.kind == Kind::kVisibility || key.kind == Kind::kTransform) {
      if (!has(Kind::kPrim) && !has(Kind::kLight)) Problem(Concat(key.id, " is not a prim"));
    } else if (key.kind == Kind::kPrim || key.kind == Kind::kLight) {
      if (!has(Kind::kVisibility)) Problem(Concat(key.id, " has no visibility"));
      if (!has(Kind::kTransform)) Problem(Concat(key.id, " has no transform"));
      if (has(Kind::kPrim) && has(Kind::kLight)) Problem(Concat(key.id, " is two objects"));
    } else if (key.kind == Kind::kLightSet && !used_.contains({key.id, key.kind})) {
      const bool may_be_unused = key.id == kAllLights || without_invisible_;
      if (!may_be_unused) Problem(Concat("nothing has the light set ", key.id));
    } else if (IsOfGeometry(key.kind) && !has(Kind::kGeometry)) {
      Problem(Concat("the geometry ", key.id, " does not exist"));
    }
  }

  HeldParts& parts_;
  const bool without_invisible_;
  std::set<std::pair<uint64_t, Kind>> used_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> DropUnused(HeldParts* parts, bool without_invisible) {
  return References(parts, without_invisible).Run();
}

}  // namespace stagedoor
