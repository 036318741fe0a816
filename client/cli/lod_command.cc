#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/camera_options.h"
#include "client/cli/commands.h"
#include "client/cli/json_writer.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

// The value of --viewpoint: "1,2,3".
absl::Status ParseViewpoint(std::string_view text, v1::LodView* view) {
  std::string_view rest = text;
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    const auto number = ParseNumber<double>(rest.substr(0, comma));
    more = comma != std::string_view::npos;
    if (!number || view->viewpoint_size() == 3) {
      view->clear_viewpoint();
      break;
    }
    view->add_viewpoint(*number);
    if (more) rest.remove_prefix(comma + 1);
  }
  if (view->viewpoint_size() == 3) return absl::OkStatus();
  return UsageError(Concat("--viewpoint must be X,Y,Z, not ", Quoted(text)));
}

absl::StatusOr<v1::ComputeLevelsOfDetailRequest> LodRequest(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeLevelsOfDetailRequest>(line));
  const auto camera = line.Option("camera");
  const auto viewpoint = line.Option("viewpoint");
  if (camera.has_value() == viewpoint.has_value()) {
    return UsageError("lod needs either --camera or --viewpoint");
  }
  if (camera) request.set_camera(*camera);
  if (viewpoint) SD_RETURN_IF_ERROR(ParseViewpoint(*viewpoint, request.mutable_view()));
  SD_RETURN_IF_ERROR(SetCameraFit(line, &request));
  request.set_domain(line.Option("domain").value_or(""));
  return request;
}

std::string_view ReasonWord(v1::LodReason reason) {
  switch (reason) {
    case v1::LOD_REASON_OVERRIDE:
      return "override";
    case v1::LOD_REASON_DISTANCE:
      return "distance";
    case v1::LOD_REASON_SCREEN_SIZE:
      return "screen size";
    default:
      return "default";
  }
}

// The name of a level; its number if the reply does not have it.
std::string LevelName(const v1::LodRoot& root, uint32_t level) {
  const bool known = level < static_cast<uint32_t>(root.levels_size());
  return known ? root.levels(static_cast<int>(level)) : Concat(level);
}

// "High", "High, Low 0.25" for a blend, "all levels" or "no level".
std::string ShownText(const v1::LodRoot& root, const v1::LodChoice& choice) {
  if (choice.shown() == v1::LOD_SHOWN_ALL) return "all levels";
  if (choice.shown() != v1::LOD_SHOWN_LEVELS) return "no level";
  std::string text = SafeText(LevelName(root, choice.level()));
  if (choice.blend() == 0) return text;
  return Concat(text, ", ", SafeText(LevelName(root, choice.level() + 1)), " ",
                FormatNumber(choice.blend()));
}

// "distance 11 by /H", "override noLOD of /A" or "default".
std::string WhyText(const v1::LodChoice& choice) {
  std::string text(ReasonWord(choice.reason()));
  if (!choice.heuristic().empty()) {
    text += Concat(" ", FormatNumber(choice.measure()), " by ", SafeText(choice.heuristic()));
  }
  if (choice.reason() == v1::LOD_REASON_OVERRIDE) {
    text += Concat(" ", SafeText(choice.override_mode()), " of ", SafeText(choice.override_prim()));
  }
  return text;
}

// The shares of the levels that are shown, by name.
Cell SharesOf(const v1::LodRoot& root, const v1::LodChoice& choice) {
  JsonWriter json;
  json.BeginObject();
  if (choice.shown() == v1::LOD_SHOWN_ALL) {
    for (const std::string& level : root.levels()) {
      json.Key(level);
      json.Number(1.0);
    }
  } else if (choice.shown() == v1::LOD_SHOWN_LEVELS) {
    json.Key(LevelName(root, choice.level()));
    json.Number(1 - choice.blend());
    if (choice.blend() != 0) {
      json.Key(LevelName(root, choice.level() + 1));
      json.Number(choice.blend());
    }
  }
  json.EndObject();
  return Cell::Json(json.Take());
}

absl::Status PrintLevels(const v1::ComputeLevelsOfDetailRequest& request,
                         const v1::ComputeLevelsOfDetailResponse& reply, RecordFormat format,
                         Output& output) {
  RecordPrinter records(format,
                        {{"path"},
                         {"time", true},
                         {"shown"},
                         {"reason"},
                         {"measure", true},
                         {"heuristic"},
                         {"override_mode", false, false},
                         {"override_prim", false, false},
                         {"levels", false, false}},
                        output);
  const int times = request.times().times_size();
  for (const v1::LodRoot& root : reply.roots()) {
    if (root.choices_size() != times) return DataLossError("the daemon's reply is inconsistent");
    for (int t = 0; t < times; ++t) {
      const v1::LodChoice& choice = root.choices(t);
      const v1::TimeCode& time = request.times().times(t);
      const std::string at = times > 1 ? Concat(" at ", TimeText(time)) : "";
      const bool measured = !choice.heuristic().empty();
      records.Add(Concat(SafeText(root.path()), at, ": ", ShownText(root, choice), " (",
                         WhyText(choice), ")"),
                  {root.path(), TimeCell(time), SharesOf(root, choice), ReasonWord(choice.reason()),
                   measured ? Cell(choice.measure()) : Cell(), Cell::TextIfAny(choice.heuristic()),
                   Cell::TextIfAny(choice.override_mode()), Cell::TextIfAny(choice.override_prim()),
                   Cell::List(root.levels())});
    }
  }
  records.Finish();
  return absl::OkStatus();
}

}  // namespace

absl::Status RunLod(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(v1::ComputeLevelsOfDetailRequest request, LodRequest(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const v1::ComputeLevelsOfDetailResponse reply,
                      client.ComputeLevelsOfDetail(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  return PrintLevels(request, reply, format, output);
}

}  // namespace stagedoor
