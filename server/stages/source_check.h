#ifndef STAGEDOOR_SERVER_STAGES_SOURCE_CHECK_H_
#define STAGEDOOR_SERVER_STAGES_SOURCE_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "scene/stage/stage.h"
#include "scene/values/source_bytes.h"

namespace stagedoor {

// Whether what a request has read is what its stage was opened with, although others may write to
// the mapped files behind it (docs/decisions/mapped-files.md). Asked after reading, before the
// answer leaves. One for each request; copies go on from the same moment.
class SourceCheck {
 public:
  // From now on. `watch`, if not null, outlives it; without one nothing is checked.
  explicit SourceCheck(SourceWatch* watch = nullptr)
      : watch_(watch), since_(watch ? watch->Now() : 0) {}

  // For readers of samples and arrays: asks every mapped layer of the stage, and all clips that
  // were read since. DATA_LOSS names the file.
  absl::Status Check(const Stage& stage) const;

  // For readers of what composition reads: asks every mapped layer of the stage.
  absl::Status CheckLayers(const Stage& stage) const;
  // For readers of layers outside of a stage: asks what was read since, by anybody.
  absl::Status CheckUsed() const { return watch_ ? watch_->CheckUsed(since_) : absl::OkStatus(); }

  // For readers of anything else, which is what was opened or does not exist: DATA_LOSS if a file
  // of the stage is known to have changed. Costs nothing as long as no file ever did.
  absl::Status CheckKnownChanges(const Stage& stage) const;

  // Runs read() until no file was found changed by it or while it ran; then everything that it
  // handed out is either good or said to be lost. `read` says which views it took.
  template <typename Read>  // void(SourceSet*)
  absl::Status ReadUntilStable(const Read& read) const {
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      const uint64_t changes = watch_ ? watch_->changes() : 0;
      const uint64_t since = watch_ ? watch_->Now() : 0;
      SourceSet views;
      read(&views);
      const absl::Status status = views.Check();
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

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_SOURCE_CHECK_H_
