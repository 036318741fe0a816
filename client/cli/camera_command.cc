#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"
#include "client/cli/camera_options.h"
#include "client/cli/commands.h"
#include "client/cli/float_cell.h"
#include "client/cli/packed_cell.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

absl::StatusOr<v1::ComputeCamerasRequest> CamerasRequest(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeCamerasRequest>(line));
  SD_RETURN_IF_ERROR(SetCameraFit(line, &request));
  return request;
}

// The numbers of one item of a column; empty if the reply has none.
template <typename T>
std::span<const T> NumbersOf(const v1::PackedValues& column, size_t item, size_t width) {
  const std::span<const T> all = PackedNumbers<T>(column);
  return (item + 1) * width <= all.size() ? all.subspan(item * width, width) : std::span<const T>();
}

template <typename T>
std::string Joined(std::span<const T> numbers) {
  std::string text;
  for (const T number : numbers) {
    text += Concat(text.empty() ? "" : ", ", FormatNumber(number));
  }
  return text;
}

std::string_view ProjectionWord(v1::CameraProjection projection) {
  return projection == v1::CAMERA_PROJECTION_ORTHOGRAPHIC ? "orthographic" : "perspective";
}

// Prints the items of a reply.
class CameraPrinter {
 public:
  CameraPrinter(const v1::ComputeCamerasRequest& request, const v1::ComputeCamerasResponse& reply,
                RecordFormat format, Output& output)
      : request_(request),
        reply_(reply),
        output_(output),
        records_(format,
                 {{"path"},
                  {"time", true},
                  {"projection"},
                  {"focal_length", true},
                  {"horizontal_aperture", true},
                  {"vertical_aperture", true},
                  {"horizontal_aperture_offset", true, false},
                  {"vertical_aperture_offset", true, false},
                  {"field_of_view"},
                  {"clipping_range"},
                  {"f_stop", true, false},
                  {"focus_distance", true, false},
                  {"shutter_open", true, false},
                  {"shutter_close", true, false},
                  {"linear_exposure_scale", true, false},
                  {"stereo_role", false, false},
                  {"window", false, false},
                  {"local_to_world", false, false},
                  {"view_matrix", false, false},
                  {"projection_matrix", false, false}},
                 output) {}

  void Print(int path, int time, int item) {
    if (records_.is_text()) return PrintText(path, time, item);
    const auto i = static_cast<size_t>(item);
    records_.Add("", {request_.paths(path),
                      TimeCell(request_.times().times(time)),
                      ProjectionWord(reply_.projection(item)),
                      FloatCell(reply_.focal_length(item)),
                      FloatCell(reply_.horizontal_aperture(item)),
                      FloatCell(reply_.vertical_aperture(item)),
                      FloatCell(reply_.horizontal_aperture_offset(item)),
                      FloatCell(reply_.vertical_aperture_offset(item)),
                      PackedCell(reply_.field_of_view(), i),
                      PackedCell(reply_.clipping_range(), i),
                      FloatCell(reply_.f_stop(item)),
                      FloatCell(reply_.focus_distance(item)),
                      reply_.shutter_open(item),
                      reply_.shutter_close(item),
                      FloatCell(reply_.linear_exposure_scale(item)),
                      reply_.stereo_role(path),
                      PackedCell(reply_.window(), i),
                      PackedCell(reply_.local_to_world(), i),
                      PackedCell(reply_.view_matrix(), i),
                      PackedCell(reply_.projection_matrix(), i)});
  }
  void Finish() { records_.Finish(); }

 private:
  void PrintText(int path, int time, int item) {
    const auto i = static_cast<size_t>(item);
    const auto line = [&](std::string_view name, const std::string& text) {
      output_.Line(Concat("  ", name, ": ", text));
    };
    output_.Line(Concat(SafeText(request_.paths(path)), " at ",
                        TimeText(request_.times().times(time)), ":"));
    line("projection", std::string(ProjectionWord(reply_.projection(item))));
    line("focal length", FormatNumber(reply_.focal_length(item)));
    line("aperture", Concat(FormatNumber(reply_.horizontal_aperture(item)), " x ",
                            FormatNumber(reply_.vertical_aperture(item)), ", offset ",
                            FormatNumber(reply_.horizontal_aperture_offset(item)), ", ",
                            FormatNumber(reply_.vertical_aperture_offset(item))));
    line("field of view", Joined(NumbersOf<double>(reply_.field_of_view(), i, 2)));
    line("window", Joined(NumbersOf<double>(reply_.window(), i, 4)));
    line("clipping range", Joined(NumbersOf<float>(reply_.clipping_range(), i, 2)));
    line("focus", Concat("f/", FormatNumber(reply_.f_stop(item)), ", distance ",
                         FormatNumber(reply_.focus_distance(item))));
    line("shutter", Concat(FormatNumber(reply_.shutter_open(item)), " to ",
                           FormatNumber(reply_.shutter_close(item))));
    line("exposure scale", FormatNumber(reply_.linear_exposure_scale(item)));
    const std::span<const double> view = NumbersOf<double>(reply_.local_to_world(), i, 16);
    if (!view.empty()) line("position", Joined(view.subspan(12, 3)));
  }

  const v1::ComputeCamerasRequest& request_;
  const v1::ComputeCamerasResponse& reply_;
  Output& output_;
  RecordPrinter records_;
};

// Whether the reply has an element for each item in the columns that are read without a check.
bool IsComplete(const v1::ComputeCamerasResponse& reply, int paths, int items) {
  for (const auto* column :
       {&reply.focal_length(), &reply.horizontal_aperture(), &reply.vertical_aperture(),
        &reply.horizontal_aperture_offset(), &reply.vertical_aperture_offset(), &reply.f_stop(),
        &reply.focus_distance(), &reply.linear_exposure_scale()}) {
    if (column->size() != items) return false;
  }
  return reply.projection_size() == items && reply.shutter_open_size() == items &&
         reply.shutter_close_size() == items && reply.stereo_role_size() == paths;
}

}  // namespace

absl::Status RunCamera(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(v1::ComputeCamerasRequest request, CamerasRequest(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const v1::ComputeCamerasResponse reply, client.ComputeCameras(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  const int paths = request.paths_size();
  const int times = request.times().times_size();
  if (!IsComplete(reply, paths, paths * times)) {
    return DataLossError("the daemon's reply is inconsistent");
  }
  CameraPrinter printer(request, reply, format, output);
  for (int item = 0; item < paths * times; ++item) printer.Print(item / times, item % times, item);
  printer.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
