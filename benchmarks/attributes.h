// Helpers over the attributes of a stage that several groups need.
#ifndef STAGEDOOR_BENCHMARKS_ATTRIBUTES_H_
#define STAGEDOOR_BENCHMARKS_ATTRIBUTES_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

std::vector<Prim> AllPrims(const Stage& stage, PrimFlagsPredicate predicate);
void AppendAuthoredAttributes(const Prim& prim, std::vector<Attribute>* out);
std::vector<Attribute> AuthoredAttributes(const std::vector<Prim>& prims);

// About `wanted` items, evenly spread.
template <typename T>
std::vector<T> Subsample(const std::vector<T>& items, size_t wanted) {
  std::vector<T> some;
  const size_t step = std::max<size_t>(1, items.size() / wanted);
  for (size_t i = 0; i < items.size(); i += step) some.push_back(items[i]);
  return some;
}

// Values at each time of each attribute, one after another; returns how many have a value.
double GetAll(RequestContext& context, const std::vector<Attribute>& attributes,
              const std::vector<double>& times);

// An attribute with its source worked out.
struct Query {
  Attribute attribute;
  AttributeSource source;
};
std::vector<Query> Compile(RequestContext& context, const std::vector<Attribute>& attributes);
double GetAll(RequestContext& context, const std::vector<Query>& queries,
              const std::vector<double>& times);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_ATTRIBUTES_H_
