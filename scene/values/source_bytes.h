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
#include "scene/values/array_owner.h"
#include "scene/values/ref_counted.h"
#include "scene/values/value.h"

namespace stagedoor {

class SourceWatch;

// Bytes from which values are read and which other processes may change, such as a mapped file.
//
// An array that is a view (Array::owner) shows the current contents of the file, and a sample is
// decoded when it is read. Code that returns or caches results must therefore check afterwards that
// the file was unchanged while it was read: with CheckUnchanged for single arrays, or with a
// SourceWatch for everything that a request has read. All other parts of a Value are private
// copies.
//
// The owner of arrays that are views. Thread-safe.
class SourceBytes final : public AssetArrayOwner {
 public:
  // `name` identifies the source for SourceWatch::CheckNamed; see SourceName. `check` must return
  // DATA_LOSS once the bytes have changed; `pin` keeps them mapped. `watch` may be null and must
  // otherwise outlive this object.
  SourceBytes(std::string name, std::function<absl::Status()> check,
              std::shared_ptr<const void> pin, SourceWatch* watch, const Origin& origin = {});
  ~SourceBytes() override;

  // DATA_LOSS, naming the file, once the bytes have changed. If it is OK, everything that was read
  // before is valid. Costs at most one system call.
  absl::Status Check() const;
  // Whether a previous Check found the bytes changed. Does not check again.
  bool changed() const { return changed_.load(std::memory_order_acquire); }

  // To be called by readers when they create a view, read a sample, or find the bytes changed.
  void NoteUse() const;

 private:
  friend class SourceWatch;

  const std::string name_;
  const std::function<absl::Status()> check_;
  const std::shared_ptr<const void> pin_;
  SourceWatch* const watch_;
  mutable std::atomic<bool> changed_{false};
  mutable std::atomic<uint64_t> last_use_{0};  // in the moments of the watch
};

// Knows all SourceBytes of a process and when each was last used, so that a request can check those
// that it may have read. Moments are numbers of a logical clock. Thread-safe.
class SourceWatch {
 public:
  SourceWatch() = default;
  SourceWatch(const SourceWatch&) = delete;
  SourceWatch& operator=(const SourceWatch&) = delete;

  // Starts a new moment and returns it. Every use after this call has this moment or a later one.
  uint64_t Now() { return clock_.fetch_add(1, std::memory_order_acq_rel) + 1; }

  // Checks all sources that were used since `moment`, by any request. Cheap if there are none.
  void CheckAllUsed(uint64_t moment) const;

  // The number of sources that were found changed. A reader that sees the number grow after it
  // checked its sources must read again; values from changed sources are then invalid.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // For readers whose results do not record their sources: DATA_LOSS if a source with one of
  // `names`, or one that was used since `moment`, has changed. With `known`, reports only changes
  // that were found before, without checking the files.
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

// The name of the source of a layer's values, made of the path and version of its asset.
std::string SourceName(const std::string& path, const std::string& version);

// The source of an array that is a view; null for all other values.
const SourceBytes* SourceOf(const ArrayBase& array);
const SourceBytes* SourceOf(const Value& value);

// OK if everything that was read of the value so far is valid; otherwise DATA_LOSS.
absl::Status CheckUnchanged(const Value& value);
// DATA_LOSS if the value is a view of bytes that are already known to have changed; cheap.
absl::Status CheckKnownChanges(const Value& value);

// The set of the sources of several values. Not thread-safe.
class SourceSet {
 public:
  void Add(const Value& value);
  // Checks all sources. DATA_LOSS if one of them has changed.
  absl::Status Check() const;

 private:
  std::vector<RefPtr<const SourceBytes>> sources_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SOURCE_BYTES_H_
