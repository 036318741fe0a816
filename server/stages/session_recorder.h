#ifndef STAGEDOOR_SERVER_STAGES_SESSION_RECORDER_H_
#define STAGEDOOR_SERVER_STAGES_SESSION_RECORDER_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/stages/request_id_table.h"
#include "server/stages/stage_key.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor::server {

// Records the edits of one session where other replicas of the daemon find them, and finds theirs.
// The session calls it for one edit after the other.
class SessionRecorder {
 public:
  virtual ~SessionRecorder() = default;

  // The state of a session after edits.
  struct Outcome {
    StageKey stage_key;
    std::shared_ptr<const StageSnapshot> snapshot;
    std::vector<RequestIdTable::Done> done;  // the edits that can be repeated
  };

  // Records the session if nothing is known of it elsewhere, or fewer edits than were recorded
  // here. False if there was no need to.
  virtual absl::StatusOr<bool> StoreIfMissing(RequestContext& context, const Outcome& current) = 0;

  // Records an edit. False if the session was edited elsewhere since it was last recorded or found:
  // then FindNewer has the outcome. UNAVAILABLE if that cannot be known; the edit may have been
  // recorded then.
  virtual absl::StatusOr<bool> Record(RequestContext& context, const Outcome& outcome) = 0;

  // The state of the session after edits elsewhere since it was last recorded or found; nothing if
  // there were none. `current` is its state here.
  virtual absl::StatusOr<std::optional<Outcome>> FindNewer(RequestContext& context,
                                                           const Outcome& current) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SESSION_RECORDER_H_
