#include <string>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/packed_cell.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_json.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

// The elements of each type of geometry.
std::string_view ElementsWord(std::string_view type) {
  if (type == "Mesh") return "faces";
  if (type == "TetMesh") return "tetrahedra";
  if (type == "PointInstancer") return "instances";
  return type.ends_with("Curves") ? "curves" : "";
}

// Prints the items of a stream.
class TopologyPrinter {
 public:
  TopologyPrinter(const v1::ComputeTopologyRequest& request, RecordFormat format, Output& output)
      : request_(request),
        output_(output),
        records_(format,
                 {{"path"},
                  {"time", true},
                  {"type"},
                  {"elements", true},
                  {"points", true},
                  {"uniform", true},
                  {"varying", true},
                  {"vertex", true},
                  {"problem"},
                  {"surface_faces", false, false},
                  {"inverted_elements", false, false},
                  {"segment_counts", false, false},
                  {"point_values", false, false},
                  {"tangents", false, false}},
                 output) {}

  absl::Status Take(const v1::ComputeTopologyResponse& part) {
    for (const v1::PrimTopology& item : part.items()) {
      SD_ASSIGN_OR_RETURN(const TimedItem place, TimedItemOf(request_, item.item()));
      if (item.has_error()) return ItemErrorAt(place.path, item.error());
      if (records_.is_text()) {
        PrintText(place, item);
      } else {
        AddRecord(place, item);
      }
      SD_RETURN_IF_ERROR(output_.status());
    }
    return absl::OkStatus();
  }
  void Finish() { records_.Finish(); }

 private:
  void PrintText(const TimedItem& place, const v1::PrimTopology& item) {
    std::string text = Concat(place.path, " at ", TimeText(place.time), ": ");
    if (item.schema_type().empty()) {
      output_.Line(SafeText(text + "not geometry"));
      return;
    }
    text += item.schema_type();
    const std::string_view elements = ElementsWord(item.schema_type());
    if (!elements.empty()) text += Concat(", ", item.element_count(), " ", elements);
    if (item.schema_type() != "PointInstancer") text += Concat(", ", item.point_count(), " points");
    if (item.has_data_sizes()) {
      const v1::CurveDataSizes& sizes = item.data_sizes();
      text += Concat("; values: ", sizes.uniform(), " uniform, ");
      if (sizes.has_varying()) text += Concat(sizes.varying(), " varying, ");
      text += Concat(sizes.vertex(), " vertex");
    }
    if (!item.problem().empty()) text += Concat("; ", item.problem());
    output_.Line(SafeText(text));
    PrintCount("surface triangles", item.has_surface_faces(), item.surface_faces());
    PrintCount("inverted tetrahedra", item.has_inverted_elements(), item.inverted_elements());
    PrintCount("segment counts", item.has_segment_counts(), item.segment_counts());
    PrintCount("tangents", item.has_tangents(), item.tangents());
  }

  void PrintCount(std::string_view name, bool has, const v1::PackedValues& packed) {
    if (has) output_.Line(Concat("  ", name, ": ", PackedElementCount(packed)));
  }

  void AddRecord(const TimedItem& place, const v1::PrimTopology& item) {
    const v1::CurveDataSizes& sizes = item.data_sizes();
    const bool has_sizes = item.has_data_sizes();
    records_.Add(
        "", {place.path, TimeCell(place.time), Cell::TextIfAny(item.schema_type()),
             item.element_count(), item.point_count(), has_sizes ? Cell(sizes.uniform()) : Cell(),
             sizes.has_varying() ? Cell(sizes.varying()) : Cell(),
             has_sizes ? Cell(sizes.vertex()) : Cell(), Cell::TextIfAny(item.problem()),
             item.has_surface_faces() ? PackedCell(item.surface_faces()) : Cell(),
             item.has_inverted_elements() ? PackedCell(item.inverted_elements()) : Cell(),
             item.has_segment_counts() ? PackedCell(item.segment_counts()) : Cell(),
             item.has_points() ? PackedCell(item.points()) : Cell(),
             item.has_tangents() ? PackedCell(item.tangents()) : Cell()});
  }

  const v1::ComputeTopologyRequest& request_;
  Output& output_;
  RecordPrinter records_;
};

}  // namespace

absl::Status RunTopology(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeTopologyRequest>(line));
  request.set_with_problems(line.Flag("check"));
  const bool with_arrays = line.Flag("with-arrays");
  request.set_with_surface_faces(with_arrays);
  request.set_with_inverted_elements(with_arrays);
  request.set_with_segment_counts(with_arrays);
  request.set_with_tangents(with_arrays);
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  TopologyPrinter printer(request, format, output);
  SD_RETURN_IF_ERROR(client.ComputeTopology(
      request, [&](const v1::ComputeTopologyResponse& part) { return printer.Take(part); }));
  printer.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
