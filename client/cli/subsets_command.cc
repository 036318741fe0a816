#include <cstdint>
#include <string>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"
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

std::string CountText(size_t count, const char* one, const char* more) {
  return Concat(count, " ", count == 1 ? one : more);
}

// The family of a subset; an empty one if it has none.
v1::SubsetFamily FamilyOf(const v1::PrimSubsets& item, const v1::GeomSubset& subset) {
  for (const v1::SubsetFamily& family : item.families()) {
    if (family.family_name() == subset.family_name() &&
        family.element_type() == subset.element_type()) {
      return family;
    }
  }
  return {};
}

// Prints the items of a stream.
class SubsetsPrinter {
 public:
  SubsetsPrinter(const v1::ComputeSubsetsRequest& request, RecordFormat format, Output& output)
      : request_(request),
        output_(output),
        records_(format,
                 {{"path"},
                  {"time", true},
                  {"subset"},
                  {"element_type"},
                  {"family"},
                  {"family_type"},
                  {"count", true},
                  {"unassigned", true},
                  {"problem"},
                  {"indices", false, false}},
                 output) {}

  absl::Status Take(const v1::ComputeSubsetsResponse& part) {
    for (const v1::PrimSubsets& item : part.items()) {
      SD_ASSIGN_OR_RETURN(const TimedItem place, TimedItemOf(request_, item.item()));
      if (item.has_error()) return ItemErrorAt(place.path, item.error());
      if (records_.is_text()) {
        PrintText(place, item);
      } else {
        AddRecords(place, item);
      }
      SD_RETURN_IF_ERROR(output_.status());
    }
    return absl::OkStatus();
  }
  void Finish() { records_.Finish(); }

 private:
  void PrintText(const TimedItem& place, const v1::PrimSubsets& item) {
    output_.Line(Concat(SafeText(place.path), " at ", TimeText(place.time), ": ",
                        CountText(static_cast<size_t>(item.subsets_size()), "subset", "subsets")));
    for (const v1::GeomSubset& subset : item.subsets()) {
      std::string text = Concat("  ", subset.path(), " ", subset.element_type());
      if (!subset.family_name().empty()) text += Concat(" of ", subset.family_name());
      text += Concat(": ", CountText(PackedElementCount(subset.indices()), "index", "indices"));
      output_.Line(SafeText(text));
    }
    for (const v1::SubsetFamily& family : item.families()) {
      std::string text = Concat("  family ", family.family_name(), ": ", family.element_type(), " ",
                                family.family_type());
      if (family.has_unassigned_indices()) {
        text += Concat(", ", PackedElementCount(family.unassigned_indices()), " unassigned");
      }
      if (!family.problem().empty()) text += Concat("; ", family.problem());
      output_.Line(SafeText(text));
    }
  }

  void AddRecords(const TimedItem& place, const v1::PrimSubsets& item) {
    for (const v1::GeomSubset& subset : item.subsets()) {
      const v1::SubsetFamily family = FamilyOf(item, subset);
      records_.Add("", {place.path, TimeCell(place.time), subset.path(), subset.element_type(),
                        Cell::TextIfAny(subset.family_name()),
                        Cell::TextIfAny(family.family_type()), PackedElementCount(subset.indices()),
                        family.has_unassigned_indices()
                            ? Cell(PackedElementCount(family.unassigned_indices()))
                            : Cell(),
                        Cell::TextIfAny(family.problem()), PackedCell(subset.indices())});
    }
  }

  const v1::ComputeSubsetsRequest& request_;
  Output& output_;
  RecordPrinter records_;
};

}  // namespace

absl::Status RunSubsets(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeSubsetsRequest>(line));
  request.set_element_type(line.Option("element-type").value_or(""));
  request.set_family_name(line.Option("family").value_or(""));
  request.set_with_unassigned_indices(true);
  request.set_with_problems(line.Flag("check"));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SubsetsPrinter printer(request, format, output);
  SD_RETURN_IF_ERROR(client.ComputeSubsets(
      request, [&](const v1::ComputeSubsetsResponse& part) { return printer.Take(part); }));
  printer.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
