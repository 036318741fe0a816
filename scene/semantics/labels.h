#ifndef STAGEDOOR_SCENE_SEMANTICS_LABELS_H_
#define STAGEDOOR_SCENE_SEMANTICS_LABELS_H_

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The labels of prims, in taxonomies such as "category". Correspond to OpenUSD's
// UsdSemanticsLabelsAPI and UsdSemanticsLabelsQuery.

// Finds the taxonomies of many prims of a stage: those of the labels that are applied to a prim,
// and those that it inherits. Valid as long as the stage. Not thread-safe.
class LabelScopes {
 public:
  using Tokens = std::vector<Token>;

  explicit LabelScopes(RequestContext& context)
      : context_(context), pacer_(context), reserved_(context) {}

  RequestContext& context() const { return context_; }

  // The closest prim with labels: the prim itself or one above it. Invalid if there is none, or the
  // request is over.
  Prim Nearest(const Prim& prim) { return Find(prim).prim; }

  // The taxonomies of a prim in the order of its applied schemas.
  // Corresponds to UsdSemanticsLabelsAPI::GetDirectTaxonomies.
  Tokens DirectTaxonomies(const Prim& prim);
  // With those of the prims above it; ascending. The reference is valid as long as this object.
  // Corresponds to UsdSemanticsLabelsAPI::ComputeInheritedTaxonomies.
  const Tokens& InheritedTaxonomies(const Prim& prim) { return *Find(prim).taxonomies; }

 private:
  struct Scope {
    Prim prim;                 // see Nearest
    const Tokens* taxonomies;  // that are in scope there
  };
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash(); }
  };

  Scope Find(const Prim& prim);
  Scope Extend(const Scope& above, const Prim& prim, Tokens direct);

  RequestContext& context_;
  Pacer pacer_;
  Reservation reserved_;
  const Tokens none_;
  std::deque<Tokens> lists_;
  std::unordered_map<Prim, Scope, PrimHash> scopes_;
};

// When labels are read.
struct LabelTime {
  // A time, or the start of an interval.
  TimeCode time;
  // If set, the labels of all samples between these times, both included, count as well.
  std::optional<std::pair<double, double>> samples_within;
};

// Finds the labels of many prims at a time or in an interval. The object for scopes must outlive
// it. Not thread-safe.
class LabelsQuery {
 public:
  using Tokens = std::vector<Token>;

  LabelsQuery(LabelScopes& scopes, const LabelTime& time)
      : scopes_(scopes),
        context_(scopes.context()),
        time_(time),
        pacer_(context_),
        reserved_(context_) {}

  // The labels of a prim in a taxonomy; ascending, each once. None if the schema is not applied, or
  // one of the values is missing, blocked or not an array of tokens.
  // Corresponds to UsdSemanticsLabelsQuery::ComputeUniqueDirectLabels.
  Tokens DirectLabels(const Prim& prim, Token taxonomy);
  // With those of the prims above it. The reference is valid as long as this object.
  // Corresponds to UsdSemanticsLabelsQuery::ComputeUniqueInheritedLabels.
  const Tokens& InheritedLabels(const Prim& prim, Token taxonomy);

 private:
  using Key = std::pair<Prim, Token>;
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return HashCombine(key.first.hash(), key.second.hash());
    }
  };

  bool Collect(const Attribute& attribute, TimeCode time, Reservation* reserved, Tokens* labels);
  bool CollectSamples(const Attribute& attribute, Reservation* reserved, Tokens* labels);
  const Tokens* Join(const Tokens* above, Tokens direct);

  LabelScopes& scopes_;
  RequestContext& context_;
  const LabelTime time_;
  Pacer pacer_;
  Reservation reserved_;
  const Tokens none_;
  std::deque<Tokens> lists_;
  std::unordered_map<Key, const Tokens*, KeyHash> inherited_;  // by prim with labels
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SEMANTICS_LABELS_H_
