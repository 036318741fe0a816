#ifndef STAGEDOOR_BASE_REQUEST_NOTES_H_
#define STAGEDOOR_BASE_REQUEST_NOTES_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/request_scope.h"

namespace stagedoor {

// Information about a request for operators and other services, carried beside its RequestContext:
// what it works on, and the trace that it belongs to. RequestScope has those of the current one.
class RequestNotes {
 public:
  static constexpr size_t kMaxSubjectBytes = 200;

  RequestNotes() = default;
  virtual ~RequestNotes() = default;
  RequestNotes(const RequestNotes&) = delete;
  RequestNotes& operator=(const RequestNotes&) = delete;

  // The W3C "traceparent" for requests to other services on behalf of this one. Empty if the client
  // sent none. Thread-safe.
  virtual std::string TraceParent() { return {}; }

  // Records that the result depends on value clips, whose versions are not part of the fingerprint
  // of a snapshot. Thread-safe.
  void NoteClips() {
    if (!reads_clips()) reads_clips_.store(true, std::memory_order_relaxed);
  }
  // As NoteClips, for the request that the calling thread works for, if there is one.
  static void NoteClipsOfCurrent() {
    if (RequestNotes* const notes = RequestScope::Current().notes) notes->NoteClips();
  }
  bool reads_clips() const { return reads_clips_.load(std::memory_order_relaxed); }

  // The subject of the request: the name of a stage's root layer, of which the last
  // kMaxSubjectBytes are kept. Thread-safe: set by the thread that runs the request, and read by
  // others, for those who want to know what the calls in flight do. Allocates nothing.
  void SetSubject(std::string_view subject) {
    MutexLock lock(subject_mu_);
    is_truncated_ = subject.size() > kMaxSubjectBytes;
    if (is_truncated_) subject.remove_prefix(subject.size() - kMaxSubjectBytes);
    std::copy(subject.begin(), subject.end(), subject_.begin());
    size_ = subject.size();
  }
  // With "…" in place of what was not kept.
  std::string subject() const {
    MutexLock lock(subject_mu_);
    std::string text(is_truncated_ ? "…" : "");
    return text.append(subject_.data(), size_);
  }

 private:
  std::atomic<bool> reads_clips_{false};
  mutable Mutex subject_mu_;
  std::array<char, kMaxSubjectBytes> subject_ ABSL_GUARDED_BY(subject_mu_);
  size_t size_ ABSL_GUARDED_BY(subject_mu_) = 0;
  bool is_truncated_ ABSL_GUARDED_BY(subject_mu_) = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_REQUEST_NOTES_H_
