#include "tests/tools/imaging_dump_labels.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "scene/semantics/labels.h"

namespace stagedoor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLowest = std::numeric_limits<double>::lowest();

constexpr struct {
  const char* name;
  double start, first, last;
} kLabelIntervals[] = {{"0 to 2", 0, 0, 2},
                       {"1 to 1", 1, 1, 1},
                       {"1.5 to 4", 1.5, 1.5, 4},
                       {"all", kLowest, -kInfinity, kInfinity},
                       {"from 3", 3, 3, kInfinity}};

constexpr const char* kTaxonomies[] = {"category", "z", "a:b", "other"};

Value Words(const std::vector<Token>& tokens) {
  return Value(Array<Token>::FromVector(std::vector<Token>(tokens)));
}

void PrintAt(LabelScopes& scopes, const Prim& prim, std::string_view name, const LabelTime& time) {
  LabelsQuery query(scopes, time);
  Record record("labels", prim);
  record.Text("time", name);
  for (const std::string_view taxonomy : kTaxonomies) {
    record.Put(taxonomy, Words(query.DirectLabels(prim, Token(taxonomy))));
    record.Put(Concat(taxonomy, " inherited"), Words(query.InheritedLabels(prim, Token(taxonomy))));
  }
  record.Print();
}

}  // namespace

void PrintLabels(RequestContext& context, const Prim& prim, const Times& times) {
  LabelScopes scopes(context);
  Record record("taxonomies", prim);
  record.Put("direct", Words(scopes.DirectTaxonomies(prim)));
  record.Put("inherited", Words(scopes.InheritedTaxonomies(prim)));
  record.Print();
  for (const NamedTime& time : times) PrintAt(scopes, prim, time.name, {.time = time.time});
  for (const auto& [name, start, first, last] : kLabelIntervals) {
    PrintAt(scopes, prim, name,
            {.time = TimeCode::At(start), .samples_within = std::pair(first, last)});
  }
}

}  // namespace stagedoor
