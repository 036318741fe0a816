#ifndef STAGEDOOR_CLIENT_SDK_PATH_PARTS_H_
#define STAGEDOOR_CLIENT_SDK_PATH_PARTS_H_

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor::sdk {

// The parts of a query about many paths, each of which the daemon and proxies accept, as in Python.
// All of them are read at one snapshot: if the stage changes in between, the query begins again.
// Not thread-safe.
class PathParts {
 public:
  using Paths = std::span<const std::string>;

  // The size of the paths of a part. The daemon accepts 64 MiB (--max-request-bytes), of which the
  // digests of arrays that the client holds need some.
  static constexpr size_t kMaxBytes = size_t{16} << 20;

  // `paths` must outlive this object. `pin`: the snapshot to read; empty for the newest one.
  PathParts(Paths paths, std::string pin);

  bool done() const { return left_.empty(); }
  // The paths to ask about next, and the snapshot to read. Not done.
  Paths next() const { return left_.back(); }
  const std::string& pin() const { return pin_; }

  // The next step after a part was asked about. kSplit: it was too large, and is halved;
  // kBeginAgain: the stage has changed, so that the results so far are dropped.
  enum class Then { kGoOn, kSplit, kBeginAgain };
  // Takes note of what came of a part: a status, and the snapshot that was read. The error if the
  // query has failed; ABORTED if the stage has changed each time that it was repeated.
  absl::StatusOr<Then> Take(const absl::Status& status, const std::string& snapshot);

 private:
  absl::StatusOr<Then> BeginAgain();

  const Paths paths_;
  const std::string given_pin_;
  std::string pin_;
  std::vector<Paths> left_;  // the next one last
  int repeats_left_ = 3;
};

// A result, and the snapshot that it is of.
template <typename T>
struct OfSnapshot {
  T result;
  std::string snapshot;
};

// The results of all parts, in order. `ask` makes the call for some paths and a snapshot, and
// returns a StatusOr<OfSnapshot<T>>.
template <typename T, typename Ask>
absl::StatusOr<std::vector<T>> AskInParts(PathParts::Paths paths, const std::string& pin,
                                          const Ask& ask) {
  PathParts parts(paths, pin);
  std::vector<T> found;
  do {
    absl::StatusOr<OfSnapshot<T>> part = ask(parts.next(), parts.pin());
    const absl::StatusOr<PathParts::Then> then =
        parts.Take(part.status(), part.ok() ? part->snapshot : std::string());
    if (!then.ok()) return then.status();
    if (*then == PathParts::Then::kGoOn) found.push_back(std::move(part->result));
    if (*then == PathParts::Then::kBeginAgain) found.clear();
  } while (!parts.done());
  return found;
}

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_PATH_PARTS_H_
