#ifndef STAGEDOOR_CLIENT_CLI_STAGE_OPTIONS_H_
#define STAGEDOOR_CLIENT_CLI_STAGE_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"
#include "client/cli/json_writer.h"

namespace stagedoor {

// The options that say how a stage is opened: --session, --load, --mask, --variant-fallback,
// --interpolation. Errors are usage errors.
absl::StatusOr<v1::OpenStageRequest> StageRequest(const CommandLine& line, std::string_view root);

// A time of the command line: "default", "earliest", "1", "pre:3".
struct TimeWord {
  std::string word;
  v1::TimeCode time;
  // Numeric or default: geometry and skinning are asked at these only.
  bool plain() const {
    return time.kind() == v1::TimeCode::KIND_NUMERIC || time.kind() == v1::TimeCode::KIND_DEFAULT;
  }
};
// Comma-separated times; frame ranges ("1:10:0.5") are written out.
absl::StatusOr<std::vector<TimeWord>> ParseTimes(std::string_view text);

// A writer of values that does with arrays what --arrays says; a usage error for other words.
absl::StatusOr<JsonWriter> ValueWriter(const CommandLine& line);

// The lease of a stage opened for one command, given back when the command ends.
class OpenedStage {
 public:
  static absl::StatusOr<OpenedStage> Open(Client& client, const v1::OpenStageRequest& request);
  OpenedStage(OpenedStage&& other) noexcept
      : client_(other.client_), stage_(std::move(other.stage_)) {
    other.client_ = nullptr;
  }
  OpenedStage& operator=(OpenedStage&&) = delete;
  ~OpenedStage();

  const v1::Stage& stage() const { return stage_; }
  // Pinned to the snapshot that was there at first: all answers of the command are of one scene.
  v1::StageRef ref() const;

 private:
  OpenedStage(Client& client, v1::Stage stage) : client_(&client), stage_(std::move(stage)) {}

  Client* client_;
  v1::Stage stage_;
};

// Opens the stage that the command's first argument and stage options name.
absl::StatusOr<OpenedStage> OpenStage(Client& client, const CommandLine& line);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_STAGE_OPTIONS_H_
