#ifndef STAGEDOOR_SERVER_STAGES_STAGE_KEY_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_KEY_H_

#include <string>
#include <string_view>

#include "scene/stage/stage.h"
#include "server/stages/change_policy.h"
#include "server/stages/session_edits.h"

namespace stagedoor::server {

// Identifies a stage by what it is opened from. Stages with equal keys are shared; those that are
// fixed are kept apart from others.
struct StageKey {
  StageOptions options;         // root and session are identifiers
  std::string session_content;  // usda text of a session layer, instead of options.session
  SessionEdits edits;           // of that session layer
  ChangePolicy policy = ChangePolicy::kOnOpen;

  // Equal for equal keys. Excludes the interpolation, which does not affect composition, and, as
  // with layers, the content of pin files. Excludes the policy too, which decides about versions:
  // equal assets give equal snapshots, on the same daemon, whatever the policy.
  std::string CacheKey() const;
};

// A fingerprint of a CacheKey, the same on every daemon.
std::string RoutingKeyOf(std::string_view cache_key);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_KEY_H_
