#include "scene/frame/frame_planner.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "scene/frame/frame_attributes.h"
#include "scene/frame/frame_sources.h"
#include "scene/geom/geom_tokens.h"

namespace stagedoor {
namespace {

struct PlannerTokens {
  const Token cards{"cards"};
  const Token bounds{"bounds"};
  const Token origin{"origin"};
  const Token materialBind{"materialBind"};
};
const PlannerTokens& PlannerNames() {
  static const auto* tokens = new PlannerTokens;
  return *tokens;
}

// Whether models with this draw mode are drawn as something else than their geometry.
bool IsStandIn(Token draw_mode) {
  return draw_mode == PlannerNames().cards || draw_mode == PlannerNames().bounds ||
         draw_mode == PlannerNames().origin;
}

// Calls examine(i) for all i < count, in parallel if `executor` is not null.
absl::Status ExamineAll(RequestContext& context, Executor* executor, size_t count,
                        const std::function<void(size_t)>& examine) {
  constexpr size_t kGrain = 64;
  const auto piece = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end && context.Check().ok(); ++i) examine(i);
  };
  if (executor != nullptr && count > kGrain) {
    ParallelFor(*executor, count, kGrain, piece);
  } else {
    piece(0, count);
  }
  return context.Check();
}

// The indices of the objects for which `varies` is true.
template <typename Object, typename Varies>
std::vector<uint32_t> IndicesOf(const std::vector<Object>& objects, const Varies& varies) {
  std::vector<uint32_t> indices;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (varies(objects[i])) indices.push_back(static_cast<uint32_t>(i));
  }
  indices.shrink_to_fit();
  return indices;
}

}  // namespace

FramePlanner::FramePlanner(RequestContext& context, const Stage& stage,
                           const FrameSelection& selection)
    : context_(context),
      stage_(stage),
      selection_(selection),
      plan_(std::make_shared<FramePlan>()),
      excluded_(selection.excluded),
      visits_(stage),
      traits_(context, stage, selection),
      materials_(context, stage, selection, &ids_, &plan_->materials),
      states_(context, &traits_, &materials_),
      geometries_(context, &ids_, &plan_->geometry),
      prototypes_(context, &ids_, plan_.get()) {
  plan_->reserved = Reservation(context);
  if (selection.render_pass.valid()) pass_.emplace(context, selection.render_pass);
}

absl::Status FramePlanner::Start() {
  SD_RETURN_IF_ERROR(
      FindFrameLights(context_, selection_, traits_, states_, materials_, ids_, plan_.get()));
  SD_RETURN_IF_ERROR(Charge(plan_->lights.capacity() * sizeof(FrameLight)));
  light_sets_.emplace(context_, plan_->lights, &ids_, &plan_->light_sets);
  roots_ = RootsToWalk(context_, selection_.roots, excluded_);
  return context_.Check();
}

absl::Status FramePlanner::Continue(size_t rows) {
  const size_t most = plan_->prims.size() + std::min(rows, SIZE_MAX / 2);
  while (!done_ && plan_->prims.size() < most) {
    if (!walk_) {
      SD_ASSIGN_OR_RETURN(const bool walks, StartWalk());
      if (!walks) return Finish();
    }
    SD_RETURN_IF_ERROR(ContinueWalk(most));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FramePlanner::StartWalk() {
  Prim root;
  uint32_t prototype = kNoIndex;
  if (next_root_ < roots_.size()) {
    root = roots_[next_root_++];
  } else if (next_prototype_ < plan_->prototypes.size()) {
    // A prototype may have instancers, whose prototypes are added in the meantime.
    prototype = next_prototype_++;
    root = plan_->prototypes[prototype].prim;
  } else {
    return false;
  }
  const bool in_place = prototype == kNoIndex;
  SD_ASSIGN_OR_RETURN(FrameState above, states_.At(root.IsPseudoRoot() ? Prim() : root.parent()));
  // A prototype is drawn by its instances, wherever it is.
  if (!in_place) above.moves = above.blinks = above.is_hidden = false;
  way_.assign(1, above);
  const PrimRange range(root, in_place ? FramePredicate() : FramePrototypePredicate());
  walk_ = Walk{.at = range.begin(), .above = std::move(above), .prototype = prototype};
  return true;
}

absl::Status FramePlanner::ContinueWalk(size_t rows) {
  for (; !(walk_->at == PrimRange::End()); ++walk_->at) {
    if (plan_->prims.size() >= rows) return context_.Check();
    if (!visits_.Spend(context_, *walk_->at)) return context_.Check();
    SD_RETURN_IF_ERROR(VisitPrim(*walk_));
  }
  walk_.reset();
  return context_.Check();
}

void FramePlanner::ReadAhead(const Walk& walk) {
  // More as long as the walk visits most of them.
  constexpr size_t kFirst = 32, kMost = 512;
  Executor* const executor = stage_.environment().executor;
  if (executor == nullptr) return;
  ahead_ = 2 * traits_.left_out() > ahead_ ? kFirst : std::clamp(2 * ahead_, kFirst, kMost);
  std::vector<Prim> next;
  for (auto at = walk.at; next.size() < ahead_ && !(at == PrimRange::End()); ++at) {
    const Prim& prim = *at;
    if (!excluded_.empty() && excluded_.IsRoot(prim)) {
      at.PruneChildren();
      continue;
    }
    next.push_back(prim);
    // Those below instances are read once for all of them.
    if (prim.IsInstance() || prim.IsA(Geom().PointInstancer)) at.PruneChildren();
  }
  traits_.ReadAhead(*executor, next);
}

absl::Status FramePlanner::VisitPrim(Walk& walk) {
  const Prim& prim = *walk.at;
  if (traits_.needs_more() && !prim.data().Has(kPrimInPrototype)) ReadAhead(walk);
  if (!excluded_.empty() && excluded_.IsRoot(prim)) {
    walk.at.PruneChildren();
    return absl::OkStatus();
  }
  const size_t depth = walk.at.depth();
  const FrameState& parent = depth == 0 ? walk.above : way_[depth - 1];
  const PrimTraits& traits = traits_.Of(prim);
  SD_ASSIGN_OR_RETURN(FrameState state, states_.Enter(parent, prim, traits));
  if (walk.prototype != kNoIndex && depth == 0) state.moves = false;
  SD_ASSIGN_OR_RETURN(const bool goes_on,
                      Draw({prim, traits, parent, state, walk.prototype, depth}));
  if (goes_on && traits.has_children) {
    way_.resize(depth);
    way_.push_back(std::move(state));
  } else {
    walk.at.PruneChildren();
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FramePlanner::Draw(const Visit& visit) {
  const TypeTraits& type = visit.traits.type;
  if (type.is_subset) return false;
  if (visit.traits.applies_draw_mode && IsStandIn(visit.state.draw_mode)) {
    SD_RETURN_IF_ERROR(AddRow(visit, visit.state.draw_mode));
    return false;
  }
  if (type.is_gprim || type.is_instancer) SD_RETURN_IF_ERROR(AddRow(visit, Token()));
  return !type.is_instancer;
}

absl::Status FramePlanner::AddRow(const Visit& visit, Token draw_mode) {
  const FrameState& state = visit.state;
  const std::vector<Token>& purposes = selection_.purposes;
  if (!visit.traits.type.is_selected ||
      std::find(purposes.begin(), purposes.end(), state.purpose.purpose) == purposes.end()) {
    return absl::OkStatus();
  }
  const bool is_stand_in = !draw_mode.empty();
  FramePrim row;
  row.prim = visit.prim;
  row.id = MakeRowId(visit);
  row.prototype = visit.prototype;
  row.moves = state.moves;
  row.blinks = state.blinks && !state.is_hidden;
  row.visible = !state.is_hidden;
  row.purpose = state.purpose.purpose;
  row.draw_mode = draw_mode;
  row.light_set = light_sets_->LightsOf(visit.prim);
  row.shadow_set = light_sets_->ShadowsOf(visit.prim);
  if (pass_) row.pass_members = pass_->Find(visit.prim);
  FrameGeometries::Place place{
      .prim = visit.prim, .path_hash = state.path_hash, .is_stand_in = is_stand_in};
  if (!is_stand_in) {
    place.primvars = states_.PrimvarsAt(visit.above, visit.prim, visit.traits);
    row.material = materials_.Find(visit.prim, state.bindings);
    SD_RETURN_IF_ERROR(AddSkin(visit, &row, &place));
  }
  const size_t known = geometries_.size();
  row.geometry = geometries_.Find(place, visit.traits);
  const bool is_new = row.geometry == known;
  const uint32_t geometry = row.geometry;
  plan_->prims.push_back(std::move(row));
  SD_RETURN_IF_ERROR(Charge(sizeof(FramePrim) + (is_new ? sizeof(FrameGeometry) : 0)));
  if (plan_->geometry[geometry].is_instancer) {
    if (is_new) {
      SD_RETURN_IF_ERROR(prototypes_.AddOf(
          geometry, [this](const Prim& root) { return MayDrawAsPrototype(root); }));
    }
    if (visit.prototype != kNoIndex) prototypes_.Contains(visit.prototype, geometry);
  }
  if (!is_stand_in) AddSubsets(visit);
  return absl::OkStatus();
}

// The id of a prim in a prototype differs from that of the prim where it is.
FrameId FramePlanner::MakeRowId(const Visit& visit) {
  const uint64_t hash = visit.state.path_hash;
  if (visit.prototype == kNoIndex) {
    const FrameId id = ids_.Make(FrameObject::kPrim, hash);
    if (visit.traits.type.is_light && rows_of_lights_.Find(visit.prim) == nullptr) {
      rows_of_lights_.Add(visit.prim, id);
    }
    return id;
  }
  if (visit.depth == 0) return plan_->prototypes[visit.prototype].id;
  return ids_.Make(FrameObject::kPrim, ExtendHash(hash, prototypes_.path_hash(visit.prototype)));
}

absl::Status FramePlanner::AddSkin(const Visit& visit, FramePrim* row,
                                   FrameGeometries::Place* place) {
  if (selection_.without_skinning || !visit.traits.type.is_skinnable) return absl::OkStatus();
  std::optional<SkinningTarget> skin = states_.skins().Find(visit.above.skins, visit.prim);
  if (!skin) return absl::OkStatus();
  const bool is_rigid = skin->skinned->is_rigidly_deformed();
  // The root of a prototype is where its instances are.
  const bool is_prototype = visit.prototype != kNoIndex && visit.depth == 0;
  if (is_rigid && !is_prototype) {
    SD_RETURN_IF_ERROR(AddRigidSkin(context_, *skin, row, &plan_->rigid_skins));
    SD_RETURN_IF_ERROR(Charge(sizeof(SkinningTarget)));
  }
  // Blend shapes deform the points of a rigid prim, too.
  if (!visit.traits.type.is_point_based || (is_rigid && !skin->skinned->has_blend_shapes())) {
    return absl::OkStatus();
  }
  place->skin_number = states_.skins().NumberOf(*skin);
  place->skin = std::make_shared<const SkinningTarget>(*std::move(skin));
  return Charge(sizeof(SkinningTarget));
}

void FramePlanner::AddSubsets(const Visit& visit) {
  const auto row = static_cast<uint32_t>(plan_->prims.size() - 1);
  const std::vector<PrimTraits::Subset>& subsets = visit.traits.subsets;
  for (size_t i = 0; i < subsets.size(); ++i) {
    FrameSubset subset{.prim = row, .subset = visit.traits.SubsetAt(i, visit.prim)};
    subset.varies = subsets[i].varies;
    uint64_t hash = HashOfChild(visit.state.path_hash, subset.subset.prim.name().text());
    if (visit.prototype != kNoIndex) {
      hash = ExtendHash(hash, prototypes_.path_hash(visit.prototype));
    }
    subset.id = ids_.Make(FrameObject::kSubset, hash);
    if (subset.subset.family_name == PlannerNames().materialBind) {
      uint32_t bindings = visit.state.bindings;
      if (subsets[i].has_bindings) {
        bindings = materials_.At(bindings, subset.subset.prim, subsets[i].binds_collections);
      }
      subset.material = materials_.Find(subset.subset.prim, bindings);
    }
    plan_->subsets.push_back(std::move(subset));
    if (!Charge(sizeof(FrameSubset)).ok()) return;
  }
}

bool FramePlanner::MayDrawAsPrototype(const Prim& root) const {
  return !root.IsPseudoRoot() && FramePrototypePredicate()(root.data().flags) &&
         !excluded_.Contain(root);
}

absl::Status FramePlanner::Charge(size_t bytes) {
  constexpr size_t kBlock = size_t{64} << 10;
  constexpr size_t kBytesPerId = 2 * 3 * sizeof(FrameId);
  // With what the vectors have in reserve, and the ids.
  uncharged_ += bytes + bytes / 2 + kBytesPerId;
  if (uncharged_ < kBlock) return absl::OkStatus();
  return plan_->reserved.Grow(std::exchange(uncharged_, 0), "the plan of a frame");
}

absl::Status FramePlanner::Finish() {
  SD_RETURN_IF_ERROR(prototypes_.BreakCycles());
  LinkLightsToRows();
  SD_RETURN_IF_ERROR(FindVarying());
  ListVarying();
  plan_->prims.shrink_to_fit();
  plan_->geometry.shrink_to_fit();
  plan_->subsets.shrink_to_fit();
  SD_RETURN_IF_ERROR(ChargeExactly());
  done_ = true;
  return context_.Check();
}

absl::Status FramePlanner::ChargeExactly() {
  const size_t bytes = plan_->byte_size();
  const size_t reserved = plan_->reserved.bytes();
  if (bytes > reserved) return plan_->reserved.Grow(bytes - reserved, "the plan of a frame");
  plan_->reserved.Shrink(reserved - bytes);
  return absl::OkStatus();
}

void FramePlanner::LinkLightsToRows() {
  for (FrameLight& light : plan_->lights) {
    if (const FrameId* row = rows_of_lights_.Find(light.prim)) light.geometry = *row;
  }
}

absl::Status FramePlanner::FindVarying() {
  FramePlan& plan = *plan_;
  Executor* const executor = stage_.environment().executor;
  Mutex mu;  // guards the reservation
  const auto charge = [&](const std::vector<FrameAttribute>& attributes) {
    if (attributes.empty()) return;
    MutexLock lock(mu);
    const size_t bytes = ByteSizeOf(attributes);
    plan.reserved.Grow(bytes, "the plan of a frame").IgnoreError();  // which ends the request
  };
  const auto examine_geometry = [&](size_t i) {
    FrameGeometry& geometry = plan.geometry[i];
    const bool inherits = geometries_.Inherits(static_cast<uint32_t>(i));
    geometry.varying = VaryingAttributesOf(context_, selection_, geometry, inherits);
    charge(geometry.varying);
    VaryingSources instances, fields;
    if (geometry.is_instancer) {
      AddInstanceSources(context_, geometry.prim, &instances).IgnoreError();
      geometry.instances_vary = instances.any() || AreInstancesAdvanced(context_, geometry.prim);
    }
    if (geometry.is_volume) {
      AddFieldSources(context_, geometry.prim, &fields).IgnoreError();
      geometry.fields_vary = fields.any();
    }
  };
  SD_RETURN_IF_ERROR(ExamineAll(context_, executor, plan.geometry.size(), examine_geometry));
  SD_RETURN_IF_ERROR(ExamineAll(context_, executor, plan.materials.size(), [&](size_t i) {
    VaryingSources sources;
    AddMaterialSources(context_, plan.materials[i].prim, selection_.render_contexts, &sources)
        .IgnoreError();
    plan.materials[i].varies = sources.any();
  }));
  return ExamineAll(context_, executor, plan.lights.size(), [&](size_t i) {
    plan.lights[i].varying = VaryingAttributesOf(context_, plan.lights[i]);
    charge(plan.lights[i].varying);
  });
}

void FramePlanner::ListVarying() {
  FramePlan& plan = *plan_;
  plan.moving_prims = IndicesOf(plan.prims, [](const FramePrim& row) { return row.moves; });
  plan.blinking_prims = IndicesOf(plan.prims, [](const FramePrim& row) { return row.blinks; });
  plan.varying_geometry = IndicesOf(plan.geometry, [](const FrameGeometry& geometry) {
    return !geometry.varying.empty() || geometry.fields_vary || geometry.instances_vary;
  });
  plan.varying_subsets = IndicesOf(plan.subsets, [](const FrameSubset& s) { return s.varies; });
  plan.varying_materials =
      IndicesOf(plan.materials, [](const FrameMaterial& material) { return material.varies; });
  plan.varying_lights = IndicesOf(plan.lights, [](const FrameLight& light) {
    return light.moves || light.blinks || !light.varying.empty();
  });
}

absl::StatusOr<std::shared_ptr<FramePlan>> MakeFramePlan(RequestContext& context,
                                                         const Stage& stage,
                                                         const FrameSelection& selection) {
  FramePlanner planner(context, stage, selection);
  SD_RETURN_IF_ERROR(planner.Start());
  SD_RETURN_IF_ERROR(planner.Continue(SIZE_MAX));
  return planner.plan();
}

}  // namespace stagedoor
