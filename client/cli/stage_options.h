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

// Makes the request for the stage at `root` from the stage flags: --session, --load, --mask,
// --variant-fallback and --interpolation, and those of SetResolverContext. Errors are usage errors,
// or those of reading the files of --layer.
absl::StatusOr<v1::OpenStageRequest> MakeOpenStageRequest(const CommandLine& line,
                                                          std::string_view root);

// A time given on the command line, such as "default", "earliest", "1" or "pre:3".
struct TimeArgument {
  std::string word;
  v1::TimeCode time;
  // Whether the time is numeric or default. Geometry and skinning are only queried at such times.
  bool plain() const { return time.has_numeric() || time.has_default_time(); }
};
// Parses comma-separated times; ranges of frames ("1:10:0.5") are expanded.
absl::StatusOr<std::vector<TimeArgument>> ParseTimes(std::string_view text);

// Parses the interval of --interval: "START:END", or a single time.
absl::StatusOr<v1::TimeInterval> ParseInterval(std::string_view text);

// The time of --time, by default the default time. A usage error if it names several times.
absl::StatusOr<TimeArgument> OneTime(const CommandLine& line);

// Makes a writer that treats arrays as --arrays demands, or as `otherwise` if it is not given. Any
// other value of it is a usage error.
absl::StatusOr<JsonWriter> MakeValueWriter(const CommandLine& line,
                                           const std::string& otherwise = "full");

// The lease of a stage that one command has opened. The destructor closes the stage.
class StageLease {
 public:
  static absl::StatusOr<StageLease> Open(Client& client, const v1::OpenStageRequest& request);
  StageLease(StageLease&& other) noexcept
      : client_(other.client_), opened_(std::move(other.opened_)) {
    other.client_ = nullptr;
  }
  StageLease& operator=(StageLease&&) = delete;
  ~StageLease();

  const v1::Stage& stage() const { return opened_.stage(); }
  // Refers to the snapshot that was opened, so that all replies to the command describe the same
  // scene.
  v1::StageRef ref() const;

 private:
  StageLease(Client& client, v1::OpenStageResponse opened)
      : client_(&client), opened_(std::move(opened)) {}

  Client* client_;
  v1::OpenStageResponse opened_;
};

// Opens the stage that is the command's first argument, with its stage flags.
absl::StatusOr<StageLease> OpenStage(Client& client, const CommandLine& line);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_STAGE_OPTIONS_H_
