#include "scene/geom/primvars.h"

#include <algorithm>
#include <utility>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/layer/fields.h"

namespace stagedoor {
namespace {

constexpr std::string_view kPrefix = "primvars:";
constexpr std::string_view kIndices = ":indices";

template <typename T>
Value FlattenTyped(const Array<T>& array, const Array<int>& indices, int element_size) {
  const size_t group = static_cast<size_t>(element_size);
  const size_t groups = array.size() / group;
  for (const int index : indices) {
    if (index < 0 || static_cast<size_t>(index) >= groups) return Value();
  }
  if (indices.size() > (size_t{1} << 32) / group) return Value();
  T* out;
  auto result = Array<T>::Uninitialized(indices.size() * group, &out);
  for (const int index : indices) {
    const T* from = array.data() + static_cast<size_t>(index) * group;
    out = std::copy(from, from + group, out);
  }
  return Value(std::move(result));
}

void RemoveNamed(Token name, std::vector<Primvar>* primvars) {
  std::erase_if(*primvars, [&](const Primvar& p) { return p.attribute().name() == name; });
}

// What `prim` itself adds to, and hides of, what its ancestors give.
void AddPrimvarsOf(RequestContext& context, const Prim& prim, bool all,
                   std::vector<Primvar>* primvars) {
  for (const Token name : prim.AuthoredPropertyNames()) {
    if (!Primvar::IsPrimvarName(name.text())) continue;
    const Attribute attribute = prim.GetAttribute(name);
    if (!HasAuthoredValue(context, attribute)) continue;
    const Primvar primvar(attribute);
    RemoveNamed(name, primvars);
    if (all || primvar.Interpolation() == Geom().constant) primvars->push_back(primvar);
  }
}

}  // namespace

bool Primvar::IsPrimvarName(std::string_view name) {
  return name.size() > kPrefix.size() && name.starts_with(kPrefix) && !name.ends_with(kIndices);
}

std::string_view Primvar::name() const { return attribute_.name().text().substr(kPrefix.size()); }

Token Primvar::Interpolation() const {
  const Value value = attribute_.Metadata(Fields().interpolation);
  const Token* token = value.Get<Token>();
  return token && !token->empty() ? *token : Geom().constant;
}

int Primvar::ElementSize() const {
  const Value value = attribute_.Metadata(Fields().elementSize);
  const int* size = value.Get<int>();
  return size ? *size : 1;
}

Attribute Primvar::IndicesAttribute() const {
  const auto name = Token::Find(std::string(attribute_.name().text()).append(kIndices));
  return name ? attribute_.prim().GetAttribute(*name) : Attribute();
}

bool Primvar::IsIndexed(RequestContext& context) const {
  return HasAuthoredValue(context, IndicesAttribute());
}

std::optional<Array<int>> Primvar::GetIndices(RequestContext& context, Time time) const {
  const Attribute attribute = IndicesAttribute();
  if (!attribute.valid()) return std::nullopt;
  const Value value = attribute.Get(context, time);
  const auto* indices = value.Get<Array<int>>();
  return indices ? std::optional(*indices) : std::nullopt;
}

Value Primvar::ComputeFlattened(RequestContext& context, Time time) const {
  const Value value = Get(context, time);
  const auto indices = GetIndices(context, time);
  if (!indices) return value;
  return value.is_array() ? FlattenIndexed(value, *indices, ElementSize()) : Value();
}

Value FlattenIndexed(const Value& array, const Array<int>& indices, int element_size) {
  if (!array.is_array() || element_size < 1) return Value();
  switch (array.type()) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return FlattenTyped<cpp>(*array.Get<Array<cpp>>(), indices, element_size);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return Value();
  }
}

std::vector<Primvar> FindPrimvarsWithInheritance(RequestContext& context, const Prim& prim) {
  std::vector<Prim> chain;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) chain.push_back(at);
  std::vector<Primvar> primvars;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    AddPrimvarsOf(context, *it, it + 1 == chain.rend(), &primvars);
  }
  return primvars;
}

std::optional<Primvar> FindPrimvarWithInheritance(RequestContext& context, const Prim& prim,
                                                  std::string_view name) {
  const auto token = Token::Find(std::string(kPrefix).append(name));
  if (!token) return std::nullopt;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    const Attribute attribute = at.GetAttribute(*token);
    if (!HasAuthoredValue(context, attribute)) continue;
    const Primvar primvar(attribute);
    const bool own = at == prim;
    return own || primvar.Interpolation() == Geom().constant ? std::optional(primvar)
                                                             : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace stagedoor
