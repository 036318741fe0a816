#include "tests/tools/imaging_dump_topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "scene/geom/basis_curves.h"
#include "scene/geom/element_count.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/hermite_curves.h"
#include "scene/geom/mesh_topology.h"
#include "scene/geom/tet_mesh.h"
#include "scene/stage/stage.h"
#include "scene/stage/stage_statistics.h"

namespace stagedoor {
namespace {

Record TimedRecord(const Prim& prim, const NamedTime& time, std::string_view key) {
  Record record("topology", prim);
  record.Text("time", time.name);
  record.Text("key", key);
  return record;
}

void PrintValid(const Prim& prim, const NamedTime& time, const absl::Status& status) {
  Record record = TimedRecord(prim, time, "valid");
  record.Bool("valid", status.ok());
  record.Print();
}

void PrintTetMesh(RequestContext& context, const Prim& prim, const NamedTime& time) {
  PrintValid(prim, time, ValidateTetMeshTopology(context, prim, time.time));
  auto surface = ComputeSurfaceFaces(context, prim, time.time);
  if (surface.ok()) {
    Record record = TimedRecord(prim, time, "surface");
    record.Put("faces", Value(Array<Vec3i>::FromVector(std::move(surface->faces))));
    record.Print();
  }
  auto inverted = FindInvertedElements(context, prim, time.time);
  if (!inverted.ok()) return;
  Record record = TimedRecord(prim, time, "inverted");
  record.Put("elements", Value(Array<int>::FromVector(std::move(inverted->elements))));
  record.Print();
}

void PrintDataSizes(RequestContext& context, const Prim& prim, const NamedTime& time) {
  const CurveDataSizes sizes = ComputeCurveDataSizes(context, prim, time.time);
  Record record = TimedRecord(prim, time, "sizes");
  record.Text("uniform", Concat(sizes.uniform));
  record.Text("varying", sizes.varying ? Concat(*sizes.varying) : "");
  record.Text("vertex", Concat(sizes.vertex));
  std::string names = "[";
  for (const uint64_t size : {0u, 1u, 2u, 3u, 5u, 8u, 11u, 14u}) {
    if (names.size() > 1) names += ',';
    AppendJsonString(ComputeInterpolationForSize(sizes, size).text(), &names);
  }
  record.Json("interpolations", names + "]");
  record.Print();
}

void PrintHermite(RequestContext& context, const Prim& prim, const NamedTime& time) {
  const auto arrays = ReadPointsAndTangents(context, prim, time.time);
  Record record = TimedRecord(prim, time, "hermite");
  if (arrays.ok()) {
    record.Put("points", Value(arrays->points));
    record.Put("tangents", Value(arrays->tangents));
  } else {
    record.Text("points", "unequal");
  }
  record.Print();
}

void PrintTopologyAt(RequestContext& context, const Prim& prim, Token schema,
                     const NamedTime& time) {
  if (schema == Geom().TetMesh) return PrintTetMesh(context, prim, time);
  if (schema == Geom().NurbsPatch) return;
  Record count = TimedRecord(prim, time, "count");
  count.Json("elements", Concat(ElementCount(context, prim, schema, time.time)));
  count.Print();
  if (schema == Geom().Mesh) {
    PrintValid(prim, time, ValidateMeshTopology(context, prim, time.time));
  }
  if (schema == Geom().BasisCurves) PrintDataSizes(context, prim, time);
  if (schema == Geom().HermiteCurves) PrintHermite(context, prim, time);
}

// "[[total, active, inactive, pure over, instance], [[type, count], …]]".
std::string CountsJson(const PrimCounts& counts) {
  std::map<std::string_view, uint64_t> types;
  for (const auto& [type, count] : counts.types) types[type.text()] = count;
  std::string text = Concat("[[", counts.total, ",", counts.active, ",", counts.inactive, ",",
                            counts.pure_over, ",", counts.instance, "],[");
  for (const auto& [type, count] : types) {
    text += text.back() == '[' ? "[" : ",[";
    AppendJsonString(type, &text);
    text += Concat(",", count, "]");
  }
  return text + "]]";
}

}  // namespace

void PrintTopology(RequestContext& context, const Prim& prim, const Times& times) {
  const Token schema = TopologySchema(prim);
  Record record("schema", prim);
  record.Text("schema", schema.text());
  record.Print();
  if (schema.empty()) return;
  for (const NamedTime& time : times) PrintTopologyAt(context, prim, schema, time);
}

void PrintStatistics(RequestContext& context, const Prim& prim) {
  if (prim.parent().IsPseudoRoot()) {
    const auto all = ComputeStageStatistics(context, prim.stage(), {});
    if (!all.ok()) return;
    Record record("statistics", prim);
    record.Text("key", "stage");
    record.Json("layers", Concat(all->used_layers));
    record.Json("models",
                Concat("[", all->models, ",", all->instanced_models, ",", all->assets, "]"));
    record.Json("prototypeCount", Concat(all->prototypes));
    record.Json("primary", CountsJson(all->primary));
    record.Json("prototypes", CountsJson(all->prototyped));
    record.Print();
  }
  const auto below = ComputeStageStatistics(context, prim.stage(), {&prim, 1});
  if (!below.ok()) return;
  Record record("statistics", prim);
  record.Text("key", "subtree");
  record.Json("primary", CountsJson(below->primary));
  record.Json("payloads",
              Concat("[", below->primary.payload, ",", below->primary.unloaded_payload, "]"));
  record.Print();
}

}  // namespace stagedoor
