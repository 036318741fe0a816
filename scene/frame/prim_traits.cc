#include "scene/frame/prim_traits.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/heap_costs.h"
#include "base/pacer.h"
#include "scene/frame/frame_sources.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/model.h"
#include "scene/geom/primvar.h"
#include "scene/lux/light_list.h"
#include "scene/render/render_tokens.h"
#include "scene/schema/prim_definition.h"
#include "scene/shade/binding_names.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skin_binding.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/property.h"

namespace stagedoor {
namespace {

constexpr std::string_view kPrimvarPrefix = "primvars:";
constexpr std::string_view kIdFromSuffix = ":idFrom";

TypeTraits TraitsOfType(const Prim& prim, const std::vector<Token>& selected) {
  TypeTraits type;
  type.is_imageable = prim.IsA(Geom().Imageable);
  type.is_gprim = prim.IsA(Geom().Gprim);
  type.is_instancer = prim.IsA(Geom().PointInstancer);
  type.is_volume = prim.IsA(Render().Volume);
  type.is_point_based = prim.IsA(Geom().PointBased);
  type.is_subset = prim.IsA(Geom().GeomSubset);
  type.is_skel_root = prim.IsA(Skel().SkelRoot);
  type.is_skinnable = IsSkinnable(prim);
  type.is_light = IsLight(prim);
  type.is_selected = selected.empty() || std::any_of(selected.begin(), selected.end(),
                                                     [&](Token name) { return prim.IsA(name); });
  return type;
}

// Whether the schema lets prims be invisible that author nothing.
bool IsInvisibleByFallback(const Prim& prim) {
  const PropertyDefinition* builtin =
      prim.definition() ? prim.definition()->FindProperty(Geom().visibility) : nullptr;
  const Token* token = builtin ? builtin->fallback.Get<Token>() : nullptr;
  return token != nullptr && *token == Geom().invisible;
}

void AddBinding(Token name, bool* has_bindings, bool* binds_collections) {
  if (!name.text().starts_with(kDirectBinding)) return;
  *has_bindings = true;
  *binds_collections |= BindsMembers(name);
}

}  // namespace

PrimFlagsPredicate FramePredicate() { return PrimFlagsPredicate::Default().WithInstanceProxies(); }

PrimFlagsPredicate FramePrototypePredicate() {
  return PrimFlagsPredicate::All()
      .With(kPrimActive, true)
      .With(kPrimLoaded, true)
      .With(kPrimAbstract, false)
      .WithInstanceProxies();
}

GeomSubset PrimTraits::SubsetAt(size_t index, const Prim& place) const {
  GeomSubset subset = subsets[index].subset;
  subset.prim = subset.prim.SeenFrom(prim, place);
  return subset;
}

PrimTraitsTable::PrimTraitsTable(RequestContext& context, const Stage& stage,
                                 const FrameSelection& selection)
    : context_(context), selection_(selection), xforms_(XformTable::Of(stage)), reserved_(context) {
  for (const std::string& name : selection.primvars) {
    primvars_.insert(std::string(kPrimvarPrefix).append(name));
  }
}

const PrimTraits& PrimTraitsTable::Of(const Prim& prim) {
  if (!prim.data().Has(kPrimInPrototype)) {
    if (const PrimTraits* ahead = FindAhead(prim)) return *ahead;
    other_ = PrimTraits{.type = TypeOf(prim)};
    Read(prim, &other_);
    return other_;
  }
  const auto [it, is_new] = in_prototypes_.try_emplace(&prim.data());
  if (!is_new) return it->second;
  it->second.type = TypeOf(prim);
  Read(prim, &it->second);
  const size_t bytes = sizeof(PrimTraits) + kNodeBytes +
                       it->second.subsets.size() * sizeof(PrimTraits::Subset) +
                       it->second.primvars.size() * sizeof(Token);
  reserved_.Grow(bytes, "prims of prototypes").IgnoreError();  // which ends the request
  return it->second;
}

const PrimTraits* PrimTraitsTable::FindAhead(const Prim& prim) {
  while (next_ahead_ < ahead_.size()) {
    const PrimTraits& traits = ahead_[next_ahead_++];
    if (traits.prim == prim) return &traits;
    ++left_out_;
  }
  return nullptr;
}

void PrimTraitsTable::ReadAhead(Executor& executor, std::span<const Prim> prims) {
  constexpr size_t kGrain = 32;
  ahead_.assign(prims.size(), PrimTraits());
  next_ahead_ = left_out_ = 0;
  for (size_t i = 0; i < prims.size(); ++i) ahead_[i].type = TypeOf(prims[i]);
  const auto read = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end && !context_.failed(); ++i) Read(prims[i], &ahead_[i]);
  };
  if (prims.size() > kGrain) {
    ParallelFor(executor, prims.size(), kGrain, read);
  } else {
    read(0, prims.size());
  }
}

const TypeTraits& PrimTraitsTable::TypeOf(const Prim& prim) {
  const auto [it, is_new] = types_.try_emplace(prim.definition());
  if (!is_new) return it->second;
  // Without a definition, no schema is known.
  if (prim.definition() != nullptr) it->second = TraitsOfType(prim, selection_.types);
  it->second.is_selected |= selection_.types.empty();
  return it->second;
}

void PrimTraitsTable::Read(const Prim& prim, PrimTraits* traits) const {
  traits->prim = prim;
  ReadNames(prim, traits);
  const PrimData& data = prim.data();
  traits->has_children = data.child_count != 0 || data.prototype != nullptr;
  traits->draw_mode = OwnDrawMode(context_, prim);
  traits->applies_draw_mode = AppliesDrawMode(context_, prim);
  std::optional<XformQuery> own;
  const XformQuery& xform = xforms_.Find(context_, prim, &own);
  traits->resets_xform = xform.resets_xform_stack();
  if (xform.fixed() == nullptr) {
    VaryingSources varying;
    xform.AddSources(context_, prim, &varying).IgnoreError();  // the context has the error
    traits->moves = varying.any();
  }
  if (traits->type.is_gprim && traits->has_children) ReadSubsets(prim, traits);
}

// Sees what the prim authors: most authors few of the properties that count.
void PrimTraitsTable::ReadNames(const Prim& prim, PrimTraits* traits) const {
  bool has_visibility = prim.clips() != nullptr;
  bool has_purpose = false;
  Pacer pacer(context_);
  for (const Token name : prim.index().index->property_names()) {
    if (!pacer.Go()) return;
    has_visibility |= name == Geom().visibility;
    has_purpose |= name == Geom().purpose;
    AddBinding(name, &traits->has_bindings, &traits->binds_collections);
    const std::string_view text = name.text();
    if (!text.starts_with(kPrimvarPrefix)) continue;
    if (text.ends_with(kIdFromSuffix)) {
      traits->names_paths = true;
    } else if (Primvar::IsPrimvarName(text) && IsSelectedPrimvar(name)) {
      traits->primvars.push_back(name);
    }
  }
  if (has_purpose) traits->purpose = AuthoredPurpose(context_, prim);
  if (traits->type.is_imageable) ReadVisibility(prim, has_visibility, traits);
}

void PrimTraitsTable::ReadVisibility(const Prim& prim, bool is_authored, PrimTraits* traits) const {
  if (!is_authored) {
    traits->hides = IsInvisibleByFallback(prim);
    return;
  }
  const AttributeQuery query(context_, prim.GetAttribute(Geom().visibility));
  traits->blinks = query.valid() && !(query.is_steady() && query.numeric().AnswersDefaultTime());
  traits->hides = !traits->blinks && !IsLocallyVisible(context_, prim, TimeCode::Default());
}

void PrimTraitsTable::ReadSubsets(const Prim& prim, PrimTraits* traits) const {
  const PrimFlagsPredicate predicate =
      prim.IsDefined() ? FramePredicate() : FramePrototypePredicate();
  for (GeomSubset& subset : FindGeomSubsets(context_, prim, Token(), Token(), predicate)) {
    const AttributeQuery indices(context_, subset.prim.GetAttribute(Geom().indices));
    PrimTraits::Subset& found = traits->subsets.emplace_back();
    found.varies = indices.valid() && !indices.is_steady();
    for (const Token name : subset.prim.index().index->property_names()) {
      AddBinding(name, &found.has_bindings, &found.binds_collections);
    }
    found.subset = std::move(subset);
  }
}

bool PrimTraitsTable::IsSelectedPrimvar(Token name) const {
  return primvars_.empty() ? !selection_.LeavesOut(name) : primvars_.count(name.str()) != 0;
}

}  // namespace stagedoor
