#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "client/cc/value_batch.h"
#include "client/cli/commands.h"
#include "client/cli/dump_record_writer.h"
#include "client/cli/geom_records.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

// The fields of prims from which records are made, without the stacks.
constexpr const char* kDumpedFields[] = {
    "specifier",
    "type_name",
    "inactive",
    "unloaded",
    "undefined",
    "abstract",
    "model",
    "group",
    "instance",
    "instanceable",
    "instance_proxy",
    "has_payload",
    "prototype",
    "kind",
    "api_schemas",
    "schema_ancestors",
    "children",
    "variant_sets",
    "metadata",
    "properties.metadata",
    "properties.source",
    "properties.blocked",
    "properties.values",
    "properties.time_samples",
    "properties.might_be_time_varying",
    "properties.connections",
    "properties.targets",
    "properties.forwarded_targets",
};

// Prints the records of one stage.
class Dump {
 public:
  Dump(Client& client, const CommandLine& line, const StageLease& stage,
       std::vector<TimeArgument> times, JsonWriter json, Output& output)
      : client_(client),
        line_(line),
        stage_(stage.ref()),
        times_(std::move(times)),
        output_(output),
        records_(std::filesystem::path(AbsoluteIdentifier(line.arguments().front()))
                     .parent_path()
                     .string(),
                 times_, line.Flag("stack")),
        json_(std::move(json)) {}

  absl::Status Run() {
    SD_RETURN_IF_ERROR(PrintStage());
    SD_RETURN_IF_ERROR(PrintPrims());
    if (line_.Flag("collections")) SD_RETURN_IF_ERROR(PrintCollections());
    if (line_.Flag("geom")) {
      SD_RETURN_IF_ERROR(PrintGeomRecords(client_, stage_, imageable_, times_, json_, output_));
    }
    if (line_.Flag("skin")) {
      SD_RETURN_IF_ERROR(PrintSkinRecords(client_, stage_, times_, json_, output_));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status PrintStage() {
    v1::GetStageRequest request;
    *request.mutable_stage() = stage_;
    request.add_details(v1::STAGE_DETAIL_METADATA);
    request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
    request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
    SD_ASSIGN_OR_RETURN(const v1::GetStageResponse response, client_.GetStage(request));
    records_.WriteStage(response.stage(), json_);
    output_.Line(json_);
    return absl::OkStatus();
  }

  void FillPredicate(v1::PrimPredicate* predicate) const {
    predicate->set_preset(v1::PrimPredicate::PRESET_ALL);
    predicate->set_instance_proxies(line_.Flag("instance-proxies"));
  }

  absl::Status PrintPrims() {
    v1::TraverseRequest request;
    *request.mutable_stage() = stage_;
    FillPredicate(request.mutable_predicate());
    for (const TimeArgument& time : times_) *request.mutable_times()->add_times() = time.time;
    for (const char* field : kDumpedFields) request.mutable_read_mask()->add_paths(field);
    if (line_.Flag("stack")) {
      request.mutable_read_mask()->add_paths("prim_stack");
      request.mutable_read_mask()->add_paths("properties.stacks");
    }
    return client_.Traverse(request, [&](const v1::TraverseResponse& response) {
      for (const v1::Prim& prim : response.prims()) {
        if (prim.has_error()) return ItemErrorAt(prim.path(), prim.error());
        PrintPrim(prim);
      }
      return output_.status();
    });
  }

  void PrintPrim(const v1::Prim& prim) {
    const auto& ancestors = prim.schema_ancestors();
    if (!prim.inactive() && !prim.undefined() && !prim.abstract() &&
        std::find(ancestors.begin(), ancestors.end(), "Imageable") != ancestors.end()) {
      imageable_.push_back(prim.path());
    }
    records_.WritePrim(prim, json_);
    output_.Line(json_);
  }

  absl::Status PrintCollections() {
    v1::ListCollectionsRequest request;
    *request.mutable_stage() = stage_;
    FillPredicate(request.mutable_predicate());
    return client_.ListCollections(request, [&](const v1::ListCollectionsResponse& response) {
      for (const v1::Collection& collection : response.collections()) {
        if (collection.has_error()) return ItemErrorAt(collection.path(), collection.error());
        records_.WriteCollection(collection, json_);
        output_.Line(json_);
      }
      return output_.status();
    });
  }

  Client& client_;
  const CommandLine& line_;
  const v1::StageRef stage_;
  const std::vector<TimeArgument> times_;
  Output& output_;
  DumpRecordWriter records_;
  JsonWriter json_;
  std::vector<std::string> imageable_;  // paths of the prims that get geometry records
};

}  // namespace

absl::Status RunDump(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(std::vector<TimeArgument> times,
                      ParseTimes(line.Option("times").value_or("default")));
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  const auto stage = OpenStage(client, line);
  if (!stage.ok()) {
    if (!IsUsageError(stage.status())) output.Line("{\"record\":\"stage\",\"error\":true}");
    return stage.status();
  }
  return Dump(client, line, *stage, std::move(times), std::move(json), output).Run();
}

}  // namespace stagedoor
