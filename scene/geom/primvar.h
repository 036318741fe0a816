#ifndef STAGEDOOR_SCENE_GEOM_PRIMVAR_H_
#define STAGEDOOR_SCENE_GEOM_PRIMVAR_H_

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

// Primvars: the attributes "primvars:NAME" and their inheritance by descendants. Correspond to
// OpenUSD's UsdGeomPrimvar and UsdGeomPrimvarsAPI.
//
// Handles are valid as long as the stage snapshot. Thread-safe.

class SourceSink;

class Primvar {
 public:
  explicit Primvar(Attribute attribute) : attribute_(std::move(attribute)) {}
  // True for names in the namespace "primvars:", except those of index attributes.
  static bool IsPrimvarName(std::string_view property_name);

  const Attribute& attribute() const { return attribute_; }
  // The name without "primvars:".
  std::string_view name() const;
  Token Interpolation(RequestContext& context) const;  // "constant" if not authored
  int ElementSize(RequestContext& context) const;      // 1 if not authored
  // The value of the attribute; if it has a string or strings, and there is a relationship
  // "primvars:NAME:idFrom", the path that this leads to: of its only target for a string, of the
  // first of several for strings, and none for other numbers of targets, as in OpenUSD.
  Value Get(RequestContext& context, TimeCode time) const;

  // The attribute "primvars:NAME:indices"; invalid if there is none.
  Attribute IndicesAttribute() const;
  bool IsIndexed(RequestContext& context) const;
  std::optional<Array<int>> GetIndices(RequestContext& context, TimeCode time) const;
  // The value with each index replaced by its elements, or the value itself if the primvar is not
  // indexed or not an array. Empty if the indices have no value or an index is out of range.
  Value ComputeFlattened(RequestContext& context, TimeCode time) const;
  // Adds the sources of the values and of the indices.
  absl::Status AddSources(RequestContext& context, SourceSink* sink) const;

 private:
  Attribute attribute_;
};

// Replaces each index by its group of `element_size` elements of `array`. Empty if an index is out
// of range, `array` is not an array, `element_size` is not positive, or the request is over.
Value FlattenIndexed(RequestContext& context, const Value& array, const Array<int>& indices,
                     int element_size);

// The prim's primvars with an authored value and those it inherits, in OpenUSD's order. It inherits
// a primvar from an ancestor if its interpolation is constant, it has an authored value and no
// nearer primvar of the same name hides it. With `is_wanted`, only primvars whose attributes have
// names that it accepts; the opinions about others are not read.
std::vector<Primvar> FindPrimvarsWithInheritance(
    RequestContext& context, const Prim& prim,
    const std::function<bool(Token)>& is_wanted = nullptr);
// As FindPrimvarsWithInheritance, for one primvar; `name` is without "primvars:". Empty if there is
// none.
std::optional<Primvar> FindPrimvarWithInheritance(RequestContext& context, const Prim& prim,
                                                  std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_PRIMVAR_H_
