#ifndef STAGEDOOR_BENCHMARKS_ATTRIBUTES_H_
#define STAGEDOOR_BENCHMARKS_ATTRIBUTES_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

// Helpers for the attributes of a stage, shared by several groups.

std::vector<Prim> AllPrims(const Stage& stage, PrimFlagsPredicate predicate);
void AppendAuthoredAttributes(const Prim& prim, std::vector<Attribute>* out);
std::vector<Attribute> AuthoredAttributes(const std::vector<Prim>& prims);

// About `wanted` of the items, evenly spaced.
template <typename T>
std::vector<T> Subsample(const std::vector<T>& items, size_t wanted) {
  std::vector<T> some;
  const size_t step = std::max<size_t>(1, items.size() / wanted);
  for (size_t i = 0; i < items.size(); i += step) some.push_back(items[i]);
  return some;
}

// Reads each attribute at each time, one after another. Returns the number of values found.
double GetAll(RequestContext& context, const std::vector<Attribute>& attributes,
              const std::vector<double>& times);

std::vector<AttributeQuery> Queries(RequestContext& context,
                                    const std::vector<Attribute>& attributes);
double GetAll(RequestContext& context, const std::vector<AttributeQuery>& queries,
              const std::vector<double>& times);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_ATTRIBUTES_H_
