#ifndef STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_PROVIDER_H_
#define STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_PROVIDER_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "resolver/s3/aws_credentials.h"

namespace stagedoor {

// Keeps credentials, and loads them again before they expire: once, however many requests need
// them. Thread-safe.
class AwsCredentialsProvider {
 public:
  using Load = std::function<absl::StatusOr<AwsCredentials>(RequestContext& context)>;
  using Now = std::function<std::chrono::sys_seconds()>;

  AwsCredentialsProvider(Load load, Now now) : load_(std::move(load)), now_(std::move(now)) {}

  // Credentials that have not expired. Blocks while they are loaded for the first time, or after
  // they have expired; the errors of Load, and those of the context.
  absl::StatusOr<AwsCredentials> Get(RequestContext& context);

  // Called when a server says that the credentials with this session token have expired, so that
  // the next Get loads them again unless that has happened already.
  void Expire(std::string_view session_token);

 private:
  using Time = std::chrono::sys_seconds;

  bool IsUsable(Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Keep(absl::StatusOr<AwsCredentials> loaded, Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Load load_;
  const Now now_;

  Mutex mu_;
  CondVar changed_;
  bool loading_ ABSL_GUARDED_BY(mu_) = false;
  bool stale_ ABSL_GUARDED_BY(mu_) = false;  // the server has rejected them
  std::optional<AwsCredentials> current_ ABSL_GUARDED_BY(mu_);
  Time refresh_at_ ABSL_GUARDED_BY(mu_) = Time::max();
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_PROVIDER_H_
