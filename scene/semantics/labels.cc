#include "scene/semantics/labels.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/strings.h"
#include "scene/geom/attribute_values.h"
#include "scene/values/array.h"

namespace stagedoor {
namespace {

constexpr std::string_view kLabelsSchema = "SemanticsLabelsAPI:";
constexpr std::string_view kLabelsPrefix = "semantics:labels:";
constexpr int64_t kStepsPerScope = 8;
constexpr int64_t kStepsPerRead = 16;
constexpr size_t kBytesPerScope = 96;  // an entry of the map, and its list
constexpr size_t kBytesPerJoin = 96;
constexpr size_t kFewLabels = 1024;

void SortUnique(std::vector<Token>* tokens) {
  std::sort(tokens->begin(), tokens->end());
  tokens->erase(std::unique(tokens->begin(), tokens->end()), tokens->end());
}

// The union of two ascending lists.
std::vector<Token> UnionOf(const std::vector<Token>& a, const std::vector<Token>& b) {
  std::vector<Token> all;
  all.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

LabelScopes::Tokens LabelScopes::DirectTaxonomies(const Prim& prim) {
  Tokens taxonomies;
  for (const Token schema : prim.AppliedSchemas()) {
    if (!pacer_.Go()) break;
    if (!schema.text().starts_with(kLabelsSchema)) continue;
    taxonomies.emplace_back(schema.text().substr(kLabelsSchema.size()));
  }
  return taxonomies;
}

LabelScopes::Scope LabelScopes::Find(const Prim& prim) {
  Scope scope{.prim = Prim(), .taxonomies = &none_};
  std::vector<Prim> chain;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!pacer_.Go(kStepsPerScope)) return scope;
    const auto known = scopes_.find(at);
    if (known != scopes_.end()) {
      scope = known->second;
      break;
    }
    chain.push_back(at);
  }
  for (auto below = chain.rbegin(); below != chain.rend(); ++below) {
    Tokens direct = DirectTaxonomies(*below);
    if (!direct.empty()) scope = Extend(scope, *below, std::move(direct));
    if (!reserved_.Grow(kBytesPerScope, "scopes of labels").ok()) return scope;
    scopes_.emplace(*below, scope);
  }
  return scope;
}

LabelScopes::Scope LabelScopes::Extend(const Scope& above, const Prim& prim, Tokens direct) {
  SortUnique(&direct);
  const size_t size = above.taxonomies->size() + direct.size();
  if (!pacer_.Go(static_cast<int64_t>(size)) ||
      !reserved_.Grow(size * sizeof(Token), "taxonomies").ok()) {
    return {.prim = prim, .taxonomies = &none_};
  }
  lists_.push_back(UnionOf(*above.taxonomies, direct));
  return {.prim = prim, .taxonomies = &lists_.back()};
}

LabelsQuery::Tokens LabelsQuery::DirectLabels(const Prim& prim, Token taxonomy) {
  const auto schema = Token::Find(Concat(kLabelsSchema, taxonomy.text()));
  const auto name = Token::Find(Concat(kLabelsPrefix, taxonomy.text()));
  if (taxonomy.empty() || !schema || !name || !prim.HasApi(*schema)) return {};
  const Attribute attribute = prim.GetAttribute(*name);
  if (!attribute.valid()) return {};
  Reservation reserved(context_);
  Tokens labels;
  if (!Collect(attribute, time_.time, &reserved, &labels) ||
      !CollectSamples(attribute, &reserved, &labels)) {
    return {};
  }
  SortUnique(&labels);
  return labels;
}

bool LabelsQuery::Collect(const Attribute& attribute, TimeCode time, Reservation* reserved,
                          Tokens* labels) {
  const auto value = TypedValue<Array<Token>>(context_, attribute, time);
  if (!value || !pacer_.Go(kStepsPerRead + static_cast<int64_t>(value->size()))) return false;
  const size_t needed = labels->size() + value->size();
  if (needed > labels->capacity()) {
    const size_t capacity = std::max(needed, 2 * labels->capacity());
    const size_t bytes = (capacity - labels->capacity()) * sizeof(Token);
    if (!reserved->Grow(bytes, "labels").ok()) return false;
    labels->reserve(capacity);
  }
  labels->insert(labels->end(), value->begin(), value->end());
  return true;
}

bool LabelsQuery::CollectSamples(const Attribute& attribute, Reservation* reserved,
                                 Tokens* labels) {
  if (!time_.samples_within) return true;
  const auto [first, last] = *time_.samples_within;
  size_t limit = kFewLabels;
  for (const double time : attribute.SampleTimes(context_)) {
    if (!pacer_.Go()) return false;
    if (time < first || time > last) continue;
    if (!Collect(attribute, TimeCode::At(time), reserved, labels)) return false;
    if (labels->size() < limit) continue;
    SortUnique(labels);
    limit = 2 * labels->size() + kFewLabels;
  }
  return true;
}

const LabelsQuery::Tokens& LabelsQuery::InheritedLabels(const Prim& prim, Token taxonomy) {
  const Tokens* labels = &none_;
  std::vector<Prim> chain;
  for (Prim at = scopes_.Nearest(prim); at.valid(); at = scopes_.Nearest(at.parent())) {
    if (!pacer_.Go()) return none_;
    const auto known = inherited_.find({at, taxonomy});
    if (known != inherited_.end()) {
      labels = known->second;
      break;
    }
    chain.push_back(at);
  }
  for (auto below = chain.rbegin(); below != chain.rend(); ++below) {
    labels = Join(labels, DirectLabels(*below, taxonomy));
    if (!reserved_.Grow(kBytesPerJoin, "labels").ok()) return none_;
    inherited_.emplace(Key(*below, taxonomy), labels);
  }
  return *labels;
}

// The union of the labels above a prim and its own.
const LabelsQuery::Tokens* LabelsQuery::Join(const Tokens* above, Tokens direct) {
  if (std::includes(above->begin(), above->end(), direct.begin(), direct.end())) return above;
  const size_t size = above->size() + direct.size();
  if (!pacer_.Go(static_cast<int64_t>(size)) ||
      !reserved_.Grow(size * sizeof(Token), "labels").ok()) {
    return &none_;
  }
  lists_.push_back(above->empty() ? std::move(direct) : UnionOf(*above, direct));
  return &lists_.back();
}

}  // namespace stagedoor
