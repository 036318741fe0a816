#include "resolver/s3/aws_credentials_provider.h"

#include <algorithm>
#include <utility>

#include "base/cancellable_wait.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

constexpr std::chrono::seconds kRefreshBefore = std::chrono::minutes(5);
constexpr std::chrono::seconds kRetryAfter{30};

// Runs a function at the end of a scope, also if that ends with an exception.
template <typename Function>
class AtEnd {
 public:
  explicit AtEnd(Function function) : function_(std::move(function)) {}
  ~AtEnd() { function_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  const Function function_;
};

}  // namespace

bool AwsCredentialsProvider::IsUsable(Time now) const {
  return current_ && !stale_ && (!current_->expiration || now < *current_->expiration);
}

absl::StatusOr<AwsCredentials> AwsCredentialsProvider::Get(RequestContext& context) {
  {
    MutexLock lock(mu_);
    while (true) {
      const Time now = now_();
      if (IsUsable(now) && (loading_ || now < refresh_at_)) return *current_;
      if (!loading_) break;
      SD_RETURN_IF_ERROR(CancellableWait(context, mu_, changed_));
    }
    loading_ = true;
  }
  const AtEnd end([this] {
    MutexLock lock(mu_);
    loading_ = false;
    changed_.NotifyAll();
  });
  absl::StatusOr<AwsCredentials> loaded = load_(context);
  const absl::Status status = loaded.status();
  MutexLock lock(mu_);
  const Time now = now_();
  Keep(std::move(loaded), now);
  if (!IsUsable(now)) {
    return status.ok() ? absl::Status(absl::StatusCode::kPermissionDenied,
                                      "the credentials have expired already")
                       : status;
  }
  return *current_;
}

void AwsCredentialsProvider::Keep(absl::StatusOr<AwsCredentials> loaded, Time now) {
  if (!loaded.ok()) {
    refresh_at_ = now + kRetryAfter;  // until then, what there is may still be good
    return;
  }
  current_ = *std::move(loaded);
  stale_ = false;
  refresh_at_ = Time::max();
  if (current_->expiration) {
    // Short-lived ones are renewed after half their time.
    const std::chrono::seconds left = std::max(*current_->expiration - now, kRetryAfter);
    refresh_at_ = *current_->expiration - std::min(kRefreshBefore, left / 2);
  }
}

void AwsCredentialsProvider::Expire(std::string_view session_token) {
  MutexLock lock(mu_);
  if (current_ && current_->session_token == session_token) stale_ = true;
}

}  // namespace stagedoor
