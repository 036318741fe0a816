#include "server/listen/connection_counter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "base/testing/system_call_hook.h"

namespace stagedoor::server {
namespace {

class ConnectionCounterTest : public ::testing::Test {
 protected:
  // A connected socket; the descriptor is the lowest that is free.
  static int Connect() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    ::close(ends[1]);
    return ends[0];
  }

  ConnectionCounter::Clock::time_point now_{std::chrono::hours(1)};
  ConnectionCounter counter_{2, [this] { return now_; }};
};

TEST_F(ConnectionCounterTest, AdmitsUpToTheLimitAndCountsWhatItRefuses) {
  const int first = Connect(), second = Connect(), third = Connect();
  EXPECT_TRUE(counter_.Admit(first));
  EXPECT_TRUE(counter_.Admit(second));
  EXPECT_FALSE(counter_.Admit(third));
  EXPECT_EQ(counter_.CountOpen(), 2u);
  EXPECT_EQ(counter_.refused(), 1u);
  for (const int fd : {first, second, third}) ::close(fd);
  EXPECT_EQ(counter_.CountOpen(), 0u);
}

TEST_F(ConnectionCounterTest, AClosedConnectionMakesRoom) {
  const int first = Connect(), second = Connect();
  EXPECT_TRUE(counter_.Admit(first));
  EXPECT_TRUE(counter_.Admit(second));
  ::close(second);
  const int other = ::open("/dev/null", O_RDONLY);  // takes the descriptor
  EXPECT_EQ(other, second);
  const int third = Connect();
  EXPECT_TRUE(counter_.Admit(third));
  for (const int fd : {first, other, third}) ::close(fd);
}

TEST_F(ConnectionCounterTest, ADescriptorThatIsUsedAgainCountsOnce) {
  const int first = Connect();
  EXPECT_TRUE(counter_.Admit(first));
  for (int i = 0; i < 5; ++i) {
    const int again = Connect();
    EXPECT_TRUE(counter_.Admit(again)) << i;
    ::close(again);
  }
  EXPECT_EQ(counter_.CountOpen(), 1u);
  ::close(first);
}

TEST_F(ConnectionCounterTest, UnixSocketsHaveALimitOfTheirOwn) {
  std::vector<int> fds;
  for (int i = 0; i < 3; ++i) {
    fds.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(counter_.Admit(fds.back()), i < 2) << i;
  }
  for (int i = 0; i < 3; ++i) {
    fds.push_back(Connect());
    EXPECT_EQ(counter_.Admit(fds.back()), i < 2) << i;
  }
  EXPECT_EQ(counter_.CountOpen(), 4u);
  for (const int fd : fds) ::close(fd);
  EXPECT_EQ(counter_.CountOpen(), 0u);
}

TEST_F(ConnectionCounterTest, AnAddressGetsThreeQuartersAndLeavesSomeToOthers) {
  ConnectionCounter counter(12, [this] { return now_; });
  std::vector<int> fds;
  const auto admit = [&](const std::string& share) {
    fds.push_back(Connect());
    return counter.Admit(fds.back(), share);
  };
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(admit("10.0.0.1")) << i;
  EXPECT_FALSE(admit("10.0.0.1"));
  EXPECT_TRUE(admit("10.0.0.2"));
  EXPECT_TRUE(admit("10.0.0.3"));
  EXPECT_TRUE(admit(""));
  EXPECT_FALSE(admit("10.0.0.4")) << "all are taken";
  EXPECT_EQ(counter.refused(), 2u);
  for (int i = 0; i < 9; ++i) ::close(fds[static_cast<size_t>(i)]);
  now_ += ConnectionCounter::kBetweenLooks;
  EXPECT_TRUE(admit("10.0.0.1")) << "its connections were closed";
  for (size_t i = 9; i < fds.size(); ++i) ::close(fds[i]);
}

TEST_F(ConnectionCounterTest, LoopbackAddressesHaveNoShare) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listening, any, size), 0);
  ASSERT_EQ(::listen(listening, 2), 0);
  ASSERT_EQ(::getsockname(listening, any, &size), 0);
  std::vector<int> fds;
  for (int i = 0; i < 2; ++i) {
    fds.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(::connect(fds.back(), any, size), 0);
    EXPECT_TRUE(counter_.Admit(fds.back())) << "all of them, not three quarters";
  }
  for (const int fd : fds) ::close(fd);
  ::close(listening);
}

// Otherwise a flood of connections would cost a system call for each open one, each time.
TEST_F(ConnectionCounterTest, LooksForClosedConnectionsNowAndThenOnly) {
  const int first = Connect(), second = Connect(), third = Connect();
  EXPECT_TRUE(counter_.Admit(first));
  EXPECT_TRUE(counter_.Admit(second));
  EXPECT_FALSE(counter_.Admit(third));  // looks
  ::close(first);
  now_ += ConnectionCounter::kBetweenLooks / 2;
  EXPECT_FALSE(counter_.Admit(third));
  now_ += ConnectionCounter::kBetweenLooks / 2;
  EXPECT_TRUE(counter_.Admit(third));
  ::close(second);
  ::close(third);
}

TEST(FileLimitTest, ConnectionsMayUseAQuarterOfTheDescriptors) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {.rlim_cur = 400, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(FitToFileLimit(1000), 100u);
  EXPECT_EQ(FitToFileLimit(99), 99u);
  RaiseFileLimit();
  rlimit raised{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(FileLimitTest, AnUnknownLimitIsNone) {
  const SystemCallHook unknown("getrlimit", Fail(EPERM));
  EXPECT_EQ(FitToFileLimit(1 << 30), size_t{1} << 30);
}

TEST(RefuseConnectionTest, SaysWhyInTermsOfHttp2) {
  for (const bool tls : {false, true}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    RefuseConnection(ends[0], tls);
    std::string got(100, '\0');
    const ssize_t size = ::recv(ends[1], got.data(), got.size(), 0);
    ASSERT_GE(size, 0);
    got.resize(static_cast<size_t>(size));
    EXPECT_EQ(got, tls ? std::string()
                       : std::string("\0\0\0\4\0\0\0\0\0"
                                     "\0\0\x1c\7\0\0\0\0\0"
                                     "\0\0\0\0\0\0\0\x0b"
                                     "too many connections",
                                     46));
    ::close(ends[1]);
  }
}

}  // namespace
}  // namespace stagedoor::server
