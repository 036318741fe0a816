#include "scene/frame/frame_binding_writer.h"

#include <algorithm>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

struct BindingTokens {
  const Token MaterialBindingAPI{"MaterialBindingAPI"};
  const Token binding{"material:binding"};
  const Token materialBind{"materialBind"};
  // A collection that has a single prim.
  const Token CollectionAPI_frame{"CollectionAPI:frame"};
  const Token collection_binding{"material:binding:collection:frame"};
  const Token collection{"collection:frame"};
  const Token expansion_rule{"collection:frame:expansionRule"};
  const Token includes{"collection:frame:includes"};
  const Token explicit_only{"explicitOnly"};
};
const BindingTokens& BindingNames() {
  static const auto* names = new BindingTokens;
  return *names;
}

bool IsUnbound(const FrameSubset& subset) {
  return subset.material == 0 && subset.subset.family_name == BindingNames().materialBind;
}

}  // namespace

absl::Status FrameBindingWriter::Prepare() {
  const FramePlan& plan = work_.source.plan;
  const bool all_bound = std::all_of(plan.prims.begin(), plan.prims.end(),
                                     [](const FramePrim& row) { return row.material != 0; }) &&
                         std::none_of(plan.subsets.begin(), plan.subsets.end(), IsUnbound);
  if (all_bound) return absl::OkStatus();
  PrimMap<bool> bound;
  Reservation reserved(work_.context);
  SD_RETURN_IF_ERROR(reserved.Grow(plan.prims.size() * kPrimMapBytes, "bindings of materials"));
  SD_RETURN_IF_ERROR(FindBound(&bound));
  if (bound.size() == 0) return absl::OkStatus();
  for (const FramePrim& row : plan.prims) {
    if (row.material == 0) SD_RETURN_IF_ERROR(ExcludeBelow(row.prim, bound));
  }
  for (const FrameSubset& subset : plan.subsets) {
    if (IsUnbound(subset)) SD_RETURN_IF_ERROR(ExcludeBelow(subset.subset.prim, bound));
  }
  return absl::OkStatus();
}

absl::Status FrameBindingWriter::FindBound(PrimMap<bool>* bound) {
  Pacer pacer(work_.context);
  for (const FramePrim& row : work_.source.plan.prims) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (row.material != 0 && !bound->Find(row.prim)) bound->Add(row.prim, true);
  }
  return absl::OkStatus();
}

// Binds all that is bound above a prim alone.
absl::Status FrameBindingWriter::ExcludeBelow(const Prim& unbound, const PrimMap<bool>& bound) {
  for (Prim at = unbound.parent(); at.valid(); at = at.parent()) {
    SD_RETURN_IF_ERROR(work_.context.Spend(1));
    if (!bound.Find(at) || alone_.Find(at)) continue;
    SD_RETURN_IF_ERROR(reserved_.Grow(kPrimMapBytes, "bindings of materials"));
    alone_.Add(at, true);
  }
  return absl::OkStatus();
}

void FrameBindingWriter::AddSchemas(const FramePrim& row, std::vector<Token>* schemas) const {
  if (row.material == 0) return;
  schemas->push_back(BindingNames().MaterialBindingAPI);
  if (alone_.Find(row.prim)) schemas->push_back(BindingNames().CollectionAPI_frame);
}

void FrameBindingWriter::Write(SpecId spec, const FramePrim& row) {
  const Path material = work_.MaterialPath(row.material);
  if (material.empty()) return;
  if (!alone_.Find(row.prim)) {
    return work_.specs.AddRelationship(spec, BindingNames().binding, {material});
  }
  const Path path = row.prim.path();
  work_.specs.AddValue(spec, BindingNames().expansion_rule, "token",
                       Value(BindingNames().explicit_only), /*uniform=*/true);
  work_.specs.AddRelationship(spec, BindingNames().includes, {path});
  work_.specs.AddRelationship(spec, BindingNames().collection_binding,
                              {path.AppendProperty(BindingNames().collection), material});
}

void FrameBindingWriter::Write(SpecId spec, const FrameSubset& subset) {
  const Path material = work_.MaterialPath(subset.material);
  if (material.empty()) return;
  work_.specs.AddRelationship(spec, BindingNames().binding, {material});
}

}  // namespace stagedoor
