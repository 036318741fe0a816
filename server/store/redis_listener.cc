#include "server/store/redis_listener.h"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/store/store_unavailable.h"

namespace stagedoor::server {

RedisListener::RedisListener(RedisConnector& connector, std::string channel, std::string writer,
                             SessionStore::Listener listener, Timing timing)
    : connector_(connector),
      channel_(std::move(channel)),
      writer_(std::move(writer)),
      listener_(std::move(listener)),
      timing_(timing),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { Run(); }) {
  MutexLock lock(mu_);
  while (!tried_) changed_.Wait(mu_);
}

RedisListener::~RedisListener() {
  context_.Cancel();
  ::eventfd_write(wake_fd_, 1);
  thread_.join();
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

void RedisListener::Run() {
  bool is_first = true;
  bool is_reported = false;
  std::chrono::milliseconds delay = timing_.first_delay;
  while (!context_.cancelled()) {
    const auto connection = Subscribe();
    absl::Status end = connection.status();
    const bool is_late = !std::exchange(is_first, false);
    SetTried();
    if (connection.ok()) {
      if (is_late) listener_(std::nullopt);
      delay = timing_.first_delay;
      is_reported = false;
      end = Receive(**connection);
    }
    if (context_.cancelled()) return;
    if (!std::exchange(is_reported, true)) {
      spdlog::warn("changes that other replicas make to sessions are not announced: {}",
                   Message(end));
    }
    (void)RedisWait(context_, delay, wake_fd_).For(-1, 0);
    delay = std::min(2 * delay, timing_.longest_delay);
  }
}

void RedisListener::SetTried() {
  MutexLock lock(mu_);
  tried_ = true;
  changed_.NotifyAll();
}

absl::Status RedisListener::Receive(RedisConnection& connection) {
  for (bool tested = false;;) {
    const RedisWait wait(context_, timing_.silence, wake_fd_);
    SD_ASSIGN_OR_RETURN(const std::optional<RedisReply> message, connection.Receive(wait));
    if (message.has_value()) {
      tested = false;
      SD_RETURN_IF_ERROR(connector_.CheckReply(*message));
      Handle(*message);
    } else if (!std::exchange(tested, true)) {
      const RedisWait sending(context_, timing_.silence, wake_fd_);
      SD_RETURN_IF_ERROR(connection.Send({"PING"}, sending));
    } else {
      return StoreUnavailable(
          Concat(connector_.options().Address(), ": the server does not answer"));
    }
  }
}

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisListener::Subscribe() {
  SD_ASSIGN_OR_RETURN(auto connection, connector_.Connect(context_, wake_fd_));
  const RedisWait wait(context_, connector_.options().operation_timeout, wake_fd_);
  SD_RETURN_IF_ERROR(connection->Send({"SUBSCRIBE", channel_}, wait));
  SD_ASSIGN_OR_RETURN(const std::optional<RedisReply> reply, connection->Receive(wait));
  if (!reply.has_value()) {
    return StoreUnavailable(Concat(connector_.options().Address(), ": no reply to SUBSCRIBE"));
  }
  SD_RETURN_IF_ERROR(connector_.CheckReply(*reply));
  return connection;
}

// ["message", CHANNEL, WRITER SESSION]. Other messages answer commands.
void RedisListener::Handle(const RedisReply& message) {
  if (message.elements.size() != 3 || message.elements[0].text != "message") return;
  const std::string_view text = message.elements[2].text;
  if (text.size() < kWriterBytes) {
    listener_(std::nullopt);  // written by something else
  } else if (text.substr(0, kWriterBytes) != writer_) {
    listener_(text.substr(kWriterBytes));
  }
}

}  // namespace stagedoor::server
