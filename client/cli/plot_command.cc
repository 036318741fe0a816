#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/packed_numbers.h"
#include "client/cc/value_batch.h"
#include "client/cli/attribute_advice.h"
#include "client/cli/commands.h"
#include "client/cli/plot.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/terminal.h"
#include "client/cli/value_numbers.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

constexpr size_t kMostTimes = 100000;
constexpr size_t kUsualRows = 16;
constexpr uint32_t kMostRows = 1000;

// Gathers what is to be plotted.
class PlotQuery {
 public:
  PlotQuery(Client& client, const StageLease& stage, std::string path)
      : client_(client), stage_(stage), path_(std::move(path)) {}

  // Finds out the type of the attribute, before values are asked for, which may be large arrays.
  absl::Status CheckType() {
    const size_t dot = path_.rfind('.');
    if (dot == std::string::npos) {
      return InvalidArgumentError("plot needs the path of an attribute, not ", Quoted(path_));
    }
    v1::GetPrimRequest request;
    *request.mutable_stage() = stage_.ref();
    request.set_path(path_.substr(0, dot));
    request.mutable_read_mask()->add_paths("properties");
    request.add_property_names(path_.substr(dot + 1));
    SD_ASSIGN_OR_RETURN(const v1::GetPrimResponse response, client_.GetPrim(request));
    if (response.prim().properties().empty()) {
      return NotFoundError("attribute ", Quoted(path_), " does not exist");
    }
    type_ = response.prim().properties(0).type_name();
    return type_.ends_with("[]") ? CannotPlot() : absl::OkStatus();
  }

  // The times of the samples, in ascending order.
  absl::StatusOr<std::vector<double>> SampleTimes() {
    v1::ListTimeSamplesRequest request;
    *request.mutable_stage() = stage_.ref();
    request.add_paths(path_);
    SD_ASSIGN_OR_RETURN(const v1::ListTimeSamplesResponse response,
                        client_.ListTimeSamples(request));
    if (!response.path_errors().empty()) return ItemError(response.path_errors(0));
    std::vector<double> times;
    for (const v1::AttributeTimeSamples& samples : response.attributes()) {
      const auto numbers = PackedNumbers<double>(samples.times());
      // A broken daemon may send NaN, which cannot be sorted.
      std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(times),
                   [](double time) { return std::isfinite(time); });
    }
    std::sort(times.begin(), times.end());
    return times;
  }

  // `count` times over the stage's range, or over that of the samples if it has none.
  absl::StatusOr<std::vector<double>> UsualTimes(const std::vector<double>& samples,
                                                 size_t count) const {
    const v1::Stage& stage = stage_.stage();
    double first = stage.start_time_code(), last = stage.end_time_code();
    const bool has_range = stage.has_start_time_code() && stage.has_end_time_code() &&
                           std::isfinite(first) && std::isfinite(last) && first < last;
    if (!has_range) {
      if (samples.empty()) {
        return UsageError(
            Concat("neither the stage nor ", Quoted(path_),
                   " has a range of times; pass the times to plot, as in --times 1:48"));
      }
      first = samples.front();
      last = samples.back();
    }
    std::vector<double> times;
    for (size_t i = 0; i < count; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(count - 1);
      times.push_back(first * (1 - part) + last * part);
    }
    return times;
  }

  // Fills the series with the values at plot.times.
  absl::Status FillSeries(Plot& plot, Output& output) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = stage_.ref();
    request.add_paths(path_);
    for (const double time : plot.times) request.mutable_times()->add_frames(time);
    SD_ASSIGN_OR_RETURN(v1::BatchGetValuesResponse response, client_.BatchGetValues(request));
    const ValueBatch values(std::move(response));
    PrintWarnings(values.response().warnings(), output);
    for (size_t i = 0; i < plot.times.size(); ++i) {
      SD_RETURN_IF_ERROR(values.status(0, i));
      if (!values.has_value(0, i)) continue;
      const std::vector<double> components = ComponentsOf(values.GetValue(0, i));
      if (components.empty()) return CannotPlot();
      AddComponents(components, i, plot);
    }
    if (plot.series.empty()) {
      return NotFoundError(Quoted(path_), " has no value at these times");
    }
    return absl::OkStatus();
  }

  const std::string& type() const { return type_; }

 private:
  absl::Status CannotPlot() const {
    return InvalidArgumentError(Quoted(path_), " has the type ", Quoted(type_),
                                "; plot shows numbers, vectors and quaternions");
  }

  static void AddComponents(const std::vector<double>& components, size_t at, Plot& plot) {
    static constexpr const char* kNames[] = {"x", "y", "z", "w"};
    for (size_t i = 0; i < components.size() && i < std::size(kNames); ++i) {
      if (plot.series.size() <= i) {
        plot.series.push_back(
            {components.size() == 1 ? "" : kNames[i],
             std::vector<double>(plot.times.size(), std::numeric_limits<double>::quiet_NaN())});
      }
      plot.series[i].values[at] = components[i];
    }
  }

  Client& client_;
  const StageLease& stage_;
  const std::string path_;
  std::string type_;
};

absl::StatusOr<PlotStyle> StyleOf(const CommandLine& line, int fd) {
  const TerminalSize size = TerminalSizeOf(fd);
  SD_ASSIGN_OR_RETURN(const auto rows, line.CountOption("height", kMostRows));
  PlotStyle style;
  // The title and the prompt stay visible.
  style.rows = rows.has_value() ? *rows : std::min(kUsualRows, size.rows - 2);
  style.columns = size.columns;
  style.utf8 = UsesUtf8() && !line.Flag("ascii");
  SD_ASSIGN_OR_RETURN(style.color, WantsColor(line, fd));
  return style;
}

// The numbers among the times of --times.
absl::StatusOr<std::vector<double>> TimesOf(const std::string& text) {
  SD_ASSIGN_OR_RETURN(const std::vector<TimeArgument> times, ParseTimes(text));
  if (times.size() > kMostTimes) {
    return UsageError(Concat("plot takes at most ", kMostTimes, " times"));
  }
  std::vector<double> numbers;
  for (const TimeArgument& time : times) {
    if (!std::isfinite(time.time.has_numeric() ? time.time.numeric() : NAN)) {
      return UsageError(Concat("plot needs times that are numbers, not ", Quoted(time.word)));
    }
    numbers.push_back(time.time.numeric());
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

absl::Status RunPlot(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const PlotStyle style, StyleOf(line, output.fd()));
  Plot plot;
  if (const auto times = line.Option("times")) {
    SD_ASSIGN_OR_RETURN(plot.times, TimesOf(*times));
  }
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  const std::string& path = line.arguments()[1];
  PlotQuery query(client, stage, path);
  if (absl::Status status = query.CheckType(); !status.ok()) {
    return WithAttributeAdvice(client, stage.ref(), path, std::move(status));
  }
  SD_ASSIGN_OR_RETURN(plot.marks, query.SampleTimes());
  if (plot.times.empty()) {
    // As many as there can be dots side by side.
    SD_ASSIGN_OR_RETURN(plot.times, query.UsualTimes(plot.marks, 2 * style.columns));
  }
  SD_RETURN_IF_ERROR(query.FillSeries(plot, output));
  output.Line(SafeText(Concat(path, " (", query.type(), ")")));
  for (const std::string& text : PlotLines(plot, style)) output.Line(text);
  return absl::OkStatus();
}

}  // namespace stagedoor
