#include "server/store/redis_wait.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

constexpr std::chrono::milliseconds kCancelPoll{20};
constexpr std::chrono::milliseconds kLongestPoll{60'000};  // fits an int

}  // namespace

RedisWait RedisWait::Share(size_t count) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
  const auto share = std::max(left / static_cast<int64_t>(std::max(count, size_t{1})),
                              std::chrono::milliseconds(1));
  return RedisWait(context_, share, wake_fd_);
}

absl::StatusOr<bool> RedisWait::For(int fd, short events) const {
  std::array<pollfd, 2> polled = {{{fd, events, 0}, {wake_fd_, POLLIN, 0}}};
  const std::chrono::milliseconds step = wake_fd_ < 0 ? kCancelPoll : kLongestPoll;
  for (;;) {
    SD_RETURN_IF_ERROR(context_.Check());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::min(end_, context_.deadline()) - Clock::now());
    const auto timeout = std::clamp(left, std::chrono::milliseconds(0), step);
    // An interrupted poll is as one that timed out.
    const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
    if (ready > 0 && polled[0].revents != 0) return true;
    SD_RETURN_IF_ERROR(context_.Check());
    if (TimedOut()) return false;
  }
}

}  // namespace stagedoor::server
