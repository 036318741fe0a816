#include "scene/geom/primvar.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/source_sink.h"
#include "scene/layer/field_keys.h"

namespace stagedoor {
namespace {

constexpr std::string_view kPrefix = "primvars:";
constexpr std::string_view kIndices = ":indices";
constexpr std::string_view kIdFrom = ":idFrom";

template <typename T>
Value FlattenTyped(RequestContext& context, const Array<T>& array, const Array<int>& indices,
                   int element_size) {
  const size_t group = static_cast<size_t>(element_size);
  const size_t groups = array.size() / group;
  Pacer pacer(context);
  for (const int index : indices) {
    if (index < 0 || static_cast<size_t>(index) >= groups || !pacer.Go()) return Value();
  }
  // Keeps the sizes below from overflowing.
  if (indices.size() > (size_t{1} << 32) / group) return Value();
  Reservation reserved(context);  // until the reply accounts for the array
  if (!reserved.Grow(indices.size() * group * sizeof(T), "flattened primvar").ok()) {
    return Value();
  }
  T* out;
  auto result = Array<T>::Uninitialized(indices.size() * group, &out);
  const auto steps = static_cast<int64_t>(1 + group / 16);
  for (const int index : indices) {
    if (!pacer.Go(steps)) return Value();
    const T* from = array.data() + static_cast<size_t>(index) * group;
    out = std::copy(from, from + group, out);
  }
  return Value(std::move(result));
}

// The primvars of a prim and its ancestors, in OpenUSD's order: a primvar takes the position of the
// one that it replaces, and the last primvar takes the position of one that is hidden.
class PrimvarList {
 public:
  // `is_wanted` may be empty, and must outlive the list.
  PrimvarList(RequestContext& context, const std::function<bool(Token)>& is_wanted)
      : context_(context), is_wanted_(is_wanted), pacer_(context) {}

  // Applies the primvars of `prim` to those of its ancestors. `all` is true for the queried prim,
  // which has its own primvars whatever their interpolation; the others only pass on constant ones.
  void AddThoseOf(const Prim& prim, bool all) {
    for (const Token name : prim.AuthoredPropertyNames()) {
      if (!pacer_.Go()) return;
      if (!Primvar::IsPrimvarName(name.text()) || (is_wanted_ && !is_wanted_(name))) continue;
      const Attribute attribute = prim.GetAttribute(name);
      if (!pacer_.Go(16) || !attribute.HasAuthoredValue(context_)) continue;
      const Primvar primvar(attribute);
      if (all || primvar.Interpolation(context_) == Geom().constant) {
        Put(name, primvar);
      } else {
        Remove(name);
      }
    }
  }
  std::vector<Primvar> Take() { return std::move(primvars_); }

 private:
  void Put(Token name, const Primvar& primvar) {
    const auto [known, added] = places_.emplace(name, primvars_.size());
    if (added) {
      primvars_.push_back(primvar);
    } else {
      primvars_[known->second] = primvar;
    }
  }
  void Remove(Token name) {
    const auto known = places_.find(name);
    if (known == places_.end()) return;
    const size_t place = known->second;
    places_.erase(known);
    if (place + 1 < primvars_.size()) {
      primvars_[place] = std::move(primvars_.back());
      places_[primvars_[place].attribute().name()] = place;
    }
    primvars_.pop_back();
  }

  RequestContext& context_;
  const std::function<bool(Token)>& is_wanted_;
  Pacer pacer_;
  std::vector<Primvar> primvars_;
  std::unordered_map<Token, size_t> places_;
};

}  // namespace

bool Primvar::IsPrimvarName(std::string_view name) {
  return name.size() > kPrefix.size() && name.starts_with(kPrefix) && !name.ends_with(kIndices);
}

std::string_view Primvar::name() const { return attribute_.name().text().substr(kPrefix.size()); }

Token Primvar::Interpolation(RequestContext& context) const {
  const Value value = attribute_.Metadata(context, Fields().interpolation);
  const Token* token = value.Get<Token>();
  return token && !token->empty() ? *token : Geom().constant;
}

int Primvar::ElementSize(RequestContext& context) const {
  const Value value = attribute_.Metadata(context, Fields().elementSize);
  const int* size = value.Get<int>();
  return size ? *size : 1;
}

Value Primvar::Get(RequestContext& context, TimeCode time) const {
  const auto name = Token::Find(std::string(attribute_.name().text()).append(kIdFrom));
  if (!name) return attribute_.Get(context, time);
  const std::string_view type = attribute_.TypeName().text();
  const bool is_array = type == "string[]";
  const Relationship target = attribute_.prim().GetRelationship(*name);
  if (!target.valid() || !(is_array || type == "string")) return attribute_.Get(context, time);
  const std::vector<Path> targets = target.ForwardedTargets(context);
  if (is_array ? targets.size() < 2 : targets.size() != 1) return Value();
  std::string path = targets.front().ToString();
  return is_array ? Value(Array<std::string>({std::move(path)})) : Value(std::move(path));
}

Attribute Primvar::IndicesAttribute() const {
  // A name that was never interned cannot be that of a property.
  const auto name = Token::Find(std::string(attribute_.name().text()).append(kIndices));
  return name ? attribute_.prim().GetAttribute(*name) : Attribute();
}

bool Primvar::IsIndexed(RequestContext& context) const {
  return IndicesAttribute().HasAuthoredValue(context);
}

std::optional<Array<int>> Primvar::GetIndices(RequestContext& context, TimeCode time) const {
  return TypedValue<Array<int>>(context, IndicesAttribute(), time);
}

Value Primvar::ComputeFlattened(RequestContext& context, TimeCode time) const {
  Value value = Get(context, time);
  // As in OpenUSD, indices of a single value do not matter, and without a value they leave none.
  if (!value.is_array() || !IsIndexed(context)) return value;
  const auto indices = GetIndices(context, time);
  return indices ? FlattenIndexed(context, value, *indices, ElementSize(context)) : Value();
}

absl::Status Primvar::AddSources(RequestContext& context, SourceSink* sink) const {
  SD_RETURN_IF_ERROR(sink->Add(context, AttributeQuery(context, attribute_)));
  return sink->Add(context, AttributeQuery(context, IndicesAttribute()));
}

Value FlattenIndexed(RequestContext& context, const Value& array, const Array<int>& indices,
                     int element_size) {
  if (!array.is_array() || element_size < 1) return Value();
  switch (array.type()) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return FlattenTyped<cpp>(context, *array.Get<Array<cpp>>(), indices, element_size);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return Value();
  }
}

std::vector<Primvar> FindPrimvarsWithInheritance(RequestContext& context, const Prim& prim,
                                                 const std::function<bool(Token)>& is_wanted) {
  std::vector<Prim> chain;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) chain.push_back(at);
  PrimvarList primvars(context, is_wanted);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    primvars.AddThoseOf(*it, it + 1 == chain.rend());
  }
  return primvars.Take();
}

std::optional<Primvar> FindPrimvarWithInheritance(RequestContext& context, const Prim& prim,
                                                  std::string_view name) {
  const auto token = Token::Find(std::string(kPrefix).append(name));
  if (!token) return std::nullopt;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    const Attribute attribute = at.GetAttribute(*token);
    if (!attribute.HasAuthoredValue(context)) continue;
    const Primvar primvar(attribute);
    // The nearest one decides: if it is not constant, it hides those of ancestors.
    const bool own = at == prim;
    return own || primvar.Interpolation(context) == Geom().constant ? std::optional(primvar)
                                                                    : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace stagedoor
