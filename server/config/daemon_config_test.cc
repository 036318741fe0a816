#include "server/config/daemon_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

using Args = std::vector<std::string>;

class DaemonConfigTest : public ::testing::Test {
 protected:
  // The flag --config for a file with `text`.
  std::string Config(const std::string& text) {
    folder_.Write("c.yaml", text);
    return "--config=" + folder_ / "c.yaml";
  }
  std::string ErrorOf(const Args& args, const Environment& environment = {}) {
    const auto config = ReadDaemonConfig(args, environment);
    return config.ok() ? "" : std::string(Message(config.status()));
  }
  FlagSource SourceOf(const DaemonConfig& config, const std::string& flag) {
    return config.settings.at(flag).source;
  }

  const TempDir folder_;
};

TEST_F(DaemonConfigTest, ANodeDaemonHasNoFlagsAboutScenes) {
  EXPECT_EQ(ErrorOf({"--upstream=a:1, b:2", "--access-age=5"}), "");
  EXPECT_EQ(ErrorOf({"--upstream=a:1", "--allow-root=/"}),
            "--allow-root cannot be used with --upstream: the daemons there hold the scenes, so it "
            "is to be given to them");
  EXPECT_NE(ErrorOf({Config("upstream: a:1\ncache-bytes: 2G\n")}).find("--cache-bytes"),
            std::string::npos);
  EXPECT_EQ(ErrorOf({"--reply-clip-age=5"}), "--reply-clip-age needs --upstream");
  EXPECT_NE(ErrorOf({"--upstream=a"}).find("HOST:PORT"), std::string::npos);
  const auto config = ReadDaemonConfig({"--upstream=a:1, b:2", "--upstream=unix:/c"}, {});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->flags.server.upstream.addresses, (Args{"a:1", "b:2", "unix:/c"}));
}

TEST_F(DaemonConfigTest, StrongerSourcesOverrideWeakerOnes) {
  const std::string file = Config("max-calls: 1\nthreads: 2\nmax-leases: 3\n");
  const auto config = ReadDaemonConfig(
      {file, "--max-calls=10"}, {{"STAGEDOOR_MAX_CALLS", "20"}, {"STAGEDOOR_THREADS", "21"}});
  ASSERT_TRUE(config.ok()) << config.status();
  const ServerOptions& server = config->flags.server;
  EXPECT_EQ(server.calls.max_calls, 10u);
  EXPECT_EQ(server.threads, 21);
  EXPECT_EQ(server.leases.max_leases, 3u);
  EXPECT_EQ(server.clip_cache_files, ServerOptions().clip_cache_files);
  EXPECT_EQ(SourceOf(*config, "max-calls"), FlagSource::kCommandLine);
  EXPECT_EQ(SourceOf(*config, "threads"), FlagSource::kEnvironment);
  EXPECT_EQ(SourceOf(*config, "max-leases"), FlagSource::kFile);
  EXPECT_FALSE(config->settings.contains("clip-cache-files"));
}

TEST_F(DaemonConfigTest, AListReplacesThatOfAWeakerSource) {
  const std::string file = Config("search-path: [/a, /b]\naddress: [localhost:1, localhost:2]\n");
  const auto roots = [&](const Args& args, const Environment& environment) {
    const auto config = ReadDaemonConfig(args, environment);
    EXPECT_TRUE(config.ok()) << config.status();
    return config->flags.server.search_paths;
  };
  const Environment environment = {{"STAGEDOOR_SEARCH_PATH", "/c,/d"}};
  EXPECT_EQ(roots({file}, {}), (Args{"/a", "/b"}));
  EXPECT_EQ(roots({file}, environment), (Args{"/c", "/d"}));
  EXPECT_EQ(roots({file, "--search-path=/e", "--search-path=/f"}, environment), (Args{"/e", "/f"}));
  EXPECT_EQ(ReadDaemonConfig({file, "--address=localhost:3"}, {})->flags.server.addresses,
            Args{"localhost:3"});
}

TEST_F(DaemonConfigTest, TheEnvironmentMayNameTheFile) {
  Config("threads: 2\n");
  const Environment environment = {{"STAGEDOOR_CONFIG", folder_ / "c.yaml"}};
  EXPECT_EQ(ReadDaemonConfig({}, environment)->flags.server.threads, 2);
  EXPECT_EQ(ReadDaemonConfig({}, environment)->flags.config_file, folder_ / "c.yaml");
  folder_.Write("d.yaml", "threads: 4\n");
  EXPECT_EQ(ReadDaemonConfig({"--config", folder_ / "d.yaml"}, environment)->flags.server.threads,
            4);
}

TEST_F(DaemonConfigTest, ErrorsNameTheirSource) {
  const std::string name = folder_ / "c.yaml";
  EXPECT_EQ(ErrorOf({}, {{"STAGEDOOR_MAX_CALLS", "x"}}),
            "STAGEDOOR_MAX_CALLS cannot be 'x': it must be a whole number from 1 to 1000000");
  EXPECT_EQ(ErrorOf({"--max-calls=x"}),
            "--max-calls cannot be 'x': it must be a whole number from 1 to 1000000");
  EXPECT_EQ(
      ErrorOf({Config("threads: x\nmax-cals: 1\n"), "--threads=2"}, {{"STAGEDOOR_MAX_CALLS", "y"}}),
      name + ":1:10: 'threads' cannot be 'x': it must be a whole number from 0 to 1024\n" + name +
          ":2:1: unknown key 'max-cals'; did you mean 'max-calls'?\n" +
          "STAGEDOOR_MAX_CALLS cannot be 'y': it must be a whole number from 1 to 1000000")
      << "all at once, also for values that are overridden";
  EXPECT_EQ(ErrorOf({Config("lease-ttl: 100\n"), "--max-lease-ttl=10"}),
            "--lease-ttl must not exceed --max-lease-ttl");
  EXPECT_EQ(ErrorOf({"--config=/nowhere"}),
            "cannot read the configuration file '/nowhere': No such file or directory");
  EXPECT_EQ(ErrorOf({"--config="}), "--config needs the name of a file");
  EXPECT_EQ(ErrorOf({"--config=a", "--config=b"}), "--config is given twice");
  EXPECT_EQ(ErrorOf({"--check-config=true"}), "--check-config takes no value");
}

TEST_F(DaemonConfigTest, HelpDoesNotReadTheFile) {
  EXPECT_TRUE(ReadDaemonConfig({"--help", "--config=/nowhere"}, {})->flags.help);
  EXPECT_TRUE(ReadDaemonConfig({"--version", "--config=/nowhere"}, {})->flags.version);
  EXPECT_FALSE(ReadDaemonConfig({"--check-config", "--config=/nowhere"}, {}).ok());
  EXPECT_TRUE(ReadDaemonConfig({"--check-config"}, {})->flags.check_config);
  EXPECT_TRUE(ReadDaemonConfig({"--print-config"}, {})->flags.print_config);
  EXPECT_FALSE(ReadDaemonConfig({}, {})->flags.check_config);
  EXPECT_FALSE(ReadDaemonConfig({}, {})->flags.print_config);
}

TEST_F(DaemonConfigTest, AccessComesFromTheFile) {
  const auto config = ReadDaemonConfig(
      {Config("access:\n  roles:\n  - {name: r, identities: local, assets: '*', methods: query}")},
      {});
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_EQ(config->flags.server.access.roles.size(), 1u);
  EXPECT_TRUE(config->access_section.has_value());
}

TEST_F(DaemonConfigTest, ChecksSchemaPlugins) {
  folder_.Write("good/plugInfo.json", R"({"Plugins": []})");
  folder_.Write("bad/plugInfo.json", "{");
  const auto check = [&](const Args& args, const Args& schema_paths) {
    const auto config = ReadDaemonConfig(args, {});
    EXPECT_TRUE(config.ok()) << config.status();
    return CheckDaemonConfig(*config, schema_paths);
  };
  EXPECT_TRUE(check({"--schema-path=" + folder_ / "good"}, {folder_ / "good"}).ok());
  EXPECT_FALSE(check({"--schema-path=" + folder_ / "bad"}, {}).ok());
  EXPECT_FALSE(check({}, {folder_ / "none"}).ok());
}

}  // namespace
}  // namespace stagedoor::server
