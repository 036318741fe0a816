#ifndef STAGEDOOR_CLIENT_CC_SOCKET_CARRIER_H_
#define STAGEDOOR_CLIENT_CC_SOCKET_CARRIER_H_

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/frame_reader.h"
#include "client/cc/frame_carrier.h"
#include "client/cc/shared_segments.h"

namespace stagedoor {

// A connection to the query socket of a daemon.
class SocketCarrier final : public FrameCarrier {
 public:
  // Connects to the socket at a path. UNAVAILABLE if nobody listens there.
  static absl::StatusOr<std::unique_ptr<SocketCarrier>> Connect(const std::string& path);
  ~SocketCarrier() override;
  SocketCarrier(const SocketCarrier&) = delete;
  SocketCarrier& operator=(const SocketCarrier&) = delete;

  size_t Send(std::string_view messages) override;
  bool Read(Clock::time_point deadline, bool can_send, FrameReader& reader,
            SharedSegments& segments) override;
  void Shutdown() override;
  Kind kind() const override { return Kind::kSocket; }

 private:
  explicit SocketCarrier(int fd) : fd_(fd) {}

  bool Await(Clock::time_point deadline, bool can_send) const;
  ssize_t Receive(char* bytes, size_t size, int flags, SharedSegments& segments) const;

  const int fd_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_SOCKET_CARRIER_H_
