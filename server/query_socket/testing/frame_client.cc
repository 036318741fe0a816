#include "server/query_socket/testing/frame_client.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace stagedoor::server {
namespace {

constexpr int kPatienceMs = 20000;

}  // namespace

FrameClient::FrameClient(const std::string& path)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0)
      << std::strerror(errno);
}

FrameClient::~FrameClient() { ::close(fd_); }

std::string FrameClient::MessageOf(const v1::ClientFrames& frames) {
  const std::string message = frames.SerializeAsString();
  const auto length = static_cast<uint32_t>(message.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + message;
}

size_t FrameClient::SendBytes(std::string_view bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count =
        ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) break;
    sent += static_cast<size_t>(count);
  }
  return sent;
}

void FrameClient::Send(const v1::ClientFrames& frames) {
  const std::string bytes = MessageOf(frames);
  EXPECT_EQ(SendBytes(bytes), bytes.size());
}

std::optional<v1::ServerFrame> FrameClient::Receive() {
  for (;;) {
    const auto frame = reader_.Next();
    EXPECT_TRUE(frame.ok()) << frame.status();
    if (!frame.ok()) return std::nullopt;
    if (frame->has_value()) {
      v1::ServerFrame parsed;
      EXPECT_TRUE(parsed.ParseFromArray((*frame)->data(), static_cast<int>((*frame)->size())));
      return parsed;
    }
    pollfd readable{.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, kPatienceMs) <= 0) return std::nullopt;
    char bytes[65536];
    const ssize_t count = ::recv(fd_, bytes, sizeof(bytes), 0);
    if (count <= 0) return std::nullopt;
    reader_.Feed(std::string_view(bytes, static_cast<size_t>(count)));
  }
}

void FrameClient::SendWithDescriptor(std::string_view bytes, int fd) {
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  EXPECT_EQ(::sendmsg(fd_, &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

}  // namespace stagedoor::server
