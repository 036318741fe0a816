#ifndef STAGEDOOR_CLIENT_CC_FRAME_CARRIER_H_
#define STAGEDOOR_CLIENT_CC_FRAME_CARRIER_H_

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/frame_reader.h"
#include "client/cc/shared_segments.h"

namespace stagedoor {

// Carries the messages of a channel of query frames between a QueryLink and a daemon. Both
// directions are the bytes that FrameReader takes: each message behind its length.
class FrameCarrier {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Kind { kSocket, kStream };

  // How long a Read may wait: cancellations and deadlines are noticed that much later at most.
  static constexpr std::chrono::milliseconds kLongestRead{100};

  virtual ~FrameCarrier() = default;

  // Sends whole messages, as far as that is possible without waiting, and returns the number of
  // bytes; the next call begins with the others. For one thread at a time.
  virtual size_t Send(std::string_view messages) = 0;

  // Waits until about `deadline`, at most for kLongestRead, until something has come or, with
  // `can_send`, more can be sent. Feeds `reader` what has come, and `segments` its descriptors.
  // False if the connection is broken. For one thread at a time, which may be another than the one
  // that sends.
  virtual bool Read(Clock::time_point deadline, bool can_send, FrameReader& reader,
                    SharedSegments& segments) = 0;

  // Breaks the connection, which ends a Read. Thread-safe.
  virtual void Shutdown() = 0;

  virtual Kind kind() const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_FRAME_CARRIER_H_
