#ifndef STAGEDOOR_SERVER_STORE_SESSION_STORE_H_
#define STAGEDOOR_SERVER_STORE_SESSION_STORE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"

namespace stagedoor::server {

// Keeps what replicas of the daemon share, so that it outlives each of them: leases, the sessions
// that they hold, the states that edits gave the sessions, and which recipes clients use. What the
// records say is the caller's affair; see session_records.proto. Every record has a time to live
// and disappears after it.
//
// All IDs are the caller's choice, of at most kMaxIdBytes bytes of any value. Thread-safe. Calls
// block, at most until the deadline of the context. The errors of all of them: UNAVAILABLE
// (STORE_UNAVAILABLE) if the store cannot be reached, in which case a change may have been made or
// not; those of the context.
class SessionStore {
 public:
  using Ttl = std::chrono::milliseconds;

  static constexpr size_t kMaxIdBytes = 200;

  virtual ~SessionStore() = default;

  struct Session {
    std::string record;
    uint64_t revision = 0;  // how often the record was written, at least 1
  };
  // std::nullopt if the session does not exist.
  virtual absl::StatusOr<std::optional<Session>> FindSession(RequestContext& context,
                                                             std::string_view session) = 0;

  struct Update {
    std::string_view session;
    uint64_t revision = 0;  // that the session has; 0 if it is to be created
    std::string_view record;
    // The state that the record is about: how it is named among those of the session, and its own
    // record. Without a name, no state is written.
    std::string_view state;
    std::string_view state_record;
    Ttl ttl{0};
  };
  // Writes the record and the state, both or none, if the session has the expected revision, and
  // announces that to the other listeners. False if it has another one.
  virtual absl::StatusOr<bool> WriteSession(RequestContext& context, const Update& update) = 0;

  // A state of the session that was written, and whose time to live has not passed.
  virtual absl::StatusOr<std::optional<std::string>> FindState(RequestContext& context,
                                                               std::string_view session,
                                                               std::string_view state) = 0;

  // Adds a lease of a session, or replaces its record.
  virtual absl::Status WriteLease(RequestContext& context, std::string_view session,
                                  std::string_view lease, std::string_view record, Ttl ttl) = 0;
  virtual absl::StatusOr<std::optional<std::string>> FindLease(RequestContext& context,
                                                               std::string_view lease) = 0;
  // Removes a lease, and the session with its states if no lease of it remains. Removing a lease
  // that does not exist is not an error.
  virtual absl::Status RemoveLease(RequestContext& context, std::string_view session,
                                   std::string_view lease) = 0;

  // A lease in use, with its session and state.
  struct Renewal {
    std::string session;
    std::string state;  // may be empty
    std::string lease;
    Ttl ttl{0};
  };
  // Gives leases, their sessions and their states at least a new time to live. Ignores what does
  // not exist.
  virtual absl::Status Renew(RequestContext& context, std::span<const Renewal> renewals) = 0;

  // How many recipes are kept of one slot of time: see RecordUses.
  static constexpr size_t kMaxRecipes = 256;

  // That a recipe, from which sessions are made, was used.
  struct Use {
    std::string id;      // of the recipe
    std::string record;  // if it differs between uses of one ID, any of them is kept
    uint32_t weight = 0;
  };
  // Adds weights to those of the current slot of time. The store's clock is divided into slots of
  // the length `slot`, which is the same in all calls; uses are forgotten with the end of the slot
  // that follows theirs. Above kMaxRecipes, the recipes of the least weight in the slot are
  // dropped.
  virtual absl::Status RecordUses(RequestContext& context, std::span<const Use> uses, Ttl slot) = 0;
  // The records of the recipes with the largest weights, the largest first, at most `count`. A
  // weight is the sum of the current slot and the one before.
  virtual absl::StatusOr<std::vector<std::string>> HottestRecipes(RequestContext& context,
                                                                  size_t count, Ttl slot) = 0;

  // Called with the ID of a session that somebody else has written, or with nothing if
  // announcements may have been missed. On any thread; must return soon.
  using Listener = std::function<void(std::optional<std::string_view> session)>;
  // Sets the listener of this store object, which hears of changes that others make from then on.
  // Null ends that; it is not called any more when SetListener has returned.
  virtual void SetListener(Listener listener) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_SESSION_STORE_H_
