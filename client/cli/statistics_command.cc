#include <cstdint>
#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

// Prints the numbers of one reply.
class StatisticsPrinter {
 public:
  StatisticsPrinter(RecordFormat format, Output& output)
      : records_(format, {{"part"}, {"name"}, {"type"}, {"count", /*right=*/true}}, output) {}

  void Print(const v1::ComputeStageStatisticsResponse& reply) {
    Add("stage", "layers", reply.used_layer_count());
    Add("stage", "models", reply.model_count());
    Add("stage", "instanced models", reply.instanced_model_count());
    Add("stage", "assets", reply.asset_count());
    Add("stage", "prototypes", reply.prototype_count());
    PrintCounts("prims", "prims", reply.primary());
    if (reply.prototype_count() != 0) {
      PrintCounts("prototypes", "prims of prototypes", reply.prototypes());
    }
    records_.Finish();
  }

 private:
  void Add(std::string_view part, std::string_view name, uint64_t count) {
    records_.Add(Concat(part == "stage" ? "" : "  ", name, ": ", count),
                 {part, name, Cell(), count});
  }

  void PrintCounts(std::string_view part, std::string_view title, const v1::PrimCounts& counts) {
    records_.Add(Concat(title, ": ", counts.total()), {part, "total", Cell(), counts.total()});
    Add(part, "active", counts.active());
    Add(part, "inactive", counts.inactive());
    Add(part, "pure overs", counts.pure_over());
    Add(part, "instances", counts.instance());
    Add(part, "payloads", counts.payload());
    Add(part, "unloaded payloads", counts.unloaded_payload());
    for (const v1::TypeCount& type : counts.types()) {
      const std::string& name = type.type_name();
      records_.Add(Concat("  ", name.empty() ? "(no type)" : name, ": ", type.count()),
                   {part, "of type", name, type.count()});
    }
  }

  RecordPrinter records_;
};

}  // namespace

absl::Status RunStatistics(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::ComputeStageStatisticsRequest request;
  *request.mutable_stage() = stage.ref();
  for (size_t i = 1; i < line.arguments().size(); ++i) request.add_roots(line.arguments()[i]);
  SD_ASSIGN_OR_RETURN(const v1::ComputeStageStatisticsResponse reply,
                      client.ComputeStageStatistics(request));
  StatisticsPrinter(format, output).Print(reply);
  return absl::OkStatus();
}

}  // namespace stagedoor
