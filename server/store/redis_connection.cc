#include "server/store/redis_connection.h"

#include <hiredis/hiredis.h>

#include <array>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/store/store_unavailable.h"

namespace stagedoor::server {
namespace {

size_t SizeOf(std::span<const RedisCommand> commands) {
  size_t size = 0;
  for (const RedisCommand& command : commands) {
    for (const std::string_view word : command) size += word.size();
  }
  return size;
}

void Append(const RedisCommand& command, std::string& bytes) {
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const std::string_view word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* formatted = nullptr;
  const int size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), words.data(),
                                          sizes.data());
  if (size < 0) throw std::bad_alloc();
  const std::unique_ptr<char, void (*)(char*)> owned(formatted, redisFreeCommand);
  bytes.append(formatted, static_cast<size_t>(size));
}

}  // namespace

RedisConnection::RedisConnection(std::unique_ptr<RedisSocket> socket, std::string address,
                                 size_t max_reply_bytes)
    : socket_(std::move(socket)), address_(std::move(address)), reader_(max_reply_bytes) {}

absl::StatusOr<std::vector<RedisReply>> RedisConnection::Execute(
    std::span<const RedisCommand> commands, const RedisWait& wait) {
  sent_ = false;
  if (SizeOf(commands) > kMaxCommandBytes) {
    return ResourceExhaustedError("the records for the session store exceed the limit of ",
                                  kMaxCommandBytes, " bytes");
  }
  std::string bytes;
  for (const RedisCommand& command : commands) Append(command, bytes);
  const auto done = Exchange(bytes, commands.size(), wait);
  if (!done.ok()) return Fail(done.status(), wait);
  if (!*done) {
    timed_out_ = true;
    return Fail(UnavailableError("no reply within ", wait.timeout().count(), " ms"), wait);
  }
  if (arrived_.size() > commands.size() || !reader_.empty()) {
    return Fail(DataLossError("the server sent more than the replies to the commands"), wait);
  }
  std::vector<RedisReply> replies(std::make_move_iterator(arrived_.begin()),
                                  std::make_move_iterator(arrived_.end()));
  arrived_.clear();
  return replies;
}

absl::StatusOr<std::optional<RedisReply>> RedisConnection::Receive(const RedisWait& wait) {
  const auto done = Exchange({}, 1, wait);
  if (!done.ok()) return Fail(done.status(), wait);
  if (!*done) return std::nullopt;
  RedisReply reply = std::move(arrived_.front());
  arrived_.pop_front();
  return reply;
}

absl::Status RedisConnection::Send(const RedisCommand& command, const RedisWait& wait) {
  std::string bytes;
  Append(command, bytes);
  const auto done = Exchange(bytes, 0, wait);
  if (!done.ok()) return Fail(done.status(), wait);
  if (*done) return absl::OkStatus();
  return Fail(UnavailableError("nothing was sent within ", wait.timeout().count(), " ms"), wait);
}

bool RedisConnection::IsIdle() {
  if (socket_ == nullptr || !arrived_.empty() || !reader_.empty()) return false;
  const auto read = ReadSome();
  return read.ok() && read->bytes == 0;
}

absl::StatusOr<bool> RedisConnection::Exchange(std::string_view bytes, size_t count,
                                               const RedisWait& wait) {
  if (socket_ == nullptr) return UnavailableError("the connection is closed");
  SD_RETURN_IF_ERROR(wait.context().Check());
  while (!bytes.empty() || arrived_.size() < count) {
    RedisSocket::Progress written;
    if (!bytes.empty()) {
      auto progress = socket_->Write(bytes);
      if (!progress.ok()) {
        closed_by_server_ = true;
        return progress.status();
      }
      written = *progress;
      bytes.remove_prefix(written.bytes);
      sent_ = sent_ || written.bytes != 0;
    }
    // Replies are read while commands are still being sent, so that neither side waits for the
    // other to read.
    SD_ASSIGN_OR_RETURN(const RedisSocket::Progress read, ReadSome());
    if (written.bytes != 0 || read.bytes != 0) {
      if (wait.TimedOut() && (!bytes.empty() || arrived_.size() < count)) return false;
      continue;
    }
    const auto events = static_cast<short>(written.wait_for | read.wait_for);
    SD_ASSIGN_OR_RETURN(const bool ready, wait.For(socket_->fd(), events));
    if (!ready) return false;
  }
  return true;
}

absl::StatusOr<RedisSocket::Progress> RedisConnection::ReadSome() {
  std::array<char, size_t{16} << 10> buffer;
  auto read = socket_->Read(buffer);
  if (!read.ok()) closed_by_server_ = true;
  if (!read.ok() || read->bytes == 0) return read;
  reader_.Feed(std::string_view(buffer.data(), read->bytes));
  for (;;) {
    SD_ASSIGN_OR_RETURN(std::optional<RedisReply> reply, reader_.Next());
    if (!reply.has_value()) return read;
    arrived_.push_back(*std::move(reply));
  }
}

absl::Status RedisConnection::Fail(const absl::Status& error, const RedisWait& wait) {
  socket_.reset();
  if (absl::Status over = wait.context().Check(); !over.ok()) return over;
  return StoreUnavailable(Concat(address_, ": ", Message(error)));
}

}  // namespace stagedoor::server
