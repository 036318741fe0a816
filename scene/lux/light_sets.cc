#include "scene/lux/light_sets.h"

#include <algorithm>
#include <utility>

#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr size_t kBytesPerRule = 64;     // a node of the rules, with its bucket
constexpr size_t kBytesPerRegion = 128;  // a node of the map, without its indices
constexpr int64_t kStepsPerQuery = 4;
constexpr int64_t kStepsPerExpression = 16;

}  // namespace

LightSets::LightSets(RequestContext& context, const std::vector<Prim>& lights, Token collection)
    : pacer_(context), reserved_(context), regions_of_rules_(context) {
  for (size_t i = 0; i < lights.size() && pacer_.Go(); ++i) {
    if (!lights[i].valid()) continue;
    CollectionMembershipQuery query =
        Collection(lights[i], collection).ComputeMembershipQuery(context);
    if (!query.MayInclude()) continue;
    const bool has_rules = query.mode() == CollectionMembershipQuery::Mode::kRules;
    if (!regions_of_rules_.Add(query.rules())) return;
    const size_t bytes = sizeof(query) + query.rules().rules().size() * kBytesPerRule;
    if (!reserved_.Grow(bytes, "the rules of lights").ok()) return;
    auto& queries = has_rules ? by_rules_ : by_expression_;
    queries.emplace_back(static_cast<uint32_t>(i), std::move(query));
  }
}

uint32_t LightSets::Find(const Prim& prim) {
  RegionLights& region = LinkedByRules(prim);
  if (by_expression_.empty()) {
    if (!region.number) region.number = NumberOf(region.linked);
    return *region.number;
  }
  const Path path = prim.path();
  Indices linked = region.linked;
  const size_t count = linked.size();
  for (const auto& [light, query] : by_expression_) {
    if (!pacer_.Go(kStepsPerExpression)) return 0;
    if (query.Includes(path)) linked.push_back(light);
  }
  std::inplace_merge(linked.begin(), linked.begin() + static_cast<ptrdiff_t>(count), linked.end());
  return NumberOf(std::move(linked));
}

// The lights with rules that a prim is linked to. Those of all prims of a region are the same, as
// the nearest rule of each collection is.
LightSets::RegionLights& LightSets::LinkedByRules(const Prim& prim) {
  const auto [it, is_new] = regions_.try_emplace(regions_of_rules_.Of(prim));
  if (!is_new) return it->second;
  const Path path = prim.path();
  Indices& linked = it->second.linked;
  for (const auto& [light, query] : by_rules_) {
    if (!pacer_.Go(kStepsPerQuery)) break;
    if (query.Includes(path)) linked.push_back(light);
  }
  reserved_.Grow(kBytesPerRegion + linked.size() * sizeof(uint32_t), "light sets").IgnoreError();
  return it->second;
}

uint32_t LightSets::NumberOf(Indices indices) {
  const auto [it, is_new] = numbers_.try_emplace(indices, static_cast<uint32_t>(sets_.size()));
  if (!is_new) return it->second;
  const size_t bytes = kBytesPerRegion + 2 * indices.size() * sizeof(uint32_t);
  reserved_.Grow(bytes, "light sets").IgnoreError();  // which ends the request
  sets_.push_back(std::move(indices));
  return it->second;
}

}  // namespace stagedoor
