#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/commands.h"
#include "client/cli/diff_origins.h"
#include "client/cli/diff_sources.h"
#include "client/cli/difference.h"
#include "client/cli/exit_status.h"
#include "client/cli/progress_line.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/terminal.h"

namespace stagedoor {
namespace {

// Reports on a terminal how many prims or specs have been read.
DiffSource WithProgress(DiffSource source, std::string what, ProgressLine& progress) {
  return [source = std::move(source), what = std::move(what), &progress](const DiffSink& sink) {
    size_t count = 0;
    return source([&](DiffEntry entry) {
      if (++count % 1000 == 0) progress.Show(Concat(what, ": ", count));
      return sink(std::move(entry));
    });
  };
}

// Names the layers of a fact of the left ('-') or right side; empty text if that is not known.
using OriginFinder = std::function<std::string(char sign, std::string_view subject)>;

// Compares two sides; the status is that of Differs() if they are not equal.
absl::Status Compare(const CommandLine& line, DiffSource left, DiffSource right, bool color,
                     const OriginFinder& origin_of, Output& output) {
  const std::string& a = line.arguments()[0];
  const std::string& b = line.arguments()[1];
  ProgressLine progress;
  bool titled = false;
  Difference difference(
      WithProgress(std::move(left), a, progress), WithProgress(std::move(right), b, progress),
      [&](char sign, const std::string& text, std::string_view subject) {
        progress.Clear();
        if (!titled) {
          output.Line(Concat("--- ", SafeText(a)));
          output.Line(Concat("+++ ", SafeText(b)));
          titled = true;
        }
        const std::string origin = origin_of(sign, subject);
        const std::string shown =
            Concat(sign, " ", text, origin.empty() ? "" : Concat("  # ", SafeText(origin)));
        output.Line(Colored(shown, sign == '-' ? Color::kRed : Color::kGreen, color));
        return output.status();
      });
  SD_RETURN_IF_ERROR(difference.Run());
  return difference.found() ? DiffersStatus() : absl::OkStatus();
}

}  // namespace

absl::Status RunDiff(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::vector<TimeArgument> times,
                      ParseTimes(line.Option("times").value_or("default")));
  SD_ASSIGN_OR_RETURN(const bool color, WantsColor(line, output.fd()));
  const std::string& a = line.arguments()[0];
  const std::string& b = line.arguments()[1];
  if (line.Flag("uncomposed")) {
    if (line.Flag("times") || line.Flag("mask")) {
      return UsageError("--times and --mask are for composed stages, not for --uncomposed");
    }
    return Compare(
        line, LayerSide(client, AbsoluteIdentifier(a)), LayerSide(client, AbsoluteIdentifier(b)),
        color, [](char, std::string_view) { return std::string(); }, output);
  }
  SD_ASSIGN_OR_RETURN(const v1::OpenStageRequest open_a, MakeOpenStageRequest(line, a));
  SD_ASSIGN_OR_RETURN(const v1::OpenStageRequest open_b, MakeOpenStageRequest(line, b));
  SD_ASSIGN_OR_RETURN(const StageLease left, StageLease::Open(client, open_a));
  SD_ASSIGN_OR_RETURN(const StageLease right, StageLease::Open(client, open_b));
  const DiffOrigins left_origins(client, left.ref(), times);
  const DiffOrigins right_origins(client, right.ref(), times);
  return Compare(
      line, StageSide(client, left.ref(), times), StageSide(client, right.ref(), times), color,
      [&](char sign, std::string_view subject) {
        return (sign == '-' ? left_origins : right_origins).Of(subject);
      },
      output);
}

}  // namespace stagedoor
