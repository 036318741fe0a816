#ifndef STAGEDOOR_CLIENT_CLI_FRAME_COLUMNS_H_
#define STAGEDOOR_CLIENT_CLI_FRAME_COLUMNS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor {

// The ID of an object of a frame, as commands print it: 16 hexadecimal digits; empty for 0.
std::string FrameIdText(uint64_t id);

// DATA_LOSS unless the columns of a message have the sizes that they must have, so that it can be
// read without further checks.
absl::Status CheckFrameColumns(const v1::ExtractFrameResponse& message);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_FRAME_COLUMNS_H_
