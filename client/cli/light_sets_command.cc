#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/json_writer.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

using Explanation = v1::ExplainLightLinkResponse;

absl::StatusOr<v1::LightLink> ParseLightLink(const CommandLine& line) {
  const std::string word = line.Option("link").value_or("light");
  if (word == "light") return v1::LIGHT_LINK_LIGHT;
  if (word == "shadow") return v1::LIGHT_LINK_SHADOW;
  if (word == "filter") return v1::LIGHT_LINK_FILTER;
  return UsageError(Concat("--link must be light, shadow or filter, not ", Quoted(word)));
}

std::string_view LinkReasonWords(Explanation::Reason reason) {
  switch (reason) {
    case Explanation::REASON_NOT_A_LIGHT:
      return "not a light of this kind";
    case Explanation::REASON_RULE:
      return "a rule decides";
    case Explanation::REASON_INCLUDE_ROOT:
      return "includeRoot decides";
    case Explanation::REASON_DEFAULT:
      return "the default decides";
    case Explanation::REASON_NO_RULE:
      return "no rule applies";
    case Explanation::REASON_EXPRESSION:
      return "the expression decides";
    case Explanation::REASON_EMPTY:
      return "the collection is empty";
    default:
      return "unknown";
  }
}

std::string_view LinkRuleWord(v1::LightLinkRule::Rule rule) {
  switch (rule) {
    case v1::LightLinkRule::RULE_EXPLICIT_ONLY:
      return "explicitOnly";
    case v1::LightLinkRule::RULE_EXPAND_PRIMS:
      return "expandPrims";
    case v1::LightLinkRule::RULE_EXPAND_PRIMS_AND_PROPERTIES:
      return "expandPrimsAndProperties";
    case v1::LightLinkRule::RULE_EXCLUDE:
      return "exclude";
    case v1::LightLinkRule::RULE_INVALID:
      return "invalid expansionRule";
    default:
      return "unknown";
  }
}

std::string_view LinkOutcomeWords(v1::LightLinkRule::Outcome outcome) {
  switch (outcome) {
    case v1::LightLinkRule::OUTCOME_DECIDES:
      return "decides";
    case v1::LightLinkRule::OUTCOME_CLOSER_DECIDES:
      return "a closer rule decides";
    case v1::LightLinkRule::OUTCOME_ONLY_ITSELF:
      return "does not apply to descendants";
    default:
      return "unknown";
  }
}

std::string RulesJson(const Explanation& found) {
  JsonWriter json;
  json.BeginArray();
  for (const v1::LightLinkRule& rule : found.rules()) {
    json.BeginObject();
    json.Key("path");
    json.String(rule.path());
    json.Key("rule");
    json.String(LinkRuleWord(rule.rule()));
    json.Key("outcome");
    json.String(LinkOutcomeWords(rule.outcome()));
    json.EndObject();
  }
  json.EndArray();
  return json.Take();
}

// The path of the rule that decides; empty if none does.
std::string DecidingPath(const Explanation& found) {
  for (const v1::LightLinkRule& rule : found.rules()) {
    if (rule.outcome() == v1::LightLinkRule::OUTCOME_DECIDES) return rule.path();
  }
  return "";
}

void PrintLinkText(const std::string& path, const Explanation& found, Output& output) {
  output.Line(Concat(SafeText(path), found.linked() ? ": linked; " : ": not linked; ",
                     LinkReasonWords(found.reason())));
  if (!found.expression().empty()) output.Line(Concat("  ", SafeText(found.expression())));
  for (const v1::LightLinkRule& rule : found.rules()) {
    output.Line(Concat("  ", SafeText(rule.path()), " ", LinkRuleWord(rule.rule()), ": ",
                       LinkOutcomeWords(rule.outcome())));
  }
}

// Prints why each prim is linked to one light, or is not.
absl::Status ExplainLinks(Client& client, const v1::ComputeLightSetsRequest& sets,
                          const std::string& light, RecordFormat format, Output& output) {
  RecordPrinter records(format,
                        {{"path"},
                         {"linked"},
                         {"reason"},
                         {"decided_at"},
                         {"expression", false, false},
                         {"rules", false, false}},
                        output);
  v1::ExplainLightLinkRequest request;
  *request.mutable_stage() = sets.stage();
  request.set_link(sets.link());
  request.set_light(light);
  for (const std::string& path : sets.paths()) {
    request.set_path(path);
    SD_ASSIGN_OR_RETURN(const Explanation found, client.ExplainLightLink(request));
    if (records.is_text()) {
      PrintLinkText(path, found, output);
      continue;
    }
    records.Add("", {path, found.linked(), LinkReasonWords(found.reason()),
                     Cell::TextIfAny(DecidingPath(found)), Cell::TextIfAny(found.expression()),
                     Cell::Json(RulesJson(found))});
  }
  records.Finish();
  return absl::OkStatus();
}

// The lights of the prim at an index.
absl::StatusOr<std::vector<std::string>> LightsOfPrim(const v1::ComputeLightSetsResponse& reply,
                                                      int prim) {
  std::vector<std::string> lights;
  const uint32_t set = reply.set(prim);
  if (set == 0 || set > static_cast<uint32_t>(reply.sets_size())) {
    return DataLossError("the daemon's reply is inconsistent");
  }
  for (const uint32_t light : reply.sets(static_cast<int>(set) - 1).lights()) {
    if (light >= static_cast<uint32_t>(reply.lights_size())) {
      return DataLossError("the daemon's reply is inconsistent");
    }
    lights.push_back(reply.lights(static_cast<int>(light)));
  }
  return lights;
}

absl::Status PrintSets(Client& client, const v1::ComputeLightSetsRequest& request,
                       RecordFormat format, Output& output) {
  SD_ASSIGN_OR_RETURN(const v1::ComputeLightSetsResponse reply, client.ComputeLightSets(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  if (reply.set_size() != request.paths_size()) {
    return DataLossError("the daemon's reply is inconsistent");
  }
  RecordPrinter records(format, {{"path"}, {"lights"}}, output);
  for (int i = 0; i < request.paths_size(); ++i) {
    SD_ASSIGN_OR_RETURN(const std::vector<std::string> lights, LightsOfPrim(reply, i));
    std::string text = Concat(request.paths(i), ":", lights.empty() ? " none" : "");
    for (const std::string& light : lights) text += Concat(" ", light);
    records.Add(text, {request.paths(i), Cell::List(lights)});
  }
  records.Finish();
  return absl::OkStatus();
}

}  // namespace

absl::Status RunLightSets(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  v1::ComputeLightSetsRequest request;
  SD_ASSIGN_OR_RETURN(const v1::LightLink link, ParseLightLink(line));
  request.set_link(link);
  for (const std::string& light : line.Options("light")) request.add_lights(light);
  for (size_t i = 1; i < line.arguments().size(); ++i) request.add_paths(line.arguments()[i]);
  const auto explained = line.Option("explain");
  if (explained && !request.lights().empty()) {
    return UsageError("--explain and --light exclude each other");
  }
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  if (explained) return ExplainLinks(client, request, *explained, format, output);
  return PrintSets(client, request, format, output);
}

}  // namespace stagedoor
