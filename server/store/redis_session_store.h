#ifndef STAGEDOOR_SERVER_STORE_REDIS_SESSION_STORE_H_
#define STAGEDOOR_SERVER_STORE_REDIS_SESSION_STORE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/store/redis_client.h"
#include "server/store/redis_connector.h"
#include "server/store/redis_listener.h"
#include "server/store/redis_options.h"
#include "server/store/redis_scripts.h"
#include "server/store/session_store.h"

namespace stagedoor::server {

// A store in a Redis server (6.2 or later, not Redis Cluster), which all replicas of the daemon
// use. docs/decisions/session-store.md describes its keys and what the server must offer.
//
// A listener is called on a thread of its own, which connects again whenever its connection ends.
// SetListener waits for the first attempt to connect, and must not be called by a listener.
class RedisSessionStore final : public SessionStore {
 public:
  // Does not connect yet, so that a replica can start while the server is down. INVALID_ARGUMENT
  // if the options contradict each other or name a file that cannot be read.
  static absl::StatusOr<std::unique_ptr<RedisSessionStore>> Create(
      RedisOptions options, RedisListener::Timing timing = {});
  ~RedisSessionStore() override;

  absl::StatusOr<std::optional<Session>> FindSession(RequestContext& context,
                                                     std::string_view session) override;
  absl::StatusOr<bool> WriteSession(RequestContext& context, const Update& update) override;
  absl::StatusOr<std::optional<std::string>> FindState(RequestContext& context,
                                                       std::string_view session,
                                                       std::string_view state) override;
  absl::Status WriteLease(RequestContext& context, std::string_view session, std::string_view lease,
                          std::string_view record, Ttl ttl) override;
  absl::StatusOr<std::optional<std::string>> FindLease(RequestContext& context,
                                                       std::string_view lease) override;
  absl::Status RemoveLease(RequestContext& context, std::string_view session,
                           std::string_view lease) override;
  // In several batches, some of which may have been renewed if a later one fails.
  absl::Status Renew(RequestContext& context, std::span<const Renewal> renewals) override;
  // Likewise.
  absl::Status RecordUses(RequestContext& context, std::span<const Use> uses, Ttl slot) override;
  absl::StatusOr<std::vector<std::string>> HottestRecipes(RequestContext& context, size_t count,
                                                          Ttl slot) override;
  void SetListener(Listener listener) override;

 private:
  RedisSessionStore(std::unique_ptr<RedisConnector> connector, std::string writer,
                    RedisListener::Timing timing);

  // The key of what belongs to one session or lease. No two kinds and IDs have the same.
  std::string Key(std::string_view kind, std::string_view id) const;
  // The key of a state without the state itself, which follows.
  std::string StatePrefix(std::string_view session) const;
  std::string StateKey(std::string_view session, std::string_view state) const;

  absl::Status RenewBatch(RequestContext& context, std::span<const Renewal> renewals);
  absl::Status RecordBatch(RequestContext& context, std::span<const Use> uses, Ttl slot);
  absl::StatusOr<std::optional<std::string>> FindText(RequestContext& context,
                                                      std::string_view key);
  // STORE_UNAVAILABLE: the server replied what the commands cannot return.
  absl::Status Unexpected() const;

  const std::unique_ptr<RedisConnector> connector_;
  const RedisListener::Timing timing_;
  const RedisScripts scripts_;
  const std::string writer_;   // of this object, random
  const std::string channel_;  // of announcements
  RedisClient client_;

  Mutex listener_mu_;
  std::unique_ptr<RedisListener> listener_ ABSL_GUARDED_BY(listener_mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_SESSION_STORE_H_
