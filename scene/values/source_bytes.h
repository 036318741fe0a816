// SourceBytes: bytes that values are read from and that others may change, such as a mapped file.
//
// An array that views into them (Array::owner) holds what the file holds now, and a sample is what
// the file holds when it is asked for. Whoever hands out or keeps what was made of these asks
// afterwards whether they were still those of the file that was opened: of single arrays with
// CheckUnchanged, of all that a request read with a SourceWatch. Everything else in a Value is a
// private copy of what was opened.
#ifndef STAGEDOOR_SCENE_VALUES_SOURCE_BYTES_H_
#define STAGEDOOR_SCENE_VALUES_SOURCE_BYTES_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "scene/values/ref_counted.h"
#include "scene/values/value.h"

namespace stagedoor {

class SourceWatch;

// Thread-safe.
class SourceBytes final : public RefCounted {
 public:
  // `check` says DATA_LOSS once the bytes were changed; `pin` keeps them. `watch`, if not null,
  // outlives it. `name`: see SourceWatch::Check.
  SourceBytes(std::string name, std::function<absl::Status()> check,
              std::shared_ptr<const void> pin, SourceWatch* watch);
  ~SourceBytes() override;

  // DATA_LOSS, from then on, once somebody changed the bytes; the message names the file. What was
  // read before an OK is good. A system call at most.
  absl::Status Check() const;
  // Whether a Check said so; costs nothing.
  bool changed() const { return changed_.load(std::memory_order_acquire); }

  // Called by readers that made a view, read a sample, or found the bytes changed.
  void NoteUse() const;

 private:
  friend class SourceWatch;

  const std::string name_;
  const std::function<absl::Status()> check_;
  const std::shared_ptr<const void> pin_;
  SourceWatch* const watch_;
  mutable std::atomic<bool> changed_{false};
  mutable std::atomic<uint64_t> last_use_{0};  // a moment of the watch
};

// Knows all SourceBytes of a process and when they were used, so that a request can check
// those that it may have read. Moments are counted, not timed. Thread-safe.
class SourceWatch {
 public:
  SourceWatch() = default;
  SourceWatch(const SourceWatch&) = delete;
  SourceWatch& operator=(const SourceWatch&) = delete;

  // What is used after this call is used at this moment or later.
  uint64_t Now() { return clock_.fetch_add(1, std::memory_order_acq_rel) + 1; }

  // Checks everything that was used since `moment`, by anybody. Costs nothing where nothing was.
  void CheckAllUsed(uint64_t moment) const;

  // How many sources were found changed. A reader that sees the number grow, after all it used was
  // checked, reads again: what is known to be changed then gives invalid values.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // For readers whose results do not tell what they come from: DATA_LOSS if a source was changed
  // that has one of `names`, or that was used since `moment`. `known`: as far as that was found
  // already.
  absl::Status CheckNamed(const std::unordered_set<std::string>& names, bool known = false) const;
  absl::Status CheckUsed(uint64_t moment, bool known = false) const;

 private:
  friend class SourceBytes;
  void Add(const SourceBytes* source);
  void Remove(const SourceBytes* source);

  std::atomic<uint64_t> clock_{1};
  std::atomic<uint64_t> last_use_{0};
  std::atomic<uint64_t> changes_{0};
  mutable SharedMutex mu_;
  std::unordered_set<const SourceBytes*> sources_ ABSL_GUARDED_BY(mu_);
};

// How the source of a layer's values is named: the path and version of the asset it was read from.
std::string SourceName(const std::string& path, const std::string& version);

// The source of an array that is a view; null for everything else.
const SourceBytes* SourceOf(const ArrayBase& array);
const SourceBytes* SourceOf(const Value& value);

// OK if what was read of the value until now is good.
absl::Status CheckUnchanged(const Value& value);
// DATA_LOSS if it is known to view into bytes that were changed; costs nothing.
absl::Status CheckKnown(const Value& value);

// The sources of several values, each once. Not thread-safe.
class SourceSet {
 public:
  void Add(const Value& value);
  // DATA_LOSS if one of them was changed; all are asked.
  absl::Status Check() const;

 private:
  std::vector<RefPtr<const SourceBytes>> sources_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SOURCE_BYTES_H_
