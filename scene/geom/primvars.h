// Primvars: the attributes "primvars:NAME" and what prims inherit of them (UsdGeomPrimvarsAPI).
//
// Handles are valid as long as the stage snapshot. Thread-safe.
#ifndef STAGEDOOR_SCENE_GEOM_PRIMVARS_H_
#define STAGEDOOR_SCENE_GEOM_PRIMVARS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

class Primvar {
 public:
  explicit Primvar(Attribute attribute) : attribute_(std::move(attribute)) {}
  // Whether a property is a primvar: in their namespace and not the indices of one.
  static bool IsPrimvarName(std::string_view property_name);

  const Attribute& attribute() const { return attribute_; }
  // Without "primvars:".
  std::string_view name() const;
  Token Interpolation(RequestContext& context) const;  // "constant" where none is given
  int ElementSize(RequestContext& context) const;      // 1 where none is given
  Value Get(RequestContext& context, Time time) const { return attribute_.Get(context, time); }

  // The attribute of its indices; invalid when it is not indexed.
  Attribute IndicesAttribute() const;
  bool IsIndexed(RequestContext& context) const;
  std::optional<Array<int>> GetIndices(RequestContext& context, Time time) const;
  // Each index replaced by its elements. The value itself when it is not indexed; empty when
  // indices are out of range or there is no array.
  Value ComputeFlattened(RequestContext& context, Time time) const;

 private:
  Attribute attribute_;
};

// Flattens an array of groups of `element_size` elements; empty for an index out of range.
// Incomplete or empty once the context is done.
Value FlattenIndexed(RequestContext& context, const Value& array, const Array<int>& indices,
                     int element_size);

// The primvars of the prim that have an authored value, and those inherited from ancestors:
// constant ones with an authored value, not hidden by a nearer primvar of that name.
std::vector<Primvar> FindPrimvarsWithInheritance(RequestContext& context, const Prim& prim);
std::optional<Primvar> FindPrimvarWithInheritance(RequestContext& context, const Prim& prim,
                                                  std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_PRIMVARS_H_
