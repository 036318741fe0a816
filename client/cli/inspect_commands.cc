#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/value_batch.h"
#include "client/cli/commands.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_json.h"

namespace stagedoor {
namespace {

// The indentation of a prim below the requested root.
std::string Indent(std::string_view path, std::string_view root) {
  const auto depth = [](std::string_view p) {
    size_t slashes = 0;
    for (const char c : p) slashes += c == '/';
    return slashes;  // "/" has one slash, like its children, which are therefore not indented
  };
  return std::string(2 * (depth(path) - depth(root)), ' ');
}

std::string PrimText(const v1::Prim& prim) {
  std::string text = prim.path() == "/" ? "/" : prim.path().substr(prim.path().rfind('/') + 1);
  if (!prim.type_name().empty()) text.append(Concat(" [", prim.type_name(), "]"));
  if (!prim.kind().empty()) text.append(Concat(" ", prim.kind()));
  if (prim.inactive()) text.append(" inactive");
  if (prim.unloaded()) text.append(" unloaded");
  if (prim.instance()) text.append(" instance");
  if (prim.abstract()) text.append(" class");
  if (prim.undefined()) text.append(" over");
  return text;
}

std::string PropertyText(const v1::Property& property) {
  if (property.kind() == v1::Property::KIND_RELATIONSHIP) return Concat("rel ", property.name());
  // The type name may be unknown.
  return property.type_name().empty() ? property.name()
                                      : Concat(property.type_name(), " ", property.name());
}

void PrintFact(std::string_view name, std::string_view value, Output& output) {
  if (!value.empty()) output.Line(Concat(name, ": ", value));
}

// " of 64", or an empty string if there is no budget.
std::string OfBudget(bool has_budget, uint64_t budget) {
  return has_budget ? Concat(" of ", budget) : "";
}

std::string CacheText(const v1::CacheStatistics& c) {
  std::string text =
      Concat(c.name(), ": ", c.entries(), OfBudget(c.has_budget_entries(), c.budget_entries()),
             " entries, ", c.bytes(), OfBudget(c.has_budget_bytes(), c.budget_bytes()), " bytes, ",
             c.hits(), " hits, ", c.misses(), " misses, ", c.evictions(), " evictions, ", c.opens(),
             " opens, ", c.failures(), " failures");
  if (!c.has_open_files()) return text;
  return Concat(text, ", ", c.open_files(), " open files, ", c.pinned(), " pinned, ",
                c.prefetches(), " prefetches, ", c.missing(), " missing");
}

std::string ClipLayerText(const v1::ClipLayerStatistics& l) {
  return Concat(l.identifier(), ": ", l.bytes(), " bytes, ", l.opens(), " opens, ", l.hits(),
                " hits", l.pinned() ? ", pinned" : "", l.missing() ? ", missing" : "");
}

}  // namespace

absl::Status RunOpen(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const StageLease opened, OpenStage(client, line));
  v1::GetStageRequest request;
  *request.mutable_stage() = opened.ref();
  request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
  SD_ASSIGN_OR_RETURN(const v1::GetStageResponse response, client.GetStage(request));
  const v1::Stage& stage = response.stage();
  PrintFact("root", stage.root_layer(), output);
  PrintFact("session", stage.session_layer(), output);
  PrintFact("defaultPrim", stage.default_prim(), output);
  PrintFact("startTimeCode", FormatNumber(stage.start_time_code()), output);
  PrintFact("endTimeCode", FormatNumber(stage.end_time_code()), output);
  PrintFact("timeCodesPerSecond", FormatNumber(stage.time_codes_per_second()), output);
  PrintFact("framesPerSecond", FormatNumber(stage.frames_per_second()), output);
  for (const std::string& layer : stage.used_layers()) PrintFact("layer", layer, output);
  for (const v1::CompositionError& error : stage.composition_errors()) {
    output.Line(
        Concat("error: ", error.type(), " at <", error.prim_path(), ">: ", error.message()));
  }
  return absl::OkStatus();
}

absl::Status RunLs(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::GetPrimRequest request;
  *request.mutable_stage() = stage.ref();
  request.set_path(line.arguments().size() > 1 ? line.arguments()[1] : "/");
  request.mutable_read_mask()->add_paths("children");
  request.mutable_read_mask()->add_paths("properties");
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_ALL);
  request.mutable_predicate()->set_instance_proxies(true);
  SD_ASSIGN_OR_RETURN(const v1::GetPrimResponse response, client.GetPrim(request));
  for (const std::string& child : response.prim().children()) output.Line(child + "/");
  for (const v1::Property& property : response.prim().properties()) {
    output.Line(PropertyText(property));
  }
  return absl::OkStatus();
}

absl::Status RunTree(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const auto depth, line.CountOption("depth", 1000000));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  const std::string root = line.arguments().size() > 1 ? line.arguments()[1] : "/";
  v1::TraverseRequest request;
  *request.mutable_stage() = stage.ref();
  request.add_roots(root);
  for (const char* field :
       {"type_name", "kind", "inactive", "unloaded", "instance", "abstract", "undefined"}) {
    request.mutable_read_mask()->add_paths(field);
  }
  if (depth) request.set_max_depth(*depth);
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_ALL);
  request.mutable_predicate()->set_instance_proxies(line.Flag("instance-proxies"));
  return client.Traverse(request, [&](const v1::TraverseResponse& response) {
    for (const v1::Prim& prim : response.prims()) {
      if (prim.has_error()) return ItemErrorAt(prim.path(), prim.error());
      output.Line(Indent(prim.path(), root) + PrimText(prim));
    }
    return output.status();
  });
}

absl::Status RunStages(Client& client, const CommandLine&, Output& output) {
  v1::ListStagesRequest request;
  do {
    SD_ASSIGN_OR_RETURN(const v1::ListStagesResponse response, client.ListStages(request));
    for (const v1::Stage& stage : response.stages()) {
      output.Line(Concat(stage.root_layer(), '\t', stage.lease_count(), " leases"));
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return absl::OkStatus();
}

absl::Status RunStats(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const v1::GetServerStatisticsResponse server,
                      client.GetServerStatistics(v1::GetServerStatisticsRequest()));
  output.Line(Concat("stages ", server.open_stages(), ", leases ", server.leases(), ", resident ",
                     server.resident_bytes() >> 20, " MiB"));
  if (const v1::FollowStatistics& follow = server.follow();
      follow.stages() > 0 || follow.changes() > 0) {
    output.Line(Concat("followed stages ", follow.stages(), ", watched assets ",
                       follow.watched_assets(), ", polled assets ", follow.polled_assets(),
                       ", changes ", follow.changes(), ", reopens ", follow.reopens(),
                       ", failures ", follow.failures()));
  }
  v1::GetCacheStatisticsRequest request;
  request.set_with_layers(line.Flag("layers"));
  SD_ASSIGN_OR_RETURN(const v1::GetCacheStatisticsResponse caches,
                      client.GetCacheStatistics(request));
  for (const v1::CacheStatistics& c : caches.caches()) output.Line(CacheText(c));
  for (const v1::ClipLayerStatistics& l : caches.clip_layers()) output.Line(ClipLayerText(l));
  return absl::OkStatus();
}

}  // namespace stagedoor
