#include "composed_data.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "message_fields.h"
#include "root_fields.h"

namespace stagedoor::openusd {
namespace {

// Posts why something cannot be had, and returns `otherwise`.
template <typename T>
T Post(const Failure& failure, T otherwise) {
  TF_RUNTIME_ERROR("stagedoor: %s", failure.message.c_str());
  return otherwise;
}

// Runs a function that may wait for the daemon, or for another thread that does, without Python's
// lock: a thread that has the lock must never wait for one that needs it.
template <typename Function>
auto WithoutPythonLock(const Function& function) {
  TF_PY_ALLOW_THREADS_IN_SCOPE();
  return function();
}

void RefuseEdit() {
  TF_CODING_ERROR(
      "a layer of a composed stage of Stagedoor cannot be edited; edit the session layer of the "
      "UsdStage, or the stage through the daemon");
}

bool Store(const VtValue& from, VtValue* to) {
  if (from.IsEmpty()) return false;
  if (to != nullptr) *to = from;
  return true;
}

bool Bracket(const std::vector<double>& times, double time, double* lower, double* upper) {
  if (times.empty()) return false;
  const auto at = std::lower_bound(times.begin(), times.end(), time);
  if (at == times.end()) {
    *lower = *upper = times.back();
  } else if (at == times.begin() || *at == time) {
    *lower = *upper = *at;
  } else {
    *lower = *std::prev(at);
    *upper = *at;
  }
  return true;
}

bool IsVariantPath(const SdfPath& path) { return path.IsPrimVariantSelectionPath(); }

}  // namespace

Result<SdfAbstractDataRefPtr> ComposedData::Open(std::shared_ptr<const DaemonConnection> connection,
                                                 const StageArguments& arguments) {
  const TfRefPtr<ComposedData> data =
      TfCreateRefPtr(new ComposedData(std::move(connection), arguments));
  const Result<bool> loaded = WithoutPythonLock([&] { return data->Load(); });
  if (!loaded.ok()) return loaded.failure();
  return SdfAbstractDataRefPtr(data);
}

uint64_t ComposedData::NextId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Result<bool> ComposedData::Load() {
  const bool outline = arguments_.boundaries == StageArguments::Boundaries::kPayloads;
  Result<std::unique_ptr<DaemonStage>> stage =
      DaemonStage::Open(connection_, arguments_, {arguments_.load_none || outline, {}});
  if (!stage.ok()) return stage.failure();
  stage_ = std::move(*stage);
  Result<Fields> fields = FetchRootFields(*stage_);
  if (!fields.ok()) return fields.failure();
  root_fields_ = std::move(*fields);
  tree_ = std::make_unique<PrimTree>(arguments_, stage_.get(), [this] { return LoadedStage(); });
  if (const Result<bool> loaded = tree_->Load(); !loaded.ok()) return loaded;
  AddField(SdfChildrenKeys->PrimChildren, VtValue(tree_->root_names()), &root_fields_);
  return true;
}

Result<const DaemonStage*> ComposedData::LoadedStage() {
  const std::lock_guard<std::mutex> lock(loaded_mu_);
  if (loaded_stage_ == nullptr) {
    StageArguments arguments = arguments_;
    arguments.snapshot.clear();  // that of the outline
    Result<std::unique_ptr<DaemonStage>> stage = DaemonStage::Open(connection_, arguments, {});
    if (!stage.ok()) return stage.failure();
    if (const Result<bool> same = stage_->CheckUnchanged(); !same.ok()) return same.failure();
    loaded_stage_ = std::move(*stage);
  }
  return loaded_stage_.get();
}

std::string ComposedData::FindNewestSnapshot() const {
  const Result<std::string> newest = WithoutPythonLock([&] { return stage_->FindNewest(); });
  return newest.ok() ? *newest : stage_->snapshot();
}

PrimEntry* ComposedData::FindPrim(const SdfPath& path) const {
  bool must_fetch = false;
  PrimEntry* const fetched = tree_->FindFetched(path, &must_fetch);
  if (!must_fetch) return fetched;
  const Result<PrimEntry*> prim = WithoutPythonLock([&] { return tree_->Find(path); });
  return prim.ok() ? *prim : Post<PrimEntry*>(prim.failure(), nullptr);
}

const PropertyTable* ComposedData::FindProperties(PrimEntry& prim) const {
  if (const PropertyTable* table = prim.properties.load(std::memory_order_acquire)) return table;
  const Result<const PropertyTable*> table =
      WithoutPythonLock([&] { return property_loader_.Load(prim); });
  return table.ok() ? *table : Post<const PropertyTable*>(table.failure(), nullptr);
}

ComposedData::Located ComposedData::FindProperty(const SdfPath& path) const {
  // OpenUSD asks several things about a property, one after another.
  struct Last {
    uint64_t data = 0;
    SdfPath path;
    Located located;
  };
  static thread_local Last last;
  if (last.data == id_ && last.path == path) return last.located;
  const SdfPath prim_path = path.GetPrimPath();
  const bool is_of_last = last.data == id_ && last.located.prim->path == prim_path;
  PrimEntry* const prim = is_of_last ? last.located.prim : FindPrim(prim_path);
  const PropertyTable* const table = prim == nullptr ? nullptr : FindProperties(*prim);
  const PropertyEntry* const property =
      table == nullptr ? nullptr : table->Find(path.GetNameToken());
  if (property == nullptr) return Located();
  last = {id_, path, {prim, property}};
  return last.located;
}

VtValue ComposedData::GetDefault(const Located& located) const {
  if (const std::optional<VtValue> held = value_loader_.FindHeld(*located.property, std::nullopt)) {
    return *held;
  }
  const Result<VtValue> value =
      WithoutPythonLock([&] { return value_loader_.GetDefault(*located.prim, *located.property); });
  return value.ok() ? *value : Post(value.failure(), VtValue());
}

const VtValue* ComposedData::FindStored(const Located& located, const TfToken& field) const {
  if (located.property == nullptr) return nullptr;
  if (field == SdfFieldKeys->Default) return value_loader_.FindKept(*located.property);
  return FindField(located.property->fields, field);
}

bool ComposedData::HasDefault(const Located& located) const {
  const std::optional<bool> has = value_loader_.HasDefault(*located.property);
  return has.has_value() ? *has : !GetDefault(located).IsEmpty();
}

VtValue ComposedData::GetSamples(const Located& located) const {
  if (!located.property->has_samples()) return VtValue();
  const Result<SdfTimeSampleMap> samples =
      WithoutPythonLock([&] { return value_loader_.GetSamples(*located.prim, *located.property); });
  return samples.ok() ? VtValue(*samples) : Post(samples.failure(), VtValue());
}

VtValue ComposedData::GetSpline(const Located& located) const {
  if (arguments_.time.has_value()) return VtValue();
  const Result<VtValue> spline = WithoutPythonLock(
      [&] { return spline_loader_.Get(*stage_, *located.prim, *located.property); });
  return spline.ok() ? *spline : Post(spline.failure(), VtValue());
}

// ------------------------------------------------------------------------------------------- specs

bool ComposedData::HasSpec(const SdfPath& path) const {
  return GetSpecType(path) != SdfSpecTypeUnknown;
}

SdfSpecType ComposedData::GetSpecType(const SdfPath& path) const {
  if (path.IsAbsoluteRootPath()) return SdfSpecTypePseudoRoot;
  if (path.IsPrimPath()) return FindPrim(path) == nullptr ? SdfSpecTypeUnknown : SdfSpecTypePrim;
  if (IsVariantPath(path)) return VariantSpecType(path);
  if (!path.IsPrimPropertyPath() || path.ContainsPrimVariantSelection()) return SdfSpecTypeUnknown;
  const PropertyEntry* const property = FindProperty(path).property;
  if (property == nullptr) return SdfSpecTypeUnknown;
  return property->is_relationship ? SdfSpecTypeRelationship : SdfSpecTypeAttribute;
}

SdfSpecType ComposedData::VariantSpecType(const SdfPath& path) const {
  PrimEntry* const prim = FindPrim(path.GetPrimPath());
  if (prim == nullptr || path.GetParentPath() != prim->path) return SdfSpecTypeUnknown;
  const auto [set_name, variant] = path.GetVariantSelection();
  for (const VariantSetEntry& set : prim->variant_sets) {
    if (set.name != set_name) continue;
    if (variant.empty()) return SdfSpecTypeVariantSet;
    const bool known = std::count(set.variants.begin(), set.variants.end(), variant) != 0;
    return known ? SdfSpecTypeVariant : SdfSpecTypeUnknown;
  }
  return SdfSpecTypeUnknown;
}

bool ComposedData::VisitPrim(PrimEntry& prim, SdfAbstractDataSpecVisitor* visitor) const {
  const PropertyTable* const table = FindProperties(prim);
  if (table == nullptr || !visitor->VisitSpec(*this, prim.path)) return false;
  for (const PropertyEntry& property : table->properties) {
    if (!visitor->VisitSpec(*this, prim.path.AppendProperty(property.name))) return false;
  }
  for (const VariantSetEntry& set : prim.variant_sets) {
    const std::string& name = set.name.GetString();
    if (!visitor->VisitSpec(*this, prim.path.AppendVariantSelection(name, ""))) return false;
    for (const TfToken& variant : set.variants) {
      const SdfPath path = prim.path.AppendVariantSelection(name, variant.GetString());
      if (!visitor->VisitSpec(*this, path)) return false;
    }
  }
  return true;
}

void ComposedData::_VisitSpecs(SdfAbstractDataSpecVisitor* visitor) const {
  if (!visitor->VisitSpec(*this, SdfPath::AbsoluteRootPath())) return;
  const auto visit = [&](PrimEntry& prim) { return VisitPrim(prim, visitor); };
  const Result<bool> all = WithoutPythonLock([&] { return tree_->VisitAll(visit); });
  if (!all.ok()) Post(all.failure(), false);
}

// ------------------------------------------------------------------------------------------ fields

VtValue ComposedData::PrimField(PrimEntry& prim, const TfToken& field) const {
  if (const VtValue* value = FindField(prim.fields, field)) return *value;
  if (field == SdfChildrenKeys->PrimChildren) {
    return prim.children.empty() ? VtValue() : VtValue(prim.children);
  }
  if (field == SdfChildrenKeys->VariantSetChildren && !prim.variant_sets.empty()) {
    TfTokenVector names;
    for (const VariantSetEntry& set : prim.variant_sets) names.push_back(set.name);
    return VtValue::Take(names);
  }
  if (field != SdfChildrenKeys->PropertyChildren) return VtValue();
  const PropertyTable* const table = FindProperties(prim);
  if (table == nullptr || table->properties.empty()) return VtValue();
  TfTokenVector names;
  for (const PropertyEntry& property : table->properties) names.push_back(property.name);
  return VtValue::Take(names);
}

VtValue ComposedData::VariantField(const SdfPath& path, const TfToken& field) const {
  if (field != SdfChildrenKeys->VariantChildren || VariantSpecType(path) != SdfSpecTypeVariantSet) {
    return VtValue();
  }
  const std::string set_name = path.GetVariantSelection().first;
  for (const VariantSetEntry& set : FindPrim(path.GetPrimPath())->variant_sets) {
    if (set.name == set_name) return VtValue(set.variants);
  }
  return VtValue();
}

VtValue ComposedData::PropertyField(const Located& located, const TfToken& field) const {
  if (located.property == nullptr) return VtValue();
  if (field == SdfFieldKeys->Default) return GetDefault(located);
  if (field == SdfFieldKeys->TimeSamples) return GetSamples(located);
  if (field == SplineField()) return GetSpline(located);
  const VtValue* const value = FindField(located.property->fields, field);
  return value == nullptr ? VtValue() : *value;
}

VtValue ComposedData::Get(const SdfPath& path, const TfToken& field) const {
  if (path.IsAbsoluteRootPath()) {
    const VtValue* const value = FindField(root_fields_, field);
    return value == nullptr ? VtValue() : *value;
  }
  if (path.IsPrimPath()) {
    PrimEntry* const prim = FindPrim(path);
    return prim == nullptr ? VtValue() : PrimField(*prim, field);
  }
  if (IsVariantPath(path)) return VariantField(path, field);
  if (!path.IsPrimPropertyPath() || path.ContainsPrimVariantSelection()) return VtValue();
  return PropertyField(FindProperty(path), field);
}

bool ComposedData::Has(const SdfPath& path, const TfToken& field, VtValue* value) const {
  if (value == nullptr && path.IsPrimPropertyPath()) {
    // Values need not be fetched to know that they are there.
    const Located located = FindProperty(path);
    if (located.property == nullptr) return false;
    if (field == SdfFieldKeys->Default) return HasDefault(located);
    if (field == SdfFieldKeys->TimeSamples) return located.property->has_samples();
  }
  return Store(Get(path, field), value);
}

bool ComposedData::Has(const SdfPath& path, const TfToken& field,
                       SdfAbstractDataValue* value) const {
  if (value == nullptr) return Has(path, field, static_cast<VtValue*>(nullptr));
  if (path.IsPrimPropertyPath() && !path.ContainsPrimVariantSelection()) {
    const Located located = FindProperty(path);
    if (const VtValue* const stored = FindStored(located, field)) return value->StoreValue(*stored);
  }
  const VtValue held = Get(path, field);
  return !held.IsEmpty() && value->StoreValue(held);
}

const std::type_info& ComposedData::GetTypeid(const SdfPath& path, const TfToken& field) const {
  if (field == SdfFieldKeys->Default && path.IsPrimPropertyPath()) {
    const Located located = FindProperty(path);
    if (located.property == nullptr || !HasDefault(located)) return typeid(void);
    if (!located.property->blocked) return *located.property->type;
  }
  return Get(path, field).GetTypeid();
}

std::vector<TfToken> ComposedData::List(const SdfPath& path) const {
  std::vector<TfToken> names;
  const auto add = [&](const Fields& fields) {
    for (const auto& [name, value] : fields) names.push_back(name);
  };
  if (path.IsAbsoluteRootPath()) {
    add(root_fields_);
  } else if (path.IsPrimPath()) {
    PrimEntry* const prim = FindPrim(path);
    if (prim == nullptr) return names;
    add(prim->fields);
    for (const TfToken& name : {SdfChildrenKeys->PrimChildren, SdfChildrenKeys->VariantSetChildren,
                                SdfChildrenKeys->PropertyChildren}) {
      if (!PrimField(*prim, name).IsEmpty()) names.push_back(name);
    }
  } else if (IsVariantPath(path)) {
    if (VariantSpecType(path) == SdfSpecTypeVariantSet)
      names.push_back(SdfChildrenKeys->VariantChildren);
  } else if (const Located located = FindProperty(path); located.property != nullptr) {
    add(located.property->fields);
    if (HasDefault(located)) names.push_back(SdfFieldKeys->Default);
    if (located.property->has_samples()) names.push_back(SdfFieldKeys->TimeSamples);
    if (!GetSpline(located).IsEmpty()) names.push_back(SplineField());
  }
  return names;
}

// ------------------------------------------------------------------------------------ time samples

std::set<double> ComposedData::ListAllTimeSamples() const {
  std::set<double> times;
  tree_->VisitFetched([&](const PrimEntry& prim) {
    const PropertyTable* const table = prim.properties.load(std::memory_order_acquire);
    if (table == nullptr) return;
    for (const PropertyEntry& property : table->properties) {
      times.insert(property.times.begin(), property.times.end());
    }
  });
  return times;
}

std::set<double> ComposedData::ListTimeSamplesForPath(const SdfPath& path) const {
  const PropertyEntry* const property = FindProperty(path).property;
  return property == nullptr ? std::set<double>()
                             : std::set<double>(property->times.begin(), property->times.end());
}

size_t ComposedData::GetNumTimeSamplesForPath(const SdfPath& path) const {
  const PropertyEntry* const property = FindProperty(path).property;
  return property == nullptr ? 0 : property->times.size();
}

bool ComposedData::GetBracketingTimeSamples(double time, double* lower, double* upper) const {
  const std::set<double> times = ListAllTimeSamples();
  return Bracket({times.begin(), times.end()}, time, lower, upper);
}

bool ComposedData::GetBracketingTimeSamplesForPath(const SdfPath& path, double time, double* lower,
                                                   double* upper) const {
  const PropertyEntry* const property = FindProperty(path).property;
  return property != nullptr && Bracket(property->times, time, lower, upper);
}

bool ComposedData::GetPreviousTimeSampleForPath(const SdfPath& path, double time,
                                                double* previous) const {
  const PropertyEntry* const property = FindProperty(path).property;
  if (property == nullptr) return false;
  const std::vector<double>& times = property->times;
  const auto at = std::lower_bound(times.begin(), times.end(), time);
  if (at == times.begin()) return false;
  *previous = *std::prev(at);
  return true;
}

bool ComposedData::QueryTimeSample(const SdfPath& path, double time, VtValue* value) const {
  const Located located = FindProperty(path);
  if (located.property == nullptr) return false;
  const std::vector<double>& times = located.property->times;
  if (!std::binary_search(times.begin(), times.end(), time)) return false;
  if (value == nullptr) return true;
  if (const std::optional<VtValue> held = value_loader_.FindHeld(*located.property, time)) {
    *value = *held;
    return true;
  }
  const Result<VtValue> sample = WithoutPythonLock(
      [&] { return value_loader_.GetSample(*located.prim, *located.property, time); });
  if (!sample.ok()) return Post(sample.failure(), false);
  *value = *sample;
  return true;
}

bool ComposedData::QueryTimeSample(const SdfPath& path, double time,
                                   SdfAbstractDataValue* value) const {
  if (value == nullptr) return QueryTimeSample(path, time, static_cast<VtValue*>(nullptr));
  VtValue sample;
  return QueryTimeSample(path, time, &sample) && value->StoreValue(sample);
}

// ------------------------------------------------------------------------------------------- edits

void ComposedData::CreateSpec(const SdfPath&, SdfSpecType) { RefuseEdit(); }
void ComposedData::EraseSpec(const SdfPath&) { RefuseEdit(); }
void ComposedData::MoveSpec(const SdfPath&, const SdfPath&) { RefuseEdit(); }
void ComposedData::Set(const SdfPath&, const TfToken&, const VtValue&) { RefuseEdit(); }
void ComposedData::Set(const SdfPath&, const TfToken&, const SdfAbstractDataConstValue&) {
  RefuseEdit();
}
void ComposedData::Erase(const SdfPath&, const TfToken&) { RefuseEdit(); }
void ComposedData::SetTimeSample(const SdfPath&, double, const VtValue&) { RefuseEdit(); }
void ComposedData::EraseTimeSample(const SdfPath&, double) { RefuseEdit(); }

}  // namespace stagedoor::openusd
