#include "scene/frame/frame_own_xforms.h"

#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_motion.h"
#include "scene/geom/xform_query.h"
#include "scene/skel/skin_motion.h"
#include "scene/stage/stage.h"

namespace stagedoor {

absl::Status FrameOwnXforms::WriteAncestors(const FramePrim& row) {
  const Prim& root = work_.source.plan.prototypes[row.prototype].prim;
  if (row.prim == root) return absl::OkStatus();
  chain_.clear();
  for (Prim at = row.prim.parent(); at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (written_.Find(at)) break;
    chain_.push_back(at);
    if (at == root) break;
  }
  for (; !chain_.empty(); chain_.pop_back()) {
    const Prim at = chain_.back();
    // Rows come in stage order, so those above this one are written.
    if (prototypes_.Has(at)) continue;
    SD_RETURN_IF_ERROR(Write(work_.specs.Place(at), at, nullptr));
  }
  return context_.Check();
}

absl::Status FrameOwnXforms::WriteRow(SpecId spec, const FramePrim& row) {
  return Write(spec, row.prim, &row);
}

absl::Status FrameOwnXforms::Write(SpecId spec, const Prim& prim, const FramePrim* row) {
  if (written_.Find(prim)) return absl::OkStatus();
  SD_RETURN_IF_ERROR(reserved_.Grow(kPrimMapBytes, "prims of prototypes"));
  written_.Add(prim, true);
  if (row == nullptr) work_.of_prototypes.insert(spec);
  bool resets = false;
  SampledXform xform;
  if (row != nullptr && row->rigid_skin != kNoIndex) {
    SD_ASSIGN_OR_RETURN(xform, SampleRigid(*row));
  } else {
    SD_ASSIGN_OR_RETURN(xform, SampleLocal(prim, &resets));
  }
  const bool moves = xform.matrices.size() > 1 || !(xform.matrices[0] == Matrix4d::Identity());
  if (moves || resets) {
    work_.specs.AddTransform(spec, xform.times, std::move(xform.matrices), resets);
  }
  return context_.Check();
}

absl::StatusOr<SampledXform> FrameOwnXforms::SampleLocal(const Prim& prim, bool* resets) {
  XformTable& table = XformTable::Of(prim.stage());
  SampledXform xform;
  SD_ASSIGN_OR_RETURN(xform.times, work_.sampler.SamplesOf([&](MotionTimes* found) {
    std::optional<XformQuery> own;
    return table.Find(context_, prim, &own).AddSources(context_, prim, found);
  }));
  for (const TimeCode time : xform.times) {
    xform.matrices.push_back(LocalTransform(context_, table, prim, time, resets));
  }
  return xform;
}

// The transform of a prim that its skin moves as a whole.
absl::StatusOr<SampledXform> FrameOwnXforms::SampleRigid(const FramePrim& row) {
  const SkinningTarget& skin = work_.source.plan.rigid_skins[row.rigid_skin];
  SampledXform xform;
  SD_ASSIGN_OR_RETURN(xform.times, work_.sampler.SamplesOf([&](MotionTimes* found) {
    return AddSkinMotion(context_, skin, {.points = false, .normals = false}, found);
  }));
  for (const TimeCode time : xform.times) {
    const SkinResult result =
        skin.Deform(context_, work_.sampler.PosesAt(time),
                    {.points = false, .normals = false, .blend_shapes = false});
    const Matrix4d own =
        LocalTransform(context_, XformTable::Of(row.prim.stage()), row.prim, time, nullptr);
    xform.matrices.push_back(result.xform.value_or(own));
  }
  return xform;
}

absl::Status FrameOwnXforms::WritePrototypes() {
  const std::vector<FramePrototype>& all = work_.source.plan.prototypes;
  for (size_t i = 0; i < all.size(); ++i) {
    SD_RETURN_IF_ERROR(context_.Spend(1));
    if (!prototypes_.IsUsed(i)) continue;
    const Prim& root = all[i].prim;
    SD_RETURN_IF_ERROR(Write(work_.specs.Place(root), root, nullptr));
    if (prototypes_.IsOver(i)) work_.specs.MakeOver(root);
    if (!prototypes_.IsDrawnInPlace(i)) continue;
    SD_RETURN_IF_ERROR(WritePlaceOf(root));
    SD_RETURN_IF_ERROR(WriteInvisibleAbove(root));
  }
  return context_.Check();
}

// Gives the closest prim above a root that can have one its transform to world space.
absl::Status FrameOwnXforms::WritePlaceOf(const Prim& root) {
  Prim above = root.parent();
  while (above.valid() && !above.IsPseudoRoot() && !above.IsA(Geom().Xformable)) {
    SD_RETURN_IF_ERROR(context_.Spend(1));
    above = above.parent();
  }
  // A prim that is drawn has a transform to world space.
  if (!above.valid() || above.IsPseudoRoot() || work_.specs.IsDefined(above)) {
    return absl::OkStatus();
  }
  if (written_.Find(above)) return absl::OkStatus();
  SampledXform xform;
  SD_ASSIGN_OR_RETURN(xform.times, work_.sampler.SamplesOf([&](MotionTimes* found) {
    return AddXformMotion(context_, above, found);
  }));
  for (const TimeCode time : xform.times) {
    xform.matrices.push_back(work_.sampler.XformsAt(time).LocalToWorld(context_, above));
  }
  SD_RETURN_IF_ERROR(reserved_.Grow(kPrimMapBytes, "prims above prototypes"));
  written_.Add(above, true);
  const SpecId spec = work_.specs.Place(above);
  work_.of_prototypes.insert(spec);
  work_.specs.AddTransform(spec, xform.times, std::move(xform.matrices), /*resets=*/true);
  return context_.Check();
}

// Makes prims above a root invisible that are so on the stage, which only matters in place.
absl::Status FrameOwnXforms::WriteInvisibleAbove(const Prim& root) {
  const TimeCode frame = work_.sampler.frame();
  for (Prim at = root.parent(); at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    SD_RETURN_IF_ERROR(context_.Spend(1));
    if (hidden_.Find(at)) break;
    SD_RETURN_IF_ERROR(reserved_.Grow(kPrimMapBytes, "prims above prototypes"));
    hidden_.Add(at, true);
    if (work_.specs.IsDefined(at)) continue;
    const auto word = AttributeValueAs<Token>(context_, at, Geom().visibility, frame);
    if (!word || *word != Geom().invisible) continue;
    const SpecId spec = work_.specs.Place(at);
    work_.of_prototypes.insert(spec);
    work_.specs.AddValue(spec, Geom().visibility, "token", Value(Geom().invisible));
  }
  return context_.Check();
}

}  // namespace stagedoor
