#ifndef STAGEDOOR_CLIENT_OPENUSD_DAEMON_STAGE_H_
#define STAGEDOOR_CLIENT_OPENUSD_DAEMON_STAGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "connections.h"
#include "result.h"
#include "stage_arguments.h"
#include "wire.h"

namespace stagedoor::openusd {

// The reply to a call: its serialized messages. Movable.
class Messages {
 public:
  explicit Messages(sd_messages* messages) : messages_(messages) {}

  size_t size() const { return sd_messages_count(messages_.get()); }
  // A message; valid as long as this object.
  std::string_view operator[](size_t index) const;

 private:
  struct Destroy {
    void operator()(sd_messages* messages) const { sd_messages_destroy(messages); }
  };
  std::unique_ptr<sd_messages, Destroy> messages_;
};

struct DestroyValues {
  void operator()(sd_values* values) const { sd_values_destroy(values); }
};
using Values = std::unique_ptr<sd_values, DestroyValues>;

// One snapshot of an open stage of the daemon: all that is read through this object is of it. Its
// lease is renewed in the background; after a lost lease or a restart of the daemon the stage is
// opened again, and calls fail if it is not the same any more.
//
// While the daemon cannot be reached, calls other than the first one to notice that give up sooner,
// so that an application that reads many values does not wait for each of them.
//
// Thread-safe. A child process after fork() cannot use the stages of its parent: calls fail.
class DaemonStage {
 public:
  // How a stage is opened in addition to its arguments.
  struct Options {
    bool load_none = false;
    // Replaces the mask of the arguments unless it is empty.
    std::vector<std::string> mask;
  };
  static Result<std::unique_ptr<DaemonStage>> Open(
      std::shared_ptr<const DaemonConnection> connection, const StageArguments& arguments,
      const Options& options);
  ~DaemonStage();
  DaemonStage(const DaemonStage&) = delete;
  DaemonStage& operator=(const DaemonStage&) = delete;

  // Makes a call by its name: see sd_call.
  Result<Messages> Call(const char* method, const WireWriter& request) const;
  // The values of attributes at times; NaN is the default time.
  Result<Values> GetValues(const std::vector<const char*>& paths,
                           const std::vector<double>& times) const;

  // Asks for what has changed on disk, or in a session with a name, and returns the fingerprint of
  // the newest snapshot. This object goes on reading its own.
  Result<std::string> FindNewest() const;

  // SD_FAILED_PRECONDITION if the stage, opened now, would not be the snapshot that this object
  // reads: what other stages of the same scene show does not belong to it then.
  Result<bool> CheckUnchanged() const;

  const std::string& snapshot() const { return snapshot_; }
  // False in a child process of the one that opened the stage.
  bool IsOwnProcess() const { return connection_->IsOwnProcess(); }

 private:
  struct Destroy {
    void operator()(sd_stage* stage) const { sd_stage_destroy(stage); }
  };
  using Stage = std::unique_ptr<sd_stage, Destroy>;

  DaemonStage(std::shared_ptr<const DaemonConnection> connection, const StageArguments& arguments,
              const Options& options)
      : connection_(std::move(connection)), arguments_(arguments), options_(options) {}

  Result<Stage> OpenNow() const;
  Result<std::string> NewestOf(const Stage& stage) const;
  static Result<std::string> SnapshotOf(const Stage& stage);

  // Options of a call, with the deadline that suits the state of the daemon.
  sd_call_options NextCall() const;
  // Takes note of the code of a call, and of its error.
  Result<bool> Finish(sd_code code, sd_error* error) const;

  const std::shared_ptr<const DaemonConnection> connection_;
  const StageArguments arguments_;
  const Options options_;
  std::string snapshot_;
  Stage newest_;
  Stage pinned_;
  mutable std::atomic<bool> away_{false};
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_DAEMON_STAGE_H_
