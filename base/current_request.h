#ifndef STAGEDOOR_BASE_CURRENT_REQUEST_H_
#define STAGEDOOR_BASE_CURRENT_REQUEST_H_

#include <utility>

namespace stagedoor {

class RequestContext;

// The request that the calling thread works for, for the few functions that wait for bytes from
// another machine too far down to be passed a context: decoding a value whose part of the file is
// not here yet. Threads that help in a ParallelFor work for the same request as its caller.
class CurrentRequest {
 public:
  // Null if the thread works for no request in particular.
  static RequestContext* Get() { return current_; }

  // Makes the thread work for `context`, which may be null and must outlive the object.
  class Guard {
   public:
    explicit Guard(RequestContext* context) : before_(std::exchange(current_, context)) {}
    ~Guard() { current_ = before_; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    RequestContext* const before_;
  };

 private:
  static inline constinit thread_local RequestContext* current_ = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_CURRENT_REQUEST_H_
