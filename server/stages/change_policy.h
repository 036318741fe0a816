#ifndef STAGEDOOR_SERVER_STAGES_CHANGE_POLICY_H_
#define STAGEDOOR_SERVER_STAGES_CHANGE_POLICY_H_

#include <cstdint>

namespace stagedoor::server {

// How a stage learns that its assets have changed (docs/decisions/change-policies.md).
enum class ChangePolicy : uint8_t {
  kFixed,   // not at all, as long as a client holds it
  kOnOpen,  // when a client opens or joins it
  kFollow,  // by itself: see StageFollower
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_CHANGE_POLICY_H_
