#include "client/cli/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <string>

#include "base/status.h"

namespace stagedoor {
namespace {

TEST(OutputTest, AFullDiskIsReportedByFlush) {
  const int fd = ::open("/dev/full", O_WRONLY);
  Output output(fd);
  output.Line("a");
  EXPECT_TRUE(output.status().ok()) << "still pending";
  EXPECT_FALSE(output.Flush().ok());
  EXPECT_FALSE(output.reader_gone());
  EXPECT_NE(std::string(Message(output.status())).find("No space left"), std::string::npos);
  ::close(fd);
}

TEST(OutputTest, LargeOutputFailsEarly) {
  const int fd = ::open("/dev/full", O_WRONLY);
  Output output(fd);
  output.Write(std::string(1 << 20, 'x'));
  EXPECT_FALSE(output.status().ok()) << "so that commands can stop";
  ::close(fd);
}

TEST(OutputTest, KnowsThatItsReaderIsGone) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ::close(pipe[0]);
  Output output(pipe[1]);
  output.Line("a");
  EXPECT_FALSE(output.Flush().ok());
  EXPECT_TRUE(output.reader_gone());
  ::close(pipe[1]);
}

TEST(OutputTest, BufferedOutputCanBeDiscarded) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  Output output(pipe[1]);
  output.Line("never");
  EXPECT_FALSE(output.started());
  output.Discard();
  output.Line("text");
  ASSERT_TRUE(output.Flush().ok());
  EXPECT_TRUE(output.started());
  char buffer[16] = {};
  EXPECT_EQ(::read(pipe[0], buffer, sizeof(buffer)), 5);
  EXPECT_STREQ(buffer, "text\n");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(OutputTest, WritesInBlocksOf64Kibibytes) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_NONBLOCK), 0);
  Output output(pipe[1]);
  output.Write(std::string((64 << 10) - 1, 'x'));
  EXPECT_FALSE(output.started());
  output.Write("x");
  EXPECT_TRUE(output.started());
  EXPECT_TRUE(output.status().ok()) << output.status();
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(OutputTest, NothingIsWrittenAfterAFailure) {
  const int fd = ::open("/dev/full", O_WRONLY);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_NONBLOCK), 0);
  Output output(fd);
  output.Line("a");
  EXPECT_FALSE(output.Flush().ok());
  ::dup2(pipe[1], fd);
  output.Line("b");
  EXPECT_FALSE(output.Flush().ok()) << "as before";
  char buffer[8];
  EXPECT_EQ(::read(pipe[0], buffer, sizeof(buffer)), -1) << "nothing was written";
  for (const int end : {fd, pipe[0], pipe[1]}) ::close(end);
}

TEST(OutputTest, TheDestructorFlushes) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_NONBLOCK), 0);
  { Output(pipe[1]).Line("a"); }
  char buffer[8] = {};
  EXPECT_EQ(::read(pipe[0], buffer, sizeof(buffer)), 2);
  EXPECT_STREQ(buffer, "a\n");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(OutputTest, ProblemsAreCountedInWords) {
  Output output;
  EXPECT_EQ(output.problems().Text(), "");
  output.problems().errors = 1;
  output.problems().warnings = 2;
  EXPECT_EQ(output.problems().Text(), "1 error, 2 warnings");
  output.problems() = {.missing = 1};
  EXPECT_EQ(output.problems().Text(), "1 missing file");
  output.Discard();
  EXPECT_EQ(output.problems().Text(), "") << "they were those of a run that is repeated";
}

TEST(OutputTest, AClosedStreamIsAnError) {
  Output output(-1);
  output.Line("a");
  EXPECT_EQ(Message(output.Flush()), "cannot write to standard output: Bad file descriptor");
  EXPECT_FALSE(output.reader_gone());
}

}  // namespace
}  // namespace stagedoor
