#ifndef STAGEDOOR_SERVER_FRAMES_SENT_VALUES_H_
#define STAGEDOOR_SERVER_FRAMES_SENT_VALUES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/keyed_hasher.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_id.h"
#include "server/frames/frame_part.h"

namespace stagedoor::server {

// Knows the values that the geometry of a frame was sent with, so that others can refer to them
// (FrameGeometry.shared). Not thread-safe.
class SentValues {
 public:
  // Names a value, whatever geometry has it: values with the same key are equal, because the hash
  // has a key of its own that nobody knows.
  using Key = std::array<uint64_t, 2>;

  explicit SentValues(RequestContext& context) : reserved_(context) {}

  // Nothing for a value that has a large array which only this frame has, such as deformed points.
  absl::StatusOr<std::optional<Key>> KeyOf(RequestContext& context, const FramePart& value) const;

  // Begins the next geometry of the frame.
  void Begin(FrameId geometry) {
    geometry_ = geometry;
    ++number_;
  }
  // The geometry that was sent with the value, if it is one of the latest; 0 if there is none.
  FrameId Find(const Key& key) const;
  // The geometry that was begun is sent with the value. Fails only if that cannot be reserved.
  absl::Status Add(const Key& key);

 private:
  struct Sent {
    FrameId geometry;
    uint64_t number;
  };

  const std::array<KeyedHasher::Key, 2> keys_ = {KeyedHasher::Key::Random(),
                                                 KeyedHasher::Key::Random()};
  Reservation reserved_;
  std::map<Key, Sent> sent_;
  FrameId geometry_ = 0;
  uint64_t number_ = 0;  // of the geometry
};

// How far values may be from those that refer to them, in geometries: a part of the API.
inline constexpr uint64_t kMostGeometryBetween = 4096;

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_SENT_VALUES_H_
