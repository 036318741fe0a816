#include "benchmarks/raw_queries.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "benchmarks/require.h"

namespace stagedoor::bench {
namespace {

constexpr int kTimes = 1000;  // the queries are for as many different times

void SendAll(int fd, const v1::ClientFrames& frames) {
  const std::string message = frames.SerializeAsString();
  const auto length = static_cast<uint32_t>(message.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += message;
  const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  Require(sent == static_cast<ssize_t>(bytes.size()), "cannot send queries");
}

}  // namespace

RawQueries::RawQueries(const std::string& socket, const std::string& handle,
                       const std::string& path)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
  Require(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
          "cannot connect to " + socket);
  v1::ClientFrames frames;
  frames.add_frames()->mutable_bind_stage()->mutable_ref()->set_handle(handle);
  frames.add_frames()->mutable_bind_paths()->add_paths(path);
  SendAll(fd_, frames);
}

RawQueries::~RawQueries() { ::close(fd_); }

void RawQueries::Send(size_t count) {
  frames_.clear_frames();
  for (size_t i = 0; i < count; ++i) {
    v1::Query* query = frames_.add_frames()->mutable_query();
    query->set_request_id(++last_id_);
    query->add_paths(0);
    query->mutable_times()->add_frames(static_cast<double>(last_id_ % kTimes));
  }
  SendAll(fd_, frames_);
}

size_t RawQueries::Receive() {
  size_t answers = 0;
  while (answers == 0) {
    char bytes[65536];
    const ssize_t count = ::recv(fd_, bytes, sizeof(bytes), 0);
    Require(count > 0, "the daemon has closed the connection");
    reader_.Feed(std::string_view(bytes, static_cast<size_t>(count)));
    for (;;) {
      const auto content = reader_.Next();
      Require(content.ok(), "the daemon has sent a malformed message");
      if (!content->has_value()) break;
      v1::ServerFrame frame;
      frame.ParseFromArray((*content)->data(), static_cast<int>((*content)->size()));
      if (!frame.has_answer()) continue;
      Require(frame.answer().values().columns_size() == 1,
              "a query failed: " + frame.DebugString());
      ++answers;
    }
  }
  return answers;
}

}  // namespace stagedoor::bench
