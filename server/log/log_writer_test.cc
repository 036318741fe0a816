#include "server/log/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "base/status.h"

namespace stagedoor::server {
namespace {

constexpr std::chrono::seconds kLong{60};

std::string Content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A pipe that the test reads.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    CloseReader();
    ::close(ends[1]);
  }
  void CloseReader() {
    if (ends[0] >= 0) ::close(ends[0]);
    ends[0] = -1;
  }
  std::string Read(size_t count) {
    std::string text(count, '\0');
    size_t have = 0;
    while (have < count) {
      const ssize_t n = ::read(ends[0], text.data() + have, count - have);
      if (n <= 0) break;
      have += static_cast<size_t>(n);
    }
    text.resize(have);
    return text;
  }
  std::array<int, 2> ends{};
};

TEST(LogWriterTest, WritesLinesInOrder) {
  Pipe pipe;
  LogWriter writer(pipe.ends[1]);
  for (int i = 0; i < 100; ++i) writer.Write(Concat(i % 10, "\n"));
  ASSERT_TRUE(writer.Flush(kLong));
  const std::string text = pipe.Read(200);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(text.substr(2 * i, 2), Concat(i % 10, "\n"));
}

// If Write waited for the reader, this test would hang.
TEST(LogWriterTest, AFullPipeBlocksNoThreadAndLossesAreReported) {
  Pipe pipe;
  auto* writer = new LogWriter(pipe.ends[1]);
  const std::string line = std::string(9999, 'x') + "\n";
  constexpr size_t kLines = 500;  // of 10,000 bytes each: far more than the pipe and the queue hold
  for (size_t i = 0; i < kLines; ++i) writer->Write(line);
  EXPECT_FALSE(writer->Flush(std::chrono::milliseconds(0)));
  // Once the pipe is read, the queued lines arrive, then the number of lost ones.
  std::string text;
  while (text.find("messages were lost") == std::string::npos) {
    const std::string more = pipe.Read(1000);
    ASSERT_FALSE(more.empty());
    text += more;
    writer->Write("y\n");
  }
  EXPECT_LT(text.find("[log] "), 2 * LogWriter::kMaxPendingBytes + (1 << 20));
  ::signal(SIGPIPE, SIG_IGN);  // the reader may close while the writer is writing
  pipe.CloseReader();
  delete writer;
}

TEST(LogWriterTest, SurvivesAClosedReader) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.CloseReader();
  LogWriter writer(pipe.ends[1]);
  writer.Write("a\n");
  EXPECT_TRUE(writer.Flush(kLong));
  const std::string path = ::testing::TempDir() + "/gone.log";
  ::unlink(path.c_str());
  ASSERT_TRUE(writer.Open(path).ok());
  writer.Write("b\n");
  EXPECT_TRUE(writer.Flush(kLong));
  EXPECT_EQ(Content(path), "[log] 1 messages were lost\nb\n");
}

TEST(LogWriterTest, AFullDiskOnlyLosesLines) {
  LogWriter writer(STDERR_FILENO);
  ASSERT_TRUE(writer.Open("/dev/full").ok());
  writer.Write("a\n");
  EXPECT_TRUE(writer.Flush(kLong));
}

// Waits until the pipe is full.
void WaitUntilFull(const Pipe& pipe) {
  pollfd ready{.fd = pipe.ends[1], .events = POLLOUT, .revents = 0};
  while (::poll(&ready, 1, 0) == 1) std::this_thread::yield();
}

TEST(LogWriterTest, WaitsForANonBlockingPipe) {
  Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.ends[1], F_SETFL, O_NONBLOCK), 0);
  LogWriter writer(pipe.ends[1]);
  std::string all;
  for (int i = 0; i < 900; ++i) {
    const std::string line = Concat(std::string(995, 'x'), 1000 + i, "\n");
    writer.Write(line);
    all += line;
  }
  WaitUntilFull(pipe);
  EXPECT_EQ(pipe.Read(all.size()), all);
  EXPECT_TRUE(writer.Flush(kLong));
}

TEST(LogWriterTest, CountsMessagesBeyondThePendingBytes) {
  Pipe pipe;
  LogWriter writer(pipe.ends[1]);
  const std::string first(1 << 17, 'a');  // more than a pipe holds
  writer.Write(first);
  WaitUntilFull(pipe);
  const std::string most = std::string(LogWriter::kMaxPendingBytes - 1, 'b') + "\n";
  writer.Write(most);
  writer.Write("c\n");
  writer.Write("");
  EXPECT_EQ(pipe.Read(first.size()), first);
  const std::string notice = "[log] 1 messages were lost\n";
  EXPECT_EQ(pipe.Read(notice.size()), notice);
  EXPECT_EQ(pipe.Read(most.size()), most);
  EXPECT_TRUE(writer.Flush(kLong));
  writer.Write("d\n");
  EXPECT_EQ(pipe.Read(2), "d\n") << "reported only once";
}

TEST(LogWriterTest, WritesToTheLastFileOpenedWhileAWriteHangs) {
  const std::string first = ::testing::TempDir() + "/first.log";
  const std::string last = ::testing::TempDir() + "/last.log";
  ::unlink(first.c_str());
  ::unlink(last.c_str());
  Pipe pipe;
  LogWriter writer(pipe.ends[1]);
  const std::string hanging(1 << 17, 'a');
  writer.Write(hanging);
  WaitUntilFull(pipe);
  ASSERT_TRUE(writer.Open(first).ok());
  ASSERT_TRUE(writer.Open(last).ok());
  writer.Write("x\n");
  EXPECT_EQ(pipe.Read(hanging.size()), hanging);
  ASSERT_TRUE(writer.Flush(kLong));
  EXPECT_EQ(Content(first), "");
  EXPECT_EQ(Content(last), "x\n");
}

// Limits the size of files that the process writes, until the end of the scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most) {
    ::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    struct rlimit limit = before_;
    limit.rlim_cur = most;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() { EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0); }

 private:
  struct rlimit before_ = {};
};

TEST(LogWriterTest, APartialLineIsEndedBeforeTheNext) {
  const std::string path = ::testing::TempDir() + "/torn.log";
  const std::string other = ::testing::TempDir() + "/not_torn.log";
  for (const bool elsewhere : {false, true}) {
    ::unlink(path.c_str());
    ::unlink(other.c_str());
    LogWriter writer(STDERR_FILENO);
    ASSERT_TRUE(writer.Open(path).ok());
    {
      const FileSizeLimit limit(5);
      writer.Write("0123456789\n");
      ASSERT_TRUE(writer.Flush(kLong));
    }
    ASSERT_TRUE(!elsewhere || writer.Open(other).ok());
    writer.Write("b\n");
    ASSERT_TRUE(writer.Flush(kLong));
    const std::string rest = "[log] 1 messages were lost\nb\n";
    EXPECT_EQ(Content(path), elsewhere ? "01234" : "01234\n" + rest);
    EXPECT_EQ(Content(other), elsewhere ? rest : "");
  }
}

TEST(LogWriterTest, ANamedPipeWithoutAReaderIsAnError) {
  const std::string path = ::testing::TempDir() + "/log.pipe";
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(LogWriter(STDERR_FILENO).Open(path).code(), absl::StatusCode::kPermissionDenied);
}

TEST(LogWriterTest, ReopensAFileAfterItWasRenamed) {
  const std::string path = ::testing::TempDir() + "/rotated.log";
  const std::string old = path + ".1";
  ::unlink(path.c_str());
  LogWriter writer(STDERR_FILENO);
  ASSERT_TRUE(writer.Open(path).ok());
  writer.Write("a\n");
  ASSERT_TRUE(writer.Flush(kLong));
  ASSERT_EQ(std::rename(path.c_str(), old.c_str()), 0);
  writer.Write("b\n");
  ASSERT_TRUE(writer.Flush(kLong));
  ASSERT_TRUE(writer.Open(path).ok());
  writer.Write("c\n");
  ASSERT_TRUE(writer.Flush(kLong));
  EXPECT_EQ(Content(old), "a\nb\n");
  EXPECT_EQ(Content(path), "c\n");
}

TEST(LogWriterTest, FilesThatCannotBeWrittenAreErrors) {
  LogWriter writer(STDERR_FILENO);
  for (const std::string& path : {::testing::TempDir(), std::string("/nowhere/x.log")}) {
    const absl::Status status = writer.Open(path);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(std::string(Message(status)).find(path), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace stagedoor::server
