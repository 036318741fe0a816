#include "value_call.h"

#include <cmath>
#include <system_error>
#include <utility>

namespace stagedoor::openusd {

std::unique_ptr<ValueCall> ValueCall::Start(const DaemonStage& stage, ValueRequest request,
                                            double time) {
  std::unique_ptr<ValueCall> call(new ValueCall(stage, std::move(request), time));
  try {
    call->thread_ = std::thread([call = call.get()] {
      call->values_.emplace(call->stage_.GetValues(call->request_.Paths(), {call->time_}));
      call->ended_ = true;
    });
  } catch (const std::system_error&) {
    return nullptr;
  }
  return call;
}

ValueCall::~ValueCall() {
  if (!thread_.joinable()) return;
  if (stage_.IsOwnProcess()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

bool ValueCall::BeginsWith(const PropertyEntry& property, double time) const {
  const bool at_time = time == time_ || (std::isnan(time) && std::isnan(time_));
  return at_time && request_.properties().front() == &property;
}

Result<Values> ValueCall::Wait() {
  thread_.join();
  return *std::move(values_);
}

}  // namespace stagedoor::openusd
