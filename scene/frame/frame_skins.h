#ifndef STAGEDOOR_SCENE_FRAME_FRAME_SKINS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_SKINS_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/prim_traits.h"
#include "scene/skel/skin_set.h"
#include "scene/skel/skinning_target.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Where a walk is among SkelRoots, as SkinWalk defines it: the outermost SkelRoot finds the skinned
// prims below it, down to prims that are skinnable or not imageable.
struct SkinScope {
  uint32_t roots = 0;     // the SkelRoots that the walk has entered
  bool is_found = false;  // whether the last of them finds the prims below
};

// Lets a skin move a place as a whole. Errors: those of the context.
absl::Status AddRigidSkin(RequestContext& context, const SkinningTarget& skin, FramePlace* place,
                          std::vector<SkinningTarget>* rigid_skins);

// Finds the skins of prims during a walk, depth first. Not thread-safe.
class FrameSkins {
 public:
  explicit FrameSkins(RequestContext& context) : context_(context), reserved_(context) {}

  // The scope below `prim`, for that at the prim. Errors: those of the context.
  absl::Status Enter(const SkinScope& at, const Prim& prim, const TypeTraits& type,
                     SkinScope* below);
  // The skin of a prim with a valid skeleton; nothing if it has none.
  std::optional<SkinningTarget> Find(const SkinScope& at, const Prim& prim) const;

  // A number for what deforms a prim, so that instance proxies of a prim whose skins have the same
  // number have equal points. 0 for a skin that no other one is like.
  uint32_t NumberOf(const SkinningTarget& skin);

 private:
  using Parts = std::array<const PrimData*, 7>;

  RequestContext& context_;
  Reservation reserved_;
  std::vector<std::pair<Prim, std::shared_ptr<const SkinSet>>> roots_;
  std::map<Parts, uint32_t> numbers_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_SKINS_H_
