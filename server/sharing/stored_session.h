#ifndef STAGEDOOR_SERVER_SHARING_STORED_SESSION_H_
#define STAGEDOOR_SERVER_SHARING_STORED_SESSION_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/stages/session_recorder.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_session.h"
#include "server/store/session_records.pb.h"
#include "server/store/session_store.h"

namespace stagedoor::server {

// A session in a SessionStore. Not thread-safe, except where noted: calls come one after the other,
// as StageSession makes them.
//
// If the session is missing in the store, because the store lost it, it is written anew. If two
// replicas do so, the one that knows more edits wins.
class StoredSession final : public SessionRecorder {
 public:
  // `record` is what the store has as `revision`, or what it is to have if that is 0. `ttl` is how
  // long the session lives without a renewal.
  StoredSession(SessionStore& store, StageCache& stages, std::string id,
                store::v1::SessionRecord record, uint64_t revision, SessionStore::Ttl ttl);

  // The recorder of a session. All sessions of a daemon that shares them have one.
  static const StoredSession& Of(const StageSession& session) {
    return static_cast<const StoredSession&>(*session.recorder());
  }

  // Parses the record that the store has of a session. DATA_LOSS if it is damaged.
  static absl::StatusOr<store::v1::SessionRecord> ParseRecord(const std::string& text);
  // The edits in a record that clients may repeat.
  static std::vector<RequestIdTable::Done> DoneIn(const store::v1::SessionRecord& record);

  // Thread-safe.
  const std::string& id() const { return id_; }
  const v1::OpenStageRequest& recipe() const { return recipe_; }
  const std::string& first_snapshot() const { return first_snapshot_; }

  absl::StatusOr<bool> StoreIfMissing(RequestContext& context, const Outcome& current) override;
  absl::StatusOr<bool> Record(RequestContext& context, const Outcome& outcome) override;
  absl::StatusOr<std::optional<Outcome>> FindNewer(RequestContext& context,
                                                   const Outcome& current) override;

  // Replaces what edits can change of a key by a state of the session that was recorded. False if
  // the store does not have the state. Thread-safe.
  absl::StatusOr<bool> RestoreState(RequestContext& context, const std::string& snapshot,
                                    StageKey& stage_key) const;
  // The stage with such a state, made from `before`; nothing if the store does not have the state.
  // Thread-safe.
  absl::StatusOr<std::optional<Outcome>> OpenState(RequestContext& context,
                                                   const std::string& snapshot, StageKey stage_key,
                                                   const StageSnapshot& before) const;

 private:
  absl::StatusOr<bool> Write(RequestContext& context, const Outcome& outcome, uint64_t revision,
                             uint64_t edit_count);

  SessionStore& store_;
  StageCache& stages_;
  const std::string id_;
  const v1::OpenStageRequest recipe_;
  const std::string first_snapshot_;
  const SessionStore::Ttl ttl_;
  uint64_t revision_;    // that the store is known to have
  uint64_t edit_count_;  // of the session here
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SHARING_STORED_SESSION_H_
