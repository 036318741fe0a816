#ifndef STAGEDOOR_SERVER_UPSTREAM_NODE_STAGE_H_
#define STAGEDOOR_SERVER_UPSTREAM_NODE_STAGE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/mutex.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// A session without a name that a node daemon has open upstream, by one lease, which all handles
// that it grants on the session share. Thread-safe.
class NodeStage {
 public:
  using Clock = std::chrono::steady_clock;

  // The lease upstream. Its generation changes when the stage is opened again.
  struct Lease {
    std::string handle;
    size_t address = 0;
    uint64_t generation = 0;
  };

  // `request` is without what belongs to one handle; `authorization` is that of the caller who has
  // opened the stage. Names in `opened` are those of upstream.
  NodeStage(v1::OpenStageRequest request, std::string routing_key, std::string authorization,
            const v1::OpenStageResponse& opened, size_t address, Clock::time_point now);

  const v1::OpenStageRequest& request() const { return request_; }
  const std::string& routing_key() const { return routing_key_; }
  const std::string& authorization() const { return authorization_; }
  int interpolation() const { return interpolation_; }
  // Whether nothing but edits can change the session: it does not follow changes of its files.
  bool is_private() const;
  // Whether a new handle may share the session without asking upstream for changes of its assets.
  bool may_be_joined_later() const;

  Lease lease() const;
  uint64_t generation() const;
  // The reply to the call that has opened it.
  v1::OpenStageResponse opened() const;
  // The lease of a stage that was opened again. False if the new snapshot is another one than the
  // handles expect, or if there were edits; then the stage is lost.
  bool Renew(const v1::OpenStageResponse& opened, size_t address);

  // The fingerprint of the newest snapshot; empty if it is not known, because the session may have
  // changed.
  std::string newest() const;

  // Edits. After the first one, no further handle may share the session.
  void BeginEdit();
  bool edited() const;

  // The use of the lease upstream, which renews it there.
  void Use(Clock::time_point now);
  Clock::time_point last_use() const;

  // Whether upstream has said, at most `age` ago, that a caller may use the session.
  bool IsAdmitted(const std::string& authorization, Clock::time_point now,
                  Clock::duration age) const;
  void Admit(const std::string& authorization, Clock::time_point now);
  // Upstream has refused the caller.
  void Refuse(const std::string& authorization);

  // The handles that the daemon has granted, which share the session.
  void AddHandle();
  size_t RemoveHandle();
  size_t handles() const;

 private:
  static constexpr size_t kMaxAdmitted = 1000;

  const v1::OpenStageRequest request_;
  const std::string routing_key_;
  const std::string authorization_;
  const int interpolation_;
  mutable Mutex mu_;
  v1::OpenStageResponse opened_ ABSL_GUARDED_BY(mu_);
  Lease lease_ ABSL_GUARDED_BY(mu_);
  bool edited_ ABSL_GUARDED_BY(mu_) = false;
  Clock::time_point last_use_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, Clock::time_point> admitted_ ABSL_GUARDED_BY(mu_);  // by authorization
  size_t handles_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_NODE_STAGE_H_
