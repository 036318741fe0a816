#include "server/frames/steady_values.h"

#include <string_view>
#include <utility>

#include "base/heap_costs.h"
#include "base/pacer.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/primvar.h"
#include "scene/values/source_bytes.h"
#include "scene/values/value.h"
#include "server/converters/packed_values.h"

namespace stagedoor::server {
namespace {

// The most bytes of values that are kept.
constexpr size_t kMostBytes = size_t{64} << 20;
constexpr int64_t kStepsPerPrim = 16;

template <typename T>
void Append(const T& part, std::string* key) {
  key->append(reinterpret_cast<const char*>(&part), sizeof(T));
}

// The specs that the opinions about a prim are from, strongest first. Layers are those of the
// snapshot, so no two have the same address.
void AppendSpecs(const Prim& prim, std::string* key) {
  const auto specs = prim.index().index->prim_stack();
  Append(specs.size(), key);
  for (const PrimSpecHandle& site : specs) {
    Append(site.layer, key);
    Append(site.spec, key);
  }
}

bool HasPrimvars(const FrameSelection& selection, const Prim& prim) {
  for (const Token name : prim.AuthoredPropertyNames()) {
    if (Primvar::IsPrimvarName(name.text()) && !selection.LeavesOut(name)) return true;
  }
  return false;
}

// Numbers, vectors and tokens are as the layer has them. Other values depend on the prim: times are
// mapped, assets resolved, and strings may be the paths of targets.
bool IsAsAuthored(const Value& value) {
  if (value.empty() || value.type() == ValueType::kToken) return true;
  const bool is_time = value.type() == ValueType::kTimeCode || value.type() == ValueType::kDuration;
  return PackingOf(value.type()).bytes != 0 && !is_time;
}

// The bytes of a value that it alone may keep in memory.
size_t BytesOf(const FrameSample& sample) {
  size_t bytes = sample.indices ? sample.indices->size() * sizeof(int) : 0;
  const bool is_in_memory = sample.value.is_array() && SourceOf(sample.value) == nullptr;
  if (is_in_memory) bytes += sample.value.array()->size() * PackingOf(sample.value.type()).bytes;
  return bytes;
}

size_t BytesOf(const SteadyValues::Attributes& attributes) {
  size_t bytes = attributes.size() * sizeof(SteadyAttribute);
  for (const SteadyAttribute& attribute : attributes) {
    if (attribute.value == nullptr) continue;
    bytes += kNodeBytes + sizeof(SampledValue);
    for (const FrameSample& sample : attribute.value->samples) {
      bytes += sizeof(FrameSample) + BytesOf(sample);
    }
  }
  return bytes;
}

}  // namespace

std::string SteadyValues::KeyOf(RequestContext& context, const FrameSelection& selection,
                                const FrameGeometry& geometry) {
  const Prim& prim = geometry.prim;
  std::string key;
  if (prim.clips() != nullptr) return key;
  Append(prim.definition(), &key);
  Append(geometry.skin != nullptr, &key);
  Append(geometry.is_stand_in, &key);
  AppendSpecs(prim, &key);
  // The primvars that it inherits.
  Pacer pacer(context);
  for (Prim at = prim.parent(); at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!pacer.Go(kStepsPerPrim) || at.clips() != nullptr) return "";
    if (HasPrimvars(selection, at)) AppendSpecs(at, &key);
  }
  return key;
}

bool SteadyValues::IsSteady(const FrameGeometry& geometry, const FrameAttribute& attribute,
                            const SampledValue& value) {
  if (attribute.varies || !value.error.ok() || value.computed_bytes() != 0) return false;
  const bool may_be_deformed = attribute.kind == FrameAttribute::Kind::kPoints ||
                               attribute.name == Geom().points || attribute.name == Geom().normals;
  if (geometry.skin && may_be_deformed) return false;
  for (const FrameSample& sample : value.samples) {
    if (!IsAsAuthored(sample.value)) return false;
  }
  return true;
}

std::shared_ptr<const SteadyValues::Attributes> SteadyValues::Find(const std::string& key) const {
  const MutexLock lock(mu_);
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : found->second;
}

void SteadyValues::Keep(const std::string& key, Attributes attributes) {
  const size_t bytes = kNodeBytes + key.size() + BytesOf(attributes);
  const MutexLock lock(mu_);
  if (known_.contains(key) || reserved_.bytes() + bytes > kMostBytes) return;
  // A failure stays in the context, which each step checks.
  if (!reserved_.Grow(bytes, "values of a frame").ok()) return;
  known_.emplace(key, std::make_shared<const Attributes>(std::move(attributes)));
}

}  // namespace stagedoor::server
