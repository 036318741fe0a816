#ifndef STAGEDOOR_SERVER_STAGES_SOURCE_CHECK_H_
#define STAGEDOOR_SERVER_STAGES_SOURCE_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "scene/stage/stage.h"
#include "scene/values/source_bytes.h"

namespace stagedoor::server {

// Detects whether other processes overwrote the mapped files of a stage while a request read them
// (docs/decisions/mapped-files.md). Checked after reading, before the reply is sent. Created at the
// start of each request; copies check from the same moment on.
class SourceCheck {
 public:
  // Checks reads from now on. `watch` must outlive the object, or is null to check nothing.
  explicit SourceCheck(SourceWatch* watch = nullptr)
      : watch_(watch), since_(watch ? watch->Now() : 0) {}

  // For requests that read samples or arrays. Checks all mapped layers of the stage and all clips
  // read since construction. DATA_LOSS names the file.
  absl::Status Check(const Stage& stage) const;

  // For requests that read what composition reads. Checks all mapped layers of the stage.
  absl::Status CheckLayers(const Stage& stage) const;
  // For requests that read layers outside of a stage. Checks all files read by any request since.
  absl::Status CheckUsed() const { return watch_ ? watch_->CheckUsed(since_) : absl::OkStatus(); }

  // For all other requests, which use only data that was read when the stage was opened. DATA_LOSS
  // if a file of the stage is already known to have changed. Free as long as no file ever changed.
  absl::Status CheckKnownChanges(const Stage& stage) const;

  // Repeats read() until no file is found to have changed during it, so that everything it returned
  // is either valid or reported as lost. `read` adds the array views it uses to its argument.
  template <typename Read>  // void(SourceSet*)
  absl::Status ReadUntilStable(const Read& read) const {
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      const uint64_t changes = watch_ ? watch_->changes() : 0;
      const uint64_t since = watch_ ? watch_->Now() : 0;
      SourceSet views;
      read(&views);
      absl::Status status = views.Check();
      if (watch_ == nullptr) return status;
      watch_->CheckAllUsed(since);
      if (status.ok() && watch_->changes() == changes) return absl::OkStatus();
    }
    return TooManyChanges();
  }

 private:
  static constexpr int kMaxAttempts = 16;
  absl::Status CheckAll(const Stage& stage, bool known) const;
  static absl::Status TooManyChanges();

  SourceWatch* watch_;
  uint64_t since_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SOURCE_CHECK_H_
