#ifndef STAGEDOOR_BASE_PACER_H_
#define STAGEDOOR_BASE_PACER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/request_context.h"

namespace stagedoor {

// Counts the steps of a loop or recursion on one thread, and checks the request's context every
// kStride steps, which is well below a millisecond. The cheap way for hot loops to observe the
// deadline, cancellation and the limit on work.
//
//   Pacer pacer(context);
//   for (...) {
//     SD_RETURN_IF_ERROR(pacer.Step());   // or: if (!pacer.Go()) return {};
//   }
//
// Not thread-safe. Cheap to construct, so each piece of a ParallelFor has its own.
class Pacer {
 public:
  static constexpr int64_t kStride = 1024;

  // Continues to count where the context's last loop stopped, so that many short loops check as
  // often as a single long one.
  explicit Pacer(RequestContext& context)
      : context_(context), left_(kStride - static_cast<int64_t>(context.steps() % kStride)) {}
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;
  ~Pacer() { context_.AddSteps(counted_); }

  // Counts `steps`. Returns false once the request is over; Check() of the context then states why.
  bool Go(int64_t steps = 1) {
    counted_ += static_cast<uint64_t>(steps);
    left_ -= steps;
    return left_ > 0 || CheckContext();
  }

  // As Go, with the result as a status.
  absl::Status Step(int64_t steps = 1) { return Go(steps) ? absl::OkStatus() : context_.Check(); }

 private:
  bool CheckContext() {
    if (over_) return false;
    over_ = !context_.Spend(counted_).ok();
    counted_ = 0;
    left_ = over_ ? 0 : kStride;
    return !over_;
  }

  RequestContext& context_;
  int64_t left_;
  uint64_t counted_ = 0;  // not yet reported to the context
  bool over_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_PACER_H_
