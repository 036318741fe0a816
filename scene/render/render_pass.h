#ifndef STAGEDOOR_SCENE_RENDER_RENDER_PASS_H_
#define STAGEDOOR_SCENE_RENDER_RENDER_PASS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/collection.h"
#include "scene/stage/prim.h"
#include "scene/stage/rule_regions.h"
#include "scene/values/array.h"
#include "scene/values/asset_path.h"

namespace stagedoor {

// The passes of renders that consist of several. Correspond to OpenUSD's UsdRenderPass.

// Values are those at default time.
struct RenderPass {
  Token type;                  // passType
  Array<std::string> command;  // the program that renders, and its arguments
  AssetPath file_name;         // where `sources` is, if it is not in the stage
  std::vector<Path> sources;   // the forwarded targets of renderSource: RenderSettings and others
  std::vector<Path> inputs;    // the forwarded targets of inputPasses
};

// The RenderPass prims of a stage that are active, loaded, defined and not abstract, depth first.
// Incomplete once the request is over.
std::vector<Prim> ListRenderPasses(RequestContext& context, const Stage& stage);

// `pass` must be a RenderPass (Prim::IsA).
RenderPass ReadRenderPass(RequestContext& context, const Prim& pass);

// Finds which prims belong to the collections of a pass. Valid as long as the stage. Not
// thread-safe.
class RenderPassMembership {
 public:
  // The names of the collections, in the order of their bits.
  static constexpr std::array<std::string_view, 4> kCollections = {
      "renderVisibility", "cameraVisibility", "prune", "matte"};

  RenderPassMembership(RequestContext& context, const Prim& pass);

  // The bit 1 << i is set if the prim is in collection i. Meaningless once the request is over.
  uint8_t Find(Path prim);
  // As above. Creates paths of instance proxies only if a collection has rules below their
  // instance, or a membership expression.
  uint8_t Find(const Prim& prim);

 private:
  Pacer pacer_;
  Reservation reserved_;
  std::vector<CollectionMembershipQuery> queries_;
  bool has_expressions_ = false;
  RuleRegions regions_;
  std::map<RuleRegions::Region, uint8_t> members_by_region_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_RENDER_RENDER_PASS_H_
