#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/attribute_advice.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

std::string SiteText(const v1::Site& site) {
  std::string text = Concat(site.layer(), " <", site.path(), ">");
  if (!site.arc().empty()) text.append(Concat(" by ", site.arc()));
  if (site.has_layer_offset()) {
    text.append(Concat(", time * ", FormatNumber(site.layer_offset().scale()), " + ",
                       FormatNumber(site.layer_offset().offset())));
  }
  return text;
}

void PrintSamples(const v1::Explanation& explanation, Output& output) {
  if (!explanation.has_lower_sample() || !explanation.has_upper_sample()) return;
  std::string text = Concat("  samples: ", FormatNumber(explanation.lower_sample()));
  if (explanation.upper_sample() != explanation.lower_sample()) {
    text.append(Concat(" and ", FormatNumber(explanation.upper_sample())));
  }
  output.Line(Concat(text, explanation.interpolated() ? ", interpolated" : ", held",
                     "; layer time ", FormatNumber(explanation.layer_time())));
}

// The opinion of a spec: "7 (default)", "no value".
std::string OpinionText(const v1::Opinion& opinion, JsonWriter& json) {
  if (opinion.value().kind_case() == v1::Value::KIND_NOT_SET) return "no value";
  std::string text = ValueText(opinion.value(), json);
  if (opinion.element_count() != 0) text.append(Concat(" … ", opinion.element_count(), " in all"));
  return Concat(text, " (", SourceWord(opinion.source()), ")");
}

// The sites of all specs with what each says, if the daemon tells.
std::vector<std::string> OpinionLines(const v1::Explanation& explanation, JsonWriter& json) {
  std::vector<std::string> lines;
  for (int i = 0; i < explanation.stack_size(); ++i) {
    lines.push_back(SiteText(explanation.stack(i)));
    if (i < explanation.opinions_size()) {
      lines.back().append(Concat(": ", OpinionText(explanation.opinions(i), json)));
    }
  }
  return lines;
}

void PrintExplanation(const v1::Explanation& explanation, JsonWriter& json, Output& output) {
  output.Line(Concat(TimeText(explanation.time()), ": ", ValueText(explanation.value(), json)));
  output.Line(Concat("  source: ", SourceWord(explanation.source())));
  if (explanation.has_site()) output.Line(Concat("  spec: ", SiteText(explanation.site())));
  PrintSamples(explanation, output);
  for (const std::string& note : explanation.notes()) output.Line(Concat("  note: ", note));
  for (const std::string& opinion : OpinionLines(explanation, json)) {
    output.Line(Concat("  opinion: ", opinion));
  }
}

Cell NumberCell(bool present, double number) { return present ? Cell(number) : Cell(); }

// A record for each time.
void PrintRecords(const std::string& path, const v1::ExplainResponse& response, RecordFormat format,
                  JsonWriter& json, Output& output) {
  RecordPrinter records(format,
                        {{"path"},
                         {"time", true},
                         {"source"},
                         {"layer"},
                         {"spec"},
                         {"arc"},
                         {"layer_time", true},
                         {"lower_sample", true},
                         {"upper_sample", true},
                         {"interpolated", false, false},
                         {"notes", false, false},
                         {"opinions", false, false},
                         {"state", false, false},
                         {"value"}},
                        output);
  for (const v1::Explanation& e : response.explanations()) {
    const std::string value = ValueText(e.value(), json);
    records.Add(
        "", {path, TimeCell(e.time()), SourceWord(e.source()), Cell::TextIfAny(e.site().layer()),
             Cell::TextIfAny(e.site().path()), Cell::TextIfAny(e.site().arc()),
             NumberCell(e.has_layer_time(), e.layer_time()),
             NumberCell(e.has_lower_sample(), e.lower_sample()),
             NumberCell(e.has_upper_sample(), e.upper_sample()), e.interpolated(),
             Cell::List(e.notes()), Cell::List(OpinionLines(e, json)), StateWord(e.value()),
             ValueCell(e.value(), value)});
  }
  records.Finish();
  PrintWarnings(response.warnings(), output);
}

}  // namespace

absl::Status RunExplain(Client& client, const CommandLine& line, Output& output) {
  const auto times_text = line.Option("time").value_or(line.Option("times").value_or("default"));
  SD_ASSIGN_OR_RETURN(const std::vector<TimeArgument> times, ParseTimes(times_text));
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::ExplainRequest request;
  *request.mutable_stage() = stage.ref();
  request.set_path(line.arguments()[1]);
  for (const TimeArgument& time : times) *request.mutable_times()->add_times() = time.time;
  absl::StatusOr<v1::ExplainResponse> explained = client.Explain(request);
  if (!explained.ok()) {
    return WithAttributeAdvice(client, stage.ref(), request.path(), explained.status());
  }
  const v1::ExplainResponse& response = *explained;
  if (format != RecordFormat::kText) {
    PrintRecords(line.arguments()[1], response, format, json, output);
    return absl::OkStatus();
  }
  output.Line(line.arguments()[1]);
  for (const v1::Site& site : response.prim_stack()) {
    output.Line(Concat("  prim spec: ", SiteText(site)));
  }
  for (const v1::Explanation& explanation : response.explanations()) {
    PrintExplanation(explanation, json, output);
  }
  output.problems().warnings += static_cast<size_t>(response.warnings_size());
  for (const v1::Warning& warning : response.warnings()) {
    output.Line(Concat("warning: ", warning.message()));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
