#ifndef STAGEDOOR_CLIENT_OPENUSD_VALUE_CALL_H_
#define STAGEDOOR_CLIENT_OPENUSD_VALUE_CALL_H_

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "daemon_stage.h"
#include "prim_entry.h"
#include "result.h"
#include "value_request.h"

namespace stagedoor::openusd {

// A call for values on a thread of its own, so that it runs while the application reads those of
// the call before. Only Wait may be called by several threads, one after the other.
//
// A child process after fork() has no such thread: it must not wait, and may destroy the call.
class ValueCall {
 public:
  // Null if no thread can be started. The stage and the attributes must live as long as the call.
  static std::unique_ptr<ValueCall> Start(const DaemonStage& stage, ValueRequest request,
                                          double time);
  // Waits until the call has ended, which it does at its deadline at the latest.
  ~ValueCall();
  ValueCall(const ValueCall&) = delete;
  ValueCall& operator=(const ValueCall&) = delete;

  // Whether the first value is that of this attribute at this time; NaN is the default time.
  bool BeginsWith(const PropertyEntry& property, double time) const;
  bool has_ended() const { return ended_; }
  const ValueRequest& request() const { return request_; }
  // The values, which are taken, or the error of the call.
  Result<Values> Wait();

 private:
  ValueCall(const DaemonStage& stage, ValueRequest request, double time)
      : stage_(stage), request_(std::move(request)), time_(time) {}

  const DaemonStage& stage_;
  const ValueRequest request_;
  const double time_;
  std::optional<Result<Values>> values_;  // set by the thread
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_VALUE_CALL_H_
