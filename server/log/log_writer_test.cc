#include "server/log/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "base/status.h"

namespace stagedoor {
namespace {

constexpr std::chrono::seconds kLong{60};

std::string Content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A pipe whose reader is the test.
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

// Write would hang, and this test with it, if it waited for the reader.
TEST(LogWriterTest, AFullPipeHoldsUpNobodyAndSaysWhatWasLost) {
  Pipe pipe;
  auto* writer = new LogWriter(pipe.ends[1]);
  const std::string line = std::string(9999, 'x') + "\n";
  constexpr size_t kLines = 500;  // of 10,000 bytes: far more than pipe and queue hold
  for (size_t i = 0; i < kLines; ++i) writer->Write(line);
  EXPECT_FALSE(writer->Flush(std::chrono::milliseconds(0)));
  // Once somebody reads, what was kept comes, then the number of what was not.
  std::string text;
  while (text.find("messages were lost") == std::string::npos) {
    const std::string more = pipe.Read(1000);
    ASSERT_FALSE(more.empty());
    text += more;
    writer->Write("y\n");
  }
  EXPECT_LT(text.find("[log] "), 2 * LogWriter::kMaxPendingBytes + (1 << 20));
  ::signal(SIGPIPE, SIG_IGN);  // the writer may be at it while its reader goes
  pipe.CloseReader();
  delete writer;
}

TEST(LogWriterTest, SurvivesAReaderThatIsGone) {
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

TEST(LogWriterTest, AFullDiskLosesLinesOnly) {
  LogWriter writer(STDERR_FILENO);
  ASSERT_TRUE(writer.Open("/dev/full").ok());
  writer.Write("a\n");
  EXPECT_TRUE(writer.Flush(kLong));
}

TEST(LogWriterTest, OpensAFileAnewAfterItWasRenamed) {
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
}  // namespace stagedoor
