#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_STATE_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_STATE_H_

#include "server/frame_memory/frame_memory.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {

// The objects that frames are made from, and the memory of frames sent. Borrowed; outlives all
// calls. Thread-safe.
struct FrameState {
  const QueryState& queries;
  FrameMemory& memory;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_STATE_H_
