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
absl::StatusOr<v1::OpenStageRequest> MakeOpenStageRequest(const CommandLine& line,
                                                          std::string_view root);

// A time of the command line: "default", "earliest", "1", "pre:3".
struct TimeArgument {
  std::string word;
  v1::TimeCode time;
  // Numeric or default: geometry and skinning are asked at these only.
  bool plain() const {
    return time.kind() == v1::TimeCode::KIND_NUMERIC || time.kind() == v1::TimeCode::KIND_DEFAULT;
  }
};
// Comma-separated times; frame ranges ("1:10:0.5") are written out.
absl::StatusOr<std::vector<TimeArgument>> ParseTimes(std::string_view text);

// A writer of values that does with arrays what --arrays says; a usage error for other words.
absl::StatusOr<JsonWriter> MakeValueWriter(const CommandLine& line);

// The lease of a stage opened for one command, given back when the command ends.
class StageLease {
 public:
  static absl::StatusOr<StageLease> Open(Client& client, const v1::OpenStageRequest& request);
  StageLease(StageLease&& other) noexcept
      : client_(other.client_), stage_(std::move(other.stage_)) {
    other.client_ = nullptr;
  }
  StageLease& operator=(StageLease&&) = delete;
  ~StageLease();

  const v1::Stage& stage() const { return stage_; }
  // Pinned to the snapshot that was there at first: all answers of the command are of one scene.
  v1::StageRef ref() const;

 private:
  StageLease(Client& client, v1::Stage stage) : client_(&client), stage_(std::move(stage)) {}

  Client* client_;
  v1::Stage stage_;
};

// Opens the stage that the command's first argument and stage options name.
absl::StatusOr<StageLease> OpenStage(Client& client, const CommandLine& line);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_STAGE_OPTIONS_H_
