#ifndef STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_TOKEN_H_
#define STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_TOKEN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor::server {

// Names a frame: what was asked for, of which snapshot, at which time. Clients get its bytes and
// send them back, to this or any other replica, which needs nothing else to know the frame.
struct FrameToken {
  using Words = std::array<uint64_t, 2>;

  Words key = {};       // of selection, sample policy and options (FrameQuery::key)
  Words snapshot = {};  // a hash of its fingerprint (SnapshotWords)
  Words clips = {};     // of the clips that the frame is made from (FrameClips)
  TimeCode time;

  std::string ToBytes() const;
  // INVALID_ARGUMENT (INVALID_FIELD) for bytes that are not those of a token. Nothing for the token
  // of a version that this daemon does not know.
  static absl::StatusOr<std::optional<FrameToken>> Parse(std::string_view bytes);
  static Words SnapshotWords(std::string_view fingerprint);

  friend bool operator==(const FrameToken&, const FrameToken&) = default;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_TOKEN_H_
