#include "scene/frame/frame_own_xforms.h"

#include <optional>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_motion.h"
#include "scene/geom/xform_query.h"
#include "scene/skel/skin_motion.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr size_t kEntryBytes = 4 * sizeof(Prim);  // of a PrimMap

}  // namespace

FrameOwnXforms::FrameOwnXforms(FrameLayerWork& work)
    : context_(work.context),
      work_(work),
      is_drawn_too_(work.source.plan.prototypes.size()),
      reserved_(work.context) {
  const FramePlan& plan = work.source.plan;
  PrimMap<uint32_t> prototypes;
  Pacer pacer(context_);
  for (const FramePrim& row : plan.prims) {
    if (row.prototype == kNoIndex || prototypes.Find(row.prim)) continue;
    if (!pacer.Go() || !reserved_.Grow(kEntryBytes, "rows of prototypes").ok()) return;
    prototypes.Add(row.prim, row.prototype);
    in_prototype_.Add(row.prim, true);
  }
  if (prototypes.size() == 0) return;
  for (const FramePrim& row : plan.prims) {
    if (row.prototype != kNoIndex || !pacer.Go()) continue;
    if (const uint32_t* prototype = prototypes.Find(row.prim)) is_drawn_too_[*prototype] = true;
  }
}

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
    if (in_prototype_.Find(at)) continue;
    SD_RETURN_IF_ERROR(Write(work_.specs.Place(at), at, nullptr));
  }
  return context_.Check();
}

absl::Status FrameOwnXforms::WriteRow(SpecId spec, const FramePrim& row) {
  return Write(spec, row.prim, &row);
}

absl::Status FrameOwnXforms::Write(SpecId spec, const Prim& prim, const FramePrim* row) {
  if (written_.Find(prim)) return absl::OkStatus();
  SD_RETURN_IF_ERROR(reserved_.Grow(kEntryBytes, "prims of prototypes"));
  written_.Add(prim, true);
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

absl::Status FrameOwnXforms::WritePlaces() {
  for (size_t i = 0; i < is_drawn_too_.size(); ++i) {
    if (!is_drawn_too_[i]) continue;
    SD_RETURN_IF_ERROR(WritePlaceOf(work_.source.plan.prototypes[i].prim));
  }
  return context_.Check();
}

absl::Status FrameOwnXforms::WritePlaceOf(const Prim& root) {
  Prim above = root.parent();
  while (above.valid() && !above.IsPseudoRoot() && !above.IsA(Geom().Xformable)) {
    SD_RETURN_IF_ERROR(context_.Spend(1));
    above = above.parent();
  }
  // What is drawn has a transform to world space.
  if (!above.valid() || above.IsPseudoRoot() || work_.specs.IsDefined(above)) {
    return absl::OkStatus();
  }
  if (written_.Find(above)) return absl::OkStatus();
  SD_RETURN_IF_ERROR(reserved_.Grow(kEntryBytes, "prims above prototypes"));
  written_.Add(above, true);
  SampledXform xform;
  SD_ASSIGN_OR_RETURN(xform.times, work_.sampler.SamplesOf([&](MotionTimes* found) {
    return AddXformMotion(context_, above, found);
  }));
  for (const TimeCode time : xform.times) {
    xform.matrices.push_back(work_.sampler.XformsAt(time).LocalToWorld(context_, above));
  }
  work_.specs.AddTransform(work_.specs.Place(above), xform.times, std::move(xform.matrices),
                           /*resets=*/true);
  return context_.Check();
}

}  // namespace stagedoor
