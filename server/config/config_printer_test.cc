#include "server/config/config_printer.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "server/config/daemon_flag_table.h"

namespace stagedoor::server {
namespace {

const std::string kFile = R"(max-calls: 1000
memory-limit: 1536M
log-level: off
search-path: ["/a b", /c]
reflection: false
access:
  roles:
    - name: farm
      identities: ["certificate:*.farm.studio.com", anonymous]
      assets: "*"
      methods: query
      max-calls: 1K
)";

class ConfigPrinterTest : public ::testing::Test {
 protected:
  DaemonConfig Read(const std::string& text, std::vector<std::string> args = {}) {
    folder_.Write("c.yaml", text);
    args.push_back("--config=" + folder_ / "c.yaml");
    const auto config = ReadDaemonConfig(args, {{"STAGEDOOR_THREADS", "4"}});
    EXPECT_TRUE(config.ok()) << config.status();
    return config.ok() ? *config : DaemonConfig();
  }
  const TempDir folder_;
};

TEST_F(ConfigPrinterTest, StatesWhereEachValueComesFrom) {
  const std::string printed =
      PrintDaemonConfig(Read(kFile, {"--address=localhost:1", "--address=[::1]:2"}), {"/x", "/y"});
  EXPECT_EQ(printed.find("# The configuration of stagedoord "), 0u);
  for (const char* line :
       {"\naddress: [localhost:1, \"[::1]:2\"]  # command line\n", "\nmax-calls: 1000  # file\n",
        "\nmemory-limit: 1536M  # file\n", "\nthreads: 4  # environment\n",
        "\nlog-level: off  # file\n", "\nsearch-path: [\"/a b\", /c]  # file\n",
        "\nreflection: false  # file\n", "\n# lease-ttl: 300\n", "\n# address-file:\n",
        "\n# clip-cache-bytes: a quarter of the memory\n", "\n# allow-root: /\n",
        "\n# STAGEDOOR_SCHEMA_PATH adds to schema-path: [/x, /y]\n",
        "\naccess:  # file\n"
        "  roles:\n"
        "    - name: farm\n"
        "      identities: [\"certificate:*.farm.studio.com\", anonymous]\n"
        "      assets: \"*\"\n"
        "      methods: query\n"
        "      max-calls: 1K\n"}) {
    EXPECT_NE(printed.find(line), std::string::npos) << line << " in\n" << printed;
  }
}

TEST_F(ConfigPrinterTest, ReadingGivesTheSameConfiguration) {
  const DaemonConfig config = Read(kFile, {"--drain-delay=7", "--allow-url=s3://b/"});
  const DaemonConfig again = Read(PrintDaemonConfig(config, {"/x"}));
  for (const Flag& flag : DaemonFlagTable()) {
    EXPECT_EQ(flag.get(again.flags), flag.get(config.flags)) << flag.name;
  }
  EXPECT_EQ(again.access_section, config.access_section);
  EXPECT_EQ(again.flags.server.access.roles.size(), 1u);
}

TEST_F(ConfigPrinterTest, DefaultsAreComments) {
  std::istringstream printed(PrintDaemonConfig(DaemonConfig(), {}));
  size_t lines = 0;
  for (std::string line; std::getline(printed, line); ++lines) EXPECT_EQ(line[0], '#') << line;
  EXPECT_EQ(lines, 1 + DaemonFlagTable().size());
}

}  // namespace
}  // namespace stagedoor::server
