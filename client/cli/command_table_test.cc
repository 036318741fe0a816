#include "client/cli/command_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/command_check.h"
#include "client/cli/command_line.h"

namespace stagedoor {
namespace {

// Whether a command takes this number of arguments.
bool Takes(const std::string& command, size_t arguments) {
  std::vector<std::string> args = {command};
  args.resize(1 + arguments, "x");
  const auto line = CommandLine::Parse(args);
  EXPECT_TRUE(line.ok()) << line.status();
  return CheckCommandLine(*line).ok();
}

TEST(CommandTableTest, CommandsTakeTheDocumentedNumberOfArguments) {
  const struct {
    const char* command;
    size_t least, most;
  } kCases[] = {
      {"open", 1, 1},
      {"ls", 1, 2},
      {"tree", 1, 2},
      {"get", 2, 2},
      {"samples", 2, 2},
      {"explain", 2, 2},
      {"dump", 1, 1},
      {"layer", 1, 1},
      {"fetch", 2, 2},
      {"convert", 2, 2},
      {"validate", 1, 1},
      {"flatten", 1, 1},
      {"stitch-clips", 1, 9},
      {"clip-manifest", 1, 9},
      {"deps", 1, 1},
      {"localize", 1, 1},
      {"stages", 0, 0},
      {"prefetch", 2, 9},
      {"warm", 1, 9},
      {"stats", 0, 0},
      {"check-resolver", 1, 1},
      {"cache", 2, 2},
      {"health", 0, 1},
      {"admin", 1, 2},
      {"top", 0, 0},
      {"cat", 1, 9},
      {"find", 1, 9},
      {"diff", 2, 2},
      {"plot", 2, 2},
      {"completion", 1, 1},
      {"man", 0, 0},
      {"perf", 1, 9},
      {"daemon", 1, 1},
      {"inspect", 0, 1},
      {"material", 2, 2},
      {"lights", 1, 2},
      {"camera", 2, 9},
      {"render", 1, 2},
      {"frame", 1, 1},
      {"bounds", 2, 9},
      {"motion", 2, 9},
      {"statistics", 1, 9},
      {"skinning", 1, 9},
      {"labels", 2, 9},
      {"lod", 1, 9},
      {"light-sets", 2, 9},
      {"subsets", 2, 9},
      {"topology", 2, 9},
      {"models", 2, 9},
      {"collision-groups", 1, 9},
      {"mass", 1, 9},
  };
  EXPECT_EQ(std::size(kCases), AllCommands().size()) << "add new commands to this table";
  for (const auto& c : kCases) {
    EXPECT_FALSE(c.least > 0 && Takes(c.command, c.least - 1)) << c.command;
    for (size_t count = c.least; count <= c.most; ++count) {
      EXPECT_TRUE(Takes(c.command, count)) << c.command << ' ' << count;
    }
    EXPECT_FALSE(c.most < 9 && Takes(c.command, c.most + 1)) << c.command;
  }
}

TEST(CommandTableTest, HelpListsTheFlagsOfTheCommandAndOfAll) {
  const std::string everywhere =
      "\nFlags of all commands:\n"
      "  --address HOST:PORT|unix:PATH   address of the daemon (default: $STAGEDOOR_ADDRESS)\n"
      "  --embedded                      run the server inside the command, without a daemon\n"
      "  --schema-path DIR               with --embedded: directory of schema plug-ins; "
      "repeatable\n"
      "  --allow-url PREFIX              with --embedded: URLs that may be read; repeatable\n"
      "  --allow-network CIDR            with --embedded: network to connect to; repeatable\n"
      "  --cache-dir DIR                 with --embedded: directory for parts of remote assets\n"
      "  --tls                           encrypt the connection, and trust the certificates of the "
      "system\n"
      "  --tls-ca FILE                   certificates to trust instead (default: "
      "$STAGEDOOR_TLS_CA)\n"
      "  --tls-certificate FILE          client certificate (default: "
      "$STAGEDOOR_TLS_CERTIFICATE)\n"
      "  --tls-key FILE                  key of that certificate (default: $STAGEDOOR_TLS_KEY)\n"
      "  --tls-server-name NAME          name in the daemon's certificate, if not its host\n"
      "  --token-file FILE               file with a bearer token (default: "
      "$STAGEDOOR_TOKEN_FILE)\n"
      "  --proxy URL|environment         HTTP proxy to connect through (default: $STAGEDOOR_PROXY "
      "or "
      "none)\n"
      "  --timeout SECONDS               deadline of each call (default 60)\n"
      "  --connect-timeout SECONDS       how long to wait for a daemon at first (default 10)\n"
      "  -h, --help                      print this help\n"
      "  --version                       print the version\n";
  EXPECT_EQ(
      CommandHelp(*FindCommand("health")),
      "usage: stagedoor health [SERVICE]\n\nhealth: check that the daemon serves\n" + everywhere);
  EXPECT_EQ(CommandHelp(*FindCommand("layer")),
            "usage: stagedoor layer FILE [FLAGS]\n\n"
            "layer: print the records of a layer as JSON lines\n\nFlags:\n"
            "  --arrays full|summary           long arrays in full, or as length, digest and ends "
            "(default full)\n" +
                everywhere);
  const std::string overview = HelpOverview();
  EXPECT_EQ(overview.find("usage: stagedoor [--address HOST:PORT|unix:PATH | --embedded] COMMAND"),
            0u);
  EXPECT_NE(
      overview.find(
          "\n  validate FILE                 report what is wrong with a layer, or a stage\n"),
      std::string::npos)
      << overview;
  EXPECT_NE(
      overview.find(everywhere + "\nRun stagedoor help COMMAND for the flags of a command.\n"),
      std::string::npos)
      << overview;
}

TEST(CommandTableTest, FlagsWithAValueShowItsPlaceholder) {
  const std::string help = CommandHelp(*FindCommand("flatten"));
  EXPECT_NE(help.find("  -o, --out FILE  "), std::string::npos) << help;
  EXPECT_NE(help.find("  --layer-stack   "), std::string::npos) << help;
}

TEST(CommandTableTest, UnknownNamesAreNotFound) {
  EXPECT_EQ(FindCommand("help"), nullptr);
  EXPECT_EQ(FindCommand(""), nullptr);
  EXPECT_EQ(FindOption("o"), nullptr);
  EXPECT_EQ(FindOption("out")->value, "FILE");
}

TEST(CommandTableTest, AFlagOfAnotherCommandIsRefused) {
  const auto line = CommandLine::Parse({"explain", "r", "p", "--interval=1:2"});
  ASSERT_TRUE(line.ok()) << line.status();
  const absl::Status status = CheckCommandLine(*line);
  EXPECT_TRUE(IsUsageError(status));
  EXPECT_EQ(Message(status), "explain has no flag --interval (see stagedoor help explain)");
}

}  // namespace
}  // namespace stagedoor
