#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/frame_contents.h"
#include "client/cli/frame_json.h"
#include "client/cli/layer_export.h"
#include "client/cli/output_file.h"
#include "client/cli/purpose_words.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/shutter_options.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxTokenBytes = 4096;  // of a file with a token

absl::StatusOr<v1::FrameSelection> SelectionOf(const CommandLine& line) {
  v1::FrameSelection selection;
  for (const std::string& path : line.Options("root")) selection.add_roots(path);
  for (const std::string& path : line.Options("exclude")) selection.add_excluded(path);
  for (const std::string& type : line.Options("type")) selection.add_types(type);
  if (const auto list = line.Option("purposes")) {
    for (const std::string_view word : WordsOf(*list)) {
      const auto purpose = PurposeOf(word);
      if (!purpose) {
        return UsageError(
            Concat("--purposes must be default, render, proxy or guide, not ", Quoted(word)));
      }
      selection.add_purposes(*purpose);
    }
  }
  selection.set_render_settings(line.Option("settings").value_or(""));
  selection.set_render_pass(line.Option("pass").value_or(""));
  selection.set_camera(line.Option("camera").value_or(""));
  for (const std::string& name : line.Options("context")) selection.add_render_contexts(name);
  for (const std::string& name : line.Options("purpose")) selection.add_material_purposes(name);
  for (const std::string& name : line.Options("primvar")) selection.add_primvars(name);
  selection.set_flatten_primvars(line.Flag("flatten-primvars"));
  selection.set_without_skinning(line.Flag("without-skinning"));
  selection.set_without_invisible(line.Flag("without-invisible"));
  return selection;
}

// Sets the fields that all requests about frames have.
template <typename Request>
absl::Status SetFrame(const CommandLine& line, const StageLease& stage, Request* request) {
  *request->mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const TimeArgument time, OneTime(line));
  *request->mutable_time() = time.time;
  if (line.Option("shutter")) {
    SD_ASSIGN_OR_RETURN(*request->mutable_sample_policy(), SamplePolicyOf(line));
  }
  SD_ASSIGN_OR_RETURN(*request->mutable_selection(), SelectionOf(line));
  return absl::OkStatus();
}

absl::Status CheckFrameFlags(const CommandLine& line) {
  for (const char* name : {"segments", "max-samples", "at-ends"}) {
    if (line.Flag(name) && !line.Option("shutter")) {
      return UsageError(Concat("--", name, " needs --shutter OPEN:CLOSE"));
    }
  }
  if (line.Flag("json") && line.Flag("format")) {
    return UsageError("--json and --format exclude each other");
  }
  const bool writes = line.Option("out").has_value(), names = line.Flag("fingerprint");
  if (writes && names) return UsageError("-o and --fingerprint exclude each other");
  if (!writes && !names) {
    const bool prints_values = line.Flag("json") || !line.Flag("arrays");
    return prints_values ? absl::OkStatus() : UsageError("--arrays needs --json");
  }
  for (const char* name : {"json", "format", "since", "write-token", "arrays"}) {
    if (!line.Flag(name)) continue;
    return UsageError(
        Concat(writes ? "-o" : "--fingerprint", " and --", name, " exclude each other"));
  }
  return absl::OkStatus();
}

void PrintError(std::string_view path, const v1::ItemStatus& error, Output& output) {
  ++output.problems().errors;
  std::fprintf(stderr, "stagedoor: error: %s: %s\n", SafeText(path).c_str(),
               Quoted(Message(ItemError(error)), 2000).c_str());
}

// Prints the errors of a reply about a frame.
template <typename Response>
void PrintErrors(const Response& response, Output& output) {
  for (const v1::ItemStatus& error : response.path_errors()) {
    const bool known = error.item() < static_cast<uint32_t>(response.error_paths_size());
    PrintError(known ? response.error_paths(static_cast<int>(error.item())) : "", error, output);
  }
}

// A token is kept as hexadecimal digits.
absl::StatusOr<std::string> ReadToken(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxTokenBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (in.bad() || text.empty()) {
    return NotFoundError("cannot read the token of a frame from ", Quoted(file));
  }
  if (text.back() == '\n') text.pop_back();
  const bool is_hex = !text.empty() && text.size() % 2 == 0 &&
                      text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (is_hex) return absl::HexStringToBytes(text);
  return UsageError(Concat(Quoted(file), " is not a file of --write-token"));
}

absl::Status WriteToken(const std::string& file, const std::string& token) {
  SD_ASSIGN_OR_RETURN(const auto out, OutputFile::Create(file));
  SD_RETURN_IF_ERROR(out->Write(Concat(absl::BytesToHexString(token), "\n")));
  return out->Commit();
}

absl::Status ExportFrame(Client& client, const CommandLine& line, const std::string& out,
                         Output& output) {
  SD_ASSIGN_OR_RETURN(const v1::LayerFormat format, FormatOf(line, out));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::ExportFrameRequest request;
  SD_RETURN_IF_ERROR(SetFrame(line, stage, &request));
  request.set_format(format);
  SD_ASSIGN_OR_RETURN(ExportTarget target, ExportTarget::Open(out, output));
  SD_RETURN_IF_ERROR(client.ExportFrame(request, [&](const v1::ExportFrameResponse& response) {
    PrintErrors(response, output);
    return target.Write(response.data());
  }));
  return target.Commit();
}

absl::Status PrintFingerprint(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::ComputeFrameFingerprintRequest request;
  SD_RETURN_IF_ERROR(SetFrame(line, stage, &request));
  SD_ASSIGN_OR_RETURN(const v1::ComputeFrameFingerprintResponse response,
                      client.ComputeFrameFingerprint(request));
  output.Line(absl::BytesToHexString(response.fingerprint()));
  return absl::OkStatus();
}

// "Frame 12 of /show/shot.usda, shutter 11.75 to 12.25".
std::string Title(const CommandLine& line, const v1::ExtractFrameRequest& request) {
  std::string title =
      Concat("Frame ", TimeText(request.time()), " of ", SafeText(line.arguments().front()));
  if (!request.has_sample_policy()) return title;
  const v1::SamplePolicy& policy = request.sample_policy();
  return title + Concat(", shutter ",
                        FormatNumber(request.time().numeric() + policy.shutter_open()), " to ",
                        FormatNumber(request.time().numeric() + policy.shutter_close()));
}

absl::Status PrintFrame(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line, "summary"));
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  v1::ExtractFrameRequest request;
  if (const auto file = line.Option("since")) {
    SD_ASSIGN_OR_RETURN(*request.mutable_base_token(), ReadToken(*file));
  }
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  SD_RETURN_IF_ERROR(SetFrame(line, stage, &request));
  FrameContents contents;
  FrameJsonPrinter objects(json, output);
  const bool as_objects = line.Flag("json");
  SD_RETURN_IF_ERROR(client.ExtractFrame(request, [&](const v1::ExtractFrameResponse& message) {
    SD_RETURN_IF_ERROR(contents.Add(message));
    PrintErrors(message, output);
    PrintWarnings(message.warnings(), output);
    return as_objects ? objects.Print(message) : output.status();
  }));
  if (!as_objects && format == RecordFormat::kText) {
    output.Line(Title(line, request));
    contents.PrintSummary(output);
    if (contents.has_prims()) output.Line("");
  }
  if (!as_objects && (format != RecordFormat::kText || contents.has_prims())) {
    contents.PrintPrims(format == RecordFormat::kText ? RecordFormat::kTable : format, output);
  }
  const auto file = line.Option("write-token");
  return file ? WriteToken(*file, contents.token()) : absl::OkStatus();
}

}  // namespace

absl::Status RunFrame(Client& client, const CommandLine& line, Output& output) {
  SD_RETURN_IF_ERROR(CheckFrameFlags(line));
  if (const auto out = line.Option("out")) {
    return ExportFrame(client, line, *out == "-" ? *out : AbsoluteIdentifier(*out), output);
  }
  if (line.Flag("fingerprint")) return PrintFingerprint(client, line, output);
  return PrintFrame(client, line, output);
}

}  // namespace stagedoor
