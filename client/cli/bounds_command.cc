#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"
#include "client/cli/commands.h"
#include "client/cli/packed_cell.h"
#include "client/cli/purpose_words.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

constexpr struct {
  std::string_view word;
  v1::BoundsSpace space;
} kBoundsSpaces[] = {
    {"world", v1::BOUNDS_SPACE_WORLD},
    {"local", v1::BOUNDS_SPACE_LOCAL},
    {"untransformed", v1::BOUNDS_SPACE_UNTRANSFORMED},
};

absl::Status ParseBoundsSpace(const CommandLine& line, v1::ComputeBoundsRequest* request) {
  const auto relative_to = line.Option("relative-to");
  const auto word = line.Option("space");
  if (relative_to && word) return UsageError("--relative-to and --space exclude each other");
  if (relative_to) {
    request->set_space(v1::BOUNDS_SPACE_RELATIVE);
    request->set_relative_to(*relative_to);
  }
  if (!word) return absl::OkStatus();
  for (const auto& [name, space] : kBoundsSpaces) {
    if (name != *word) continue;
    request->set_space(space);
    return absl::OkStatus();
  }
  return UsageError(Concat("--space must be world, local or untransformed, not ", Quoted(*word)));
}

void ParseBoundsPurposes(std::string_view list, v1::ComputeBoundsRequest* request) {
  for (const std::string_view word : WordsOf(list)) {
    if (const auto purpose = PurposeOf(word)) {
      request->add_purposes(*purpose);
    } else {
      request->add_other_purposes(std::string(word));
    }
  }
}

absl::Status ParseInstances(std::string_view list, v1::ComputeBoundsRequest* request) {
  for (const std::string_view word : WordsOf(list)) {
    const auto index = ParseNumber<uint32_t>(word);
    if (!index) return UsageError(Concat("--instances must be indices, not ", Quoted(word)));
    request->add_instance_indices(*index);
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::ComputeBoundsRequest> BoundsRequest(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeBoundsRequest>(line));
  SD_RETURN_IF_ERROR(ParseBoundsSpace(line, &request));
  if (const auto list = line.Option("purposes")) ParseBoundsPurposes(*list, &request);
  if (const auto list = line.Option("instances")) {
    SD_RETURN_IF_ERROR(ParseInstances(*list, &request));
  }
  request.set_ignore_visibility(line.Flag("ignore-visibility"));
  request.set_use_extents_hint(line.Flag("use-extents-hint"));
  request.set_with_boxes(true);
  return request;
}

// Nothing for an empty range.
Cell RangeCell(const v1::PackedValues& ranges, size_t index) {
  const std::span<const double> numbers = PackedNumbers<double>(ranges);
  if (6 * index + 6 > numbers.size() || numbers[6 * index] > numbers[6 * index + 3]) return Cell();
  return PackedCell(ranges, index);
}

std::string CornersText(const v1::PackedValues& ranges, size_t index) {
  const Cell cell = RangeCell(ranges, index);
  const std::string text = cell.ShownText();
  return text.empty() ? "empty" : text;
}

void PrintBounds(const v1::ComputeBoundsRequest& request, const v1::ComputeBoundsResponse& reply,
                 RecordFormat format, Output& output) {
  RecordPrinter records(format,
                        {{"path"},
                         {"time", true},
                         {"instance", true},
                         {"bounds"},
                         {"box", false, false},
                         {"box_matrix", false, false}},
                        output);
  const int times = request.times().times_size();
  const int instances = request.instance_indices_size();
  size_t index = 0;
  for (int item = 0; item < request.paths_size() * times; ++item) {
    const std::string& path = request.paths(item / times);
    const v1::TimeCode& time = request.times().times(item % times);
    for (int i = 0; i < std::max(instances, 1); ++i, ++index) {
      const std::string name = instances == 0
                                   ? SafeText(path)
                                   : Concat(SafeText(path), "[", request.instance_indices(i), "]");
      const Cell instance = instances == 0 ? Cell() : Cell(request.instance_indices(i));
      records.Add(records.is_text() ? Concat(name, " at ", TimeText(time), ": ",
                                             CornersText(reply.bounds(), index))
                                    : "",
                  {path, TimeCell(time), instance, RangeCell(reply.bounds(), index),
                   RangeCell(reply.box_ranges(), index), PackedCell(reply.box_matrices(), index)});
    }
  }
  records.Finish();
}

}  // namespace

absl::Status RunBounds(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(v1::ComputeBoundsRequest request, BoundsRequest(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const v1::ComputeBoundsResponse reply, client.ComputeBounds(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  PrintBounds(request, reply, format, output);
  return absl::OkStatus();
}

}  // namespace stagedoor
