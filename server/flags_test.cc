#include "server/flags.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

using Words = std::vector<std::string>;

std::string ErrorOf(const Words& words) {
  const auto flags = ParseFlags(words);
  return flags.ok() ? "" : std::string(Message(flags.status()));
}

TEST(FlagsTest, FillsTheOptions) {
  const auto flags =
      ParseFlags({"--address=127.0.0.1:0", "--address", "unix:/tmp/x.sock", "--threads", "3",
                  "--clip-cache-bytes=2G", "--lease-ttl=7", "--reflection=false", "--drain-delay=4",
                  "--drain-seconds=0", "--cancel-seconds=9", "--log-level=warn"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->server.addresses, (Words{"127.0.0.1:0", "unix:/tmp/x.sock"}));
  EXPECT_EQ(flags->server.threads, 3);
  EXPECT_EQ(flags->server.clip_cache_bytes, size_t{2} << 30);
  EXPECT_EQ(flags->server.leases.default_ttl, std::chrono::seconds(7));
  EXPECT_FALSE(flags->server.reflection);
  EXPECT_EQ(flags->drain.delay, std::chrono::seconds(4));
  EXPECT_EQ(flags->drain.patience, std::chrono::seconds(0));
  EXPECT_EQ(flags->drain.last_patience, std::chrono::seconds(9));
  EXPECT_EQ(flags->log_level, "warn");
}

// Each names the flag, the value and what is allowed.
TEST(FlagsTest, WrongValuesSayWhatIsAllowed) {
  const std::string folder = ::testing::TempDir();
  const std::string file = folder + "/plain_file";
  std::ofstream(file) << "x";
  const struct {
    std::string flag, value, allowed;
  } kCases[] = {
      {"threads", "99999999", "from 0 to 1024"},
      {"threads", "-1", "from 0 to 1024"},
      {"threads", "1.5", "whole number"},
      {"threads", "", "whole number"},
      {"threads", "18446744073709551616", "from 0 to 1024"},
      {"address", "127.0.0.1:99999", "0 to 65535"},
      {"address", "127.0.0.1", ":PORT"},
      {"address", "127.0.0.1:", "0 to 65535"},
      {"address", "127.0.0.1:-1", "0 to 65535"},
      {"address", ":50051", "host"},
      {"address", "unix:", "needs a path"},
      {"address", "unix:" + std::string(150, 'x'), "107 bytes"},
      {"address", "::1:50051", "[HOST]:PORT"},
      {"metrics-address", "127.0.0.1:70000", "HOST:PORT"},
      {"metrics-address", "unix:/x", "HOST:PORT"},
      {"log-level", "zzz", "trace, debug, info, warn, error or off"},
      {"address-file", folder, "name of a file"},
      {"address-file", "/nowhere/x", "name of a file"},
      {"log-file", folder, "name of a file"},
      {"allow-root", file, "directory"},
      {"allow-root", "/nowhere", "directory"},
      {"search-path", file, "directory"},
      {"schema-path", "/nowhere", "directory or file"},
      {"max-request-bytes", "3G", "to 2147483647"},
      {"max-request-bytes", "0", "from 1"},
      {"layer-cache-bytes", "17179869184G", "number of bytes"},
      {"layer-cache-bytes", "1T", "number of bytes"},
      {"lease-ttl", "1K", "seconds"},
      {"lease-ttl", "99999999999", "seconds"},
      {"cancel-seconds", "0", "from 1 to 3600"},
      {"drain-delay", "99999", "from 0 to 3600"},
      {"reflection", "yes", "true or false"},
  };
  for (const auto& c : kCases) {
    const std::string error = ErrorOf({"--" + c.flag + "=" + c.value});
    EXPECT_NE(error.find("--" + c.flag + " can't be '" + c.value), std::string::npos) << error;
    EXPECT_NE(error.find(c.allowed), std::string::npos) << error << " lacks " << c.allowed;
  }
}

TEST(FlagsTest, WrongWordsAreErrors) {
  const struct {
    Words words;
    std::string part;
  } kCases[] = {
      {{"--thread=2"}, "did you mean --threads?"},
      {{"--nonsense=2"}, "unknown flag '--nonsense'"},
      {{"stray"}, "unexpected argument 'stray'"},
      {{"-t"}, "unexpected argument '-t'"},
      {{"--"}, "unknown flag '--'"},
      {{"--threads"}, "--threads needs a value: --threads=N"},
      {{"--threads", "--reflection=true"}, "--threads needs a value"},
      {{"--threads=1", "--threads=2"}, "--threads is given twice"},
      {{"--address=h:1", "--address=h:1"}, "'h:1' is given twice"},
      {{"--lease-ttl=100", "--max-lease-ttl=10"}, "above --max-lease-ttl"},
  };
  for (const auto& c : kCases) {
    EXPECT_NE(ErrorOf(c.words).find(c.part), std::string::npos)
        << ErrorOf(c.words) << " lacks " << c.part;
  }
}

TEST(FlagsTest, HelpNamesUnitsAndDefaults) {
  const std::string help = FlagsHelp();
  for (const char* part :
       {"--threads=N", "--layer-cache-bytes=BYTES", "(default 64M)", "--lease-ttl=SECONDS",
        "(default 300)", "(default 127.0.0.1:50051)", "--drain-delay=SECONDS", "--version"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part << " in\n" << help;
  }
  EXPECT_TRUE(ParseFlags({"--help"})->help);
  EXPECT_TRUE(ParseFlags({"--version"})->version);
}

}  // namespace
}  // namespace stagedoor
