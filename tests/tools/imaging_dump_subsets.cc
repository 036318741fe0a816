#include "tests/tools/imaging_dump_subsets.h"

#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "scene/geom/basis_curves.h"
#include "scene/geom/geom_subset.h"
#include "scene/geom/geom_tokens.h"

namespace stagedoor {
namespace {

std::string PathsJson(const std::vector<GeomSubset>& subsets) {
  std::string text = "[";
  for (const GeomSubset& subset : subsets) {
    if (text.size() > 1) text += ',';
    AppendJsonString(subset.prim.PathText(), &text);
  }
  return text + "]";
}

// A prim of another type has no valid families.
void PrintFamily(RequestContext& context, const Prim& prim, const GeomSubset& family,
                 const Times& times) {
  const Token type = family.element_type;
  const Token name = family.family_name;
  const std::string key = Concat(type.text(), " ", name.text());
  Record record("family", prim);
  record.Text("key", key);
  record.Json("subsets", PathsJson(FindGeomSubsets(context, prim, type, name)));
  record.Bool("valid", ValidateSubsetFamily(context, prim, type, name).ok());
  record.Text("type", SubsetFamilyType(context, prim, name).text());
  record.Print();
  for (const NamedTime& time : times) {
    const auto found = ComputeUnassignedIndices(context, prim, type, name, time.time);
    Record unassigned("unassigned", prim);
    unassigned.Text("time", time.name);
    unassigned.Text("key", key);
    if (found.ok()) {
      unassigned.Put("unassigned", Value(Array<int>::FromVector(std::vector(found->indices))));
    } else {
      unassigned.Text("unassigned", "failed");
    }
    unassigned.Print();
  }
}

}  // namespace

void PrintSubsets(RequestContext& context, const Prim& prim, const Times& times) {
  const bool shown = prim.IsActive() && prim.IsDefined() && !prim.IsAbstract();
  if (!shown || !prim.IsA(Geom().Imageable)) return;
  std::vector<GeomSubset> families;
  for (const GeomSubset& subset : FindGeomSubsets(context, prim)) {
    bool known = false;
    for (const GeomSubset& family : families) {
      known |=
          family.element_type == subset.element_type && family.family_name == subset.family_name;
    }
    if (!known) families.push_back(subset);
  }
  for (const GeomSubset& family : families) PrintFamily(context, prim, family, times);
  if (!prim.IsA(Geom().BasisCurves)) return;
  for (const NamedTime& time : times) {
    Reservation reserved(context);
    Record record("segments", prim);
    record.Text("time", time.name);
    record.Put(
        "segments",
        Value(Array<int>::FromVector(ComputeSegmentCounts(context, prim, time.time, &reserved))));
    record.Print();
  }
}

}  // namespace stagedoor
