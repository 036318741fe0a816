#ifndef STAGEDOOR_SERVER_ACCESS_KEY_SET_FILE_H_
#define STAGEDOOR_SERVER_ACCESS_KEY_SET_FILE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/access/json_web_key_set.h"

namespace stagedoor::server {

// The keys of an issuer in a file, which is read again when it changes. Thread-safe.
//
// If the file cannot be read or is wrong after a change, the keys that were read before stay, and
// a warning says so, once for each reason.
class KeySetFile {
 public:
  using Time = std::chrono::system_clock::time_point;
  // Receives warnings, on any thread and without a lock held.
  using Warn = std::function<void(const absl::Status&)>;

  // The time between two looks at the file.
  static constexpr std::chrono::seconds kCheckInterval{1};

  // Reads the file. Errors name it: NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION if it is not
  // a regular file, and those of JsonWebKeySet::Parse.
  static absl::StatusOr<std::unique_ptr<KeySetFile>> Open(std::string path, Time now, Warn warn);

  // The keys at `now`. Two results are equal only if the file was not read between them. One call
  // in kCheckInterval looks at the file; calls meanwhile do not wait for it.
  std::shared_ptr<const JsonWebKeySet> Keys(Time now) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  // The attributes of a file that change with its content.
  struct Stamp {
    uint64_t device = 0, inode = 0, bytes = 0;
    int64_t modified_ns = 0, changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Content {
    Stamp stamp;
    std::shared_ptr<const JsonWebKeySet> keys;  // null if the content is wrong or was not read
    absl::Status problem;                       // why it is wrong
  };

  KeySetFile(std::string path, Warn warn) : path_(std::move(path)), warn_(std::move(warn)) {}

  // Reads the file, unless it still has the stamp `known`. An error means that the content is not
  // known.
  absl::StatusOr<Content> Read(const std::optional<Stamp>& known) const;
  void CheckFile();

  const std::string path_;
  const Warn warn_;

  Mutex mu_;
  std::shared_ptr<const JsonWebKeySet> keys_ ABSL_GUARDED_BY(mu_);
  std::optional<Stamp> stamp_ ABSL_GUARDED_BY(mu_);  // of the last content, even if it was wrong
  Time checked_ ABSL_GUARDED_BY(mu_);
  bool checking_ ABSL_GUARDED_BY(mu_) = false;
  absl::Status last_warning_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_KEY_SET_FILE_H_
