#ifndef STAGEDOOR_CLIENT_CLI_LAYER_EXPORT_H_
#define STAGEDOOR_CLIENT_CLI_LAYER_EXPORT_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"
#include "client/cli/output.h"
#include "client/cli/output_file.h"

// Shared by the commands that write a layer: cat, convert, flatten, clip-manifest.
namespace stagedoor {

// The format of the layer `file`, by its extension, or for .usd by --usdFormat usda|usdc; standard
// output, "-", gets text. A usage error for other extensions, and if the two do not agree.
absl::StatusOr<v1::LayerFormat> FormatOf(const CommandLine& line, std::string_view file);

// Where a command writes one layer: a file, or the command's output. Not thread-safe.
class ExportTarget {
 public:
  // "-" is `output`, which must outlive the object.
  static absl::StatusOr<ExportTarget> Open(const std::string& name, Output& output);

  absl::Status Write(std::string_view data);
  // Gives a file its name. Without it, none is left.
  absl::Status Commit();

  // The sink of a call that streams the layer. The object must outlive it.
  template <typename Response>
  Client::Sink<Response> Sink() {
    return [this](const Response& response) { return Write(response.data()); };
  }

 private:
  explicit ExportTarget(Output& output) : output_(&output) {}

  Output* output_;
  std::unique_ptr<OutputFile> file_;  // null for the command's output
};

// The stage of `root` with the stage flags of the command line, as a request names it.
absl::StatusOr<v1::StageSource> SourceOf(const CommandLine& line, std::string_view root);

// Writes the stage of `root` as one layer; with --layer-stack only its own layer stack.
absl::Status ExportStage(Client& client, const CommandLine& line, std::string_view root,
                         v1::LayerFormat format, ExportTarget& target);
// Writes the layer `file` in another format.
absl::Status ExportLayer(Client& client, std::string_view file, v1::LayerFormat format,
                         ExportTarget& target);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_LAYER_EXPORT_H_
