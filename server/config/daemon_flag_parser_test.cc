#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "server/config/daemon_config.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/daemon_flags.h"
#include "server/machine/machine_memory.h"

namespace stagedoor::server {
namespace {

using Args = std::vector<std::string>;

// The flags of a daemon without a configuration file and environment.
absl::StatusOr<DaemonFlags> ParseDaemonFlags(const Args& args) {
  auto config = ReadDaemonConfig(args, {});
  if (!config.ok()) return config.status();
  return std::move(config->flags);
}

std::string ErrorOf(const Args& args) {
  const auto flags = ParseDaemonFlags(args);
  return flags.ok() ? "" : std::string(Message(flags.status()));
}

TEST(DaemonFlagsTest, FillsTheOptions) {
  const auto flags = ParseDaemonFlags(
      {"--address=127.0.0.1:0", "--address", "unix:/tmp/x.sock", "--threads", "3",
       "--clip-cache-bytes=2G", "--lease-ttl=7", "--reflection=false", "--drain-delay=4",
       "--drain-seconds=0", "--cancel-seconds=9", "--log-level=warn", "--log-format=json",
       "--log-requests=all", "--slow-query=5"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->server.addresses, (Args{"127.0.0.1:0", "unix:/tmp/x.sock"}));
  EXPECT_EQ(flags->server.threads, 3);
  EXPECT_EQ(flags->server.clip_cache_bytes, size_t{2} << 30);
  EXPECT_EQ(flags->server.leases.default_ttl, std::chrono::seconds(7));
  EXPECT_EQ(flags->server.reflection, false);
  EXPECT_EQ(flags->drain.delay, std::chrono::seconds(4));
  EXPECT_EQ(flags->drain.grace_period, std::chrono::seconds(0));
  EXPECT_EQ(flags->drain.cancel_grace_period, std::chrono::seconds(9));
  EXPECT_EQ(flags->log_level, "warn");
  EXPECT_EQ(flags->log_format, LogFormat::kJson);
  EXPECT_EQ(flags->server.request_log.calls, RequestLogOptions::Calls::kAll);
  EXPECT_EQ(flags->server.request_log.slow, std::chrono::milliseconds(5));
}

// Each error names the flag, the value and what is allowed.
TEST(DaemonFlagsTest, ErrorsStateTheAllowedValues) {
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
      {"address", "unix:", "followed by a path"},
      {"address", "unix:" + std::string(150, 'x'), "107 bytes"},
      {"address", "::1:50051", "[HOST]:PORT"},
      {"metrics-address", "127.0.0.1:70000", "HOST:PORT"},
      {"metrics-address", "unix:/x", "HOST:PORT"},
      {"query-socket", "run/queries.sock", "an absolute path"},
      {"query-socket", "/" + std::string(107, 'x'), "107 bytes"},
      {"log-level", "zzz", "trace, debug, info, warn, error or off"},
      {"log-format", "xml", "text or json"},
      {"log-requests", "some", "none, errors, slow or all"},
      {"slow-query", "x", "a whole number of milliseconds from 0 to 31536000000"},
      {"address-file", folder, "name of a file"},
      {"address-file", "/nowhere/x", "name of a file"},
      {"log-file", folder, "name of a file"},
      {"allow-root", file, "directory"},
      {"allow-root", "/nowhere", "directory"},
      {"allow-url", "ftp://host/", "https://host/show/"},
      {"allow-url", "host", "https://host/show/"},
      {"allow-network", "10.0.0.0/33", "10.0.0.0/8"},
      {"cache-dir", "/nowhere/new", "directory"},
      {"cache-bytes", "1K", ""},
      {"cache-sync", "maybe", "true or false"},
      {"http-proxy", "proxy:3128", "http://proxy:3128"},
      {"http-login", "https://host/", "PREFIX=KIND:FILE"},
      {"http-login", "https://host/=basic:/secret", "PREFIX=KIND:FILE"},
      {"ca-file", "/nowhere", "existing"},
      {"s3-endpoint", "host:9000", "http://host:9000"},
      {"s3-endpoint", "s3://bucket", "http://host:9000"},
      {"s3-region", "", "a name"},
      {"s3-credentials", "/nowhere", "existing"},
      {"s3-credentials-url", "file:///x", "http://host:9000"},
      {"resolver", "asset", "SCHEME=ADDRESS"},
      {"search-path", file, "directory"},
      {"map-path", "Z:/show", "FROM=TO"},
      {"map-path", "show=/show", "FROM=TO"},
      {"schema-path", "/nowhere", "directory or file"},
      {"max-request-bytes", "3G", "to 2147483647"},
      {"max-request-bytes", "0", "from 1"},
      {"layer-cache-bytes", "17179869184G", "number of bytes"},
      {"layer-cache-bytes", "1T", "number of bytes"},
      {"lease-ttl", "1K", "seconds"},
      {"lease-ttl", "99999999999", "seconds"},
      {"cancel-seconds", "0", "from 1 to 3600"},
      {"stop-when-idle", "10m", "a whole number of seconds from 0 to 31536000"},
      {"memory-limit", "0%", "or a share from 1% to 100%"},
      {"memory-limit", "101%", "or a share from 1% to 100%"},
      {"memory-limit", "%", "or a share from 1% to 100%"},
      {"drain-delay", "99999", "from 0 to 3600"},
      {"reflection", "yes", "true or false"},
  };
  for (const auto& c : kCases) {
    const std::string error = ErrorOf({"--" + c.flag + "=" + c.value});
    EXPECT_NE(error.find("--" + c.flag + " cannot be '" + c.value), std::string::npos) << error;
    EXPECT_NE(error.find(c.allowed), std::string::npos) << error << " lacks " << c.allowed;
  }
}

TEST(DaemonFlagsTest, UnknownAndRepeatedFlagsAreErrors) {
  const struct {
    Args args;
    std::string part;
  } kCases[] = {
      {{"--thread=2"}, "did you mean --threads?"},
      {{"--nonsense=2"}, "unknown flag '--nonsense'"},
      {{"stray"}, "unexpected argument 'stray'"},
      {{"-t"}, "unknown flag '-t'"},
      {{"--", "--threads"}, "unexpected argument '--threads'"},
      {{"--threads"}, "--threads needs a value: --threads=N"},
      {{"--threads", "--reflection=true"}, "--threads needs a value"},
      {{"--threads=1", "--threads=2"}, "--threads is given twice"},
      {{"--address=localhost:1", "--address=localhost:1"}, "'localhost:1' is given twice"},
      {{"--lease-ttl=100", "--max-lease-ttl=10"}, "exceed --max-lease-ttl"},
  };
  for (const auto& c : kCases) {
    EXPECT_NE(ErrorOf(c.args).find(c.part), std::string::npos)
        << ErrorOf(c.args) << " lacks " << c.part;
  }
}

TEST(DaemonFlagsTest, HelpListsUnitsAndDefaults) {
  const std::string help = DaemonFlagsHelp();
  for (const char* part :
       {"--threads=N", "--layer-cache-bytes=BYTES", "(default 64M)", "--lease-ttl=SECONDS",
        "(default 300)", "(default 127.0.0.1:50051)", "--drain-delay=SECONDS", "--config=FILE",
        "--check-config", "--print-config", "--version"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part << " in\n" << help;
  }
  EXPECT_TRUE(ParseDaemonFlags({"--help"})->help);
  EXPECT_TRUE(ParseDaemonFlags({"--version"})->version);
}

// The help is generated from the names, units and defaults of the flags.
TEST(DaemonFlagsTest, HelpListsEveryFlag) {
  const std::string help = DaemonFlagsHelp();
  EXPECT_EQ(help.find("usage: stagedoord [--FLAG=VALUE]…\n"), 0u);
  const char* const kLines[] = {
      "  --address=HOST:PORT|unix:PATH …   address to listen on; port 0 picks a free port ",
      "(default 127.0.0.1:50051)\n",
      "  --address-file=FILE ",
      "  --metrics-address=HOST:PORT ",
      "/readyz on, over HTTP (default none)\n",
      "  --http-frames=true|false ",
      "  --allow-root=DIR … ",
      "(default /)\n",
      "  --search-path=DIR … ",
      "  --map-path=FROM=TO … ",
      "  --verify-content=true|false ",
      "  --trust-change-time=true|false ",
      "  --schema-path=DIR|FILE … ",
      "  --allow-url=PREFIX … ",
      "with all below them (default none)\n",
      "  --allow-network=CIDR … ",
      "  --allow-remote-files=true|false ",
      "  --cache-dir=DIR ",
      "  --cache-bytes=BYTES ",
      "  --cache-sync=true|false ",
      "  --revalidate=MILLISECONDS ",
      "(default 1000)\n",
      "  --stale-if-error=SECONDS ",
      "  --http-login=PREFIX=KIND:FILE … ",
      "  --http-proxy=URL ",
      "  --ca-file=FILE ",
      "  --resolver=SCHEME=ADDRESS … ",
      "  --allow-resolver-files=true|false ",
      "  --s3-endpoint=URL ",
      "  --s3-region=NAME ",
      "  --s3-credentials=FILE ",
      "  --s3-profile=NAME ",
      "  --s3-credentials-url=URL ",
      "  --memory-limit=BYTES ",
      "  --max-calls=N ",
      "  --max-waiting-per-client=N ",
      "  --max-watches=N ",
      "  --max-watches-per-client=N ",
      "  --max-wait=MILLISECONDS ",
      "(default 30000)\n",
      "  --max-call-steps=N ",
      "  --max-call-bytes=BYTES ",
      "(default half of --calls-bytes)\n",
      "  --calls-bytes=BYTES ",
      "  --stall-seconds=SECONDS ",
      "  --max-call-seconds=SECONDS ",
      "  --max-request-bytes=BYTES         maximum size of a request (default 64M)\n",
      "  --max-reply-bytes=BYTES           maximum size of a unary reply (default 256M)\n",
      "  --max-batch-items=N ",
      "  --max-interval-samples=N ",
      "  --clip-cache-bytes=BYTES ",
      "  --expansion-bytes=BYTES ",
      "  --clip-cache-files=N ",
      "  --stage-cache-bytes=BYTES ",
      "  --max-idle-stages=N ",
      "  --check-interval=MILLISECONDS ",
      "(default 100)\n",
      "  --follow-poll=MILLISECONDS ",
      "(default 5000)\n",
      "  --max-stage-prims=N ",
      "  --max-leases=N ",
      "  --max-lease-ttl=SECONDS ",
      "(default 3600)\n",
      "  --reflection=true|false ",
      "(default true)\n",
      "  --log-level=LEVEL ",
      "(default info)\n",
      "  --log-file=FILE ",
      "(default standard error)\n",
      "  --log-format=text|json ",
      "(default text)\n",
      "  --log-requests=none|errors|slow|all ",
      "(default slow)\n",
      "  --slow-query=MILLISECONDS ",
      "(default 1000)\n",
      "  --drain-seconds=SECONDS ",
      "  --cancel-seconds=SECONDS ",
      "  --help, --version                 print this help, or the version\n"};
  for (const char* line : kLines) {
    EXPECT_NE(help.find(line), std::string::npos) << line << " in\n" << help;
  }
}

// In words, not with the numbers of the machine that prints the help text.
TEST(DaemonFlagsTest, HelpDescribesMachineDependentDefaults) {
  const std::string help = DaemonFlagsHelp();
  for (const char* line :
       {"layers that no stage holds are evicted above it (default an eighth of the memory)\n",
        "budget for all that open and idle stages hold (default a quarter of the memory)\n",
        "budget for clip layers, including mapped files (default a quarter of the memory)\n"}) {
    EXPECT_NE(help.find(line), std::string::npos) << line << " in\n" << help;
  }
}

TEST(DaemonFlagsTest, EachFlagFillsItsField) {
  const std::string folder = ::testing::TempDir();
  const auto flags = ParseDaemonFlags({"--max-calls=1",
                                       "--max-waiting-per-client=20",
                                       "--max-watches=21",
                                       "--max-watches-per-client=22",
                                       "--max-wait=2100",
                                       "--max-call-steps=2",
                                       "--max-call-bytes=3",
                                       "--calls-bytes=4",
                                       "--stall-seconds=5",
                                       "--max-call-seconds=6",
                                       "--max-request-bytes=7",
                                       "--max-reply-bytes=8",
                                       "--max-batch-items=9",
                                       "--max-interval-samples=19",
                                       "--layer-cache-bytes=10",
                                       "--expansion-bytes=11",
                                       "--clip-cache-files=12",
                                       "--stage-cache-bytes=13",
                                       "--max-idle-stages=14",
                                       "--check-interval=1500",
                                       "--follow-poll=2500",
                                       "--max-stage-prims=15",
                                       "--max-leases=16",
                                       "--max-lease-ttl=400",
                                       "--memory-limit=18",
                                       "--metrics-address=localhost:0",
                                       "--http-frames=true",
                                       "--query-socket=/run/queries.sock",
                                       "--address-file=" + folder + "/a",
                                       "--log-file=" + folder + "/b",
                                       "--allow-root=" + folder,
                                       "--allow-root=/",
                                       "--allow-url=https://h/a/",
                                       "--allow-url=http://127.0.0.1:8080/",
                                       "--allow-network=10.0.0.0/8",
                                       "--allow-remote-files=true",
                                       "--cache-dir=" + folder + "/cache",
                                       "--cache-bytes=1M",
                                       "--cache-sync=1",
                                       "--revalidate=20",
                                       "--stale-if-error=21",
                                       "--http-login=https://h/a/=bearer:/run/token",
                                       "--http-proxy=http://proxy:3128",
                                       "--ca-file=" + folder,
                                       "--resolver=asset=127.0.0.1:7000",
                                       "--allow-resolver-files=true",
                                       "--s3-endpoint=http://127.0.0.1:9000",
                                       "--s3-region=eu-1",
                                       "--s3-credentials=" + folder,
                                       "--s3-profile=farm",
                                       "--s3-credentials-url=http://127.0.0.1:9001/c",
                                       "--search-path=" + folder,
                                       "--search-path=/not/there/yet",
                                       "--verify-content=true",
                                       "--trust-change-time=false",
                                       "--map-path=Z:/show=/show",
                                       "--map-path=\\\\srv\\lib=/lib",
                                       "--schema-path=" + folder});
  ASSERT_TRUE(flags.ok()) << flags.status();
  const ServerOptions& server = flags->server;
  EXPECT_EQ(server.addresses, Args{"127.0.0.1:50051"});
  EXPECT_EQ(server.remote.allowed_urls, (Args{"https://h/a/", "http://127.0.0.1:8080/"}));
  EXPECT_EQ(server.remote.allowed_networks, Args{"10.0.0.0/8"});
  EXPECT_TRUE(server.remote.allow_files);
  EXPECT_EQ(server.remote.cache.directory, folder + "/cache");
  EXPECT_EQ(server.remote.cache.max_bytes, 1u << 20);
  EXPECT_TRUE(server.remote.cache.sync);
  EXPECT_EQ(server.remote.revalidate, std::chrono::milliseconds(20));
  EXPECT_EQ(server.remote.stale_if_error, std::chrono::seconds(21));
  EXPECT_EQ(server.remote.http_logins, Args{"https://h/a/=bearer:/run/token"});
  EXPECT_EQ(server.remote.http_proxy, "http://proxy:3128");
  EXPECT_EQ(server.remote.ca_file, folder);
  EXPECT_EQ(server.remote.resolvers, Args{"asset=127.0.0.1:7000"});
  EXPECT_TRUE(server.remote.resolvers_may_name_files);
  EXPECT_EQ(server.remote.s3_endpoint, "http://127.0.0.1:9000");
  EXPECT_EQ(server.remote.s3_region, "eu-1");
  EXPECT_EQ(server.remote.s3_credentials_file, folder);
  EXPECT_EQ(server.remote.s3_profile, "farm");
  EXPECT_EQ(server.remote.s3_credentials_url, "http://127.0.0.1:9001/c");
  EXPECT_EQ(server.calls.max_calls, 1);
  EXPECT_EQ(server.calls.max_waiting_per_client, 20u);
  EXPECT_EQ(server.calls.max_watches, 21u);
  EXPECT_EQ(server.calls.max_watches_per_client, 22u);
  EXPECT_EQ(server.calls.max_wait, std::chrono::milliseconds(2100));
  EXPECT_EQ(server.calls.max_steps, 2);
  EXPECT_EQ(server.calls.max_bytes, 3u);
  EXPECT_EQ(server.calls.all_bytes, 4u);
  EXPECT_EQ(server.calls.stall, std::chrono::seconds(5));
  EXPECT_EQ(server.calls.max_duration, std::chrono::seconds(6));
  EXPECT_EQ(server.max_request_bytes, 7u);
  EXPECT_EQ(server.limits.max_reply_bytes, 8u);
  EXPECT_EQ(server.limits.max_items, 9u);
  EXPECT_EQ(server.limits.max_interval_samples, 19u);
  EXPECT_EQ(server.layer_cache_bytes, 10u);
  EXPECT_EQ(server.expansion_bytes, 11u);
  EXPECT_EQ(server.clip_cache_files, 12u);
  EXPECT_EQ(server.stages.max_bytes, 13u);
  EXPECT_EQ(server.stages.max_idle_stages, 14u);
  EXPECT_EQ(server.stages.check_interval, std::chrono::milliseconds(1500));
  EXPECT_EQ(server.follow_poll, std::chrono::milliseconds(2500));
  EXPECT_EQ(server.max_stage_prims, 15u);
  EXPECT_EQ(server.leases.max_leases, 16u);
  EXPECT_EQ(server.leases.max_ttl, std::chrono::seconds(400));
  EXPECT_EQ(server.memory_limit, 18u);
  EXPECT_EQ(server.metrics_address, "localhost:0");
  EXPECT_TRUE(server.http_frames);
  EXPECT_EQ(server.query_socket, "/run/queries.sock");
  EXPECT_EQ(server.allowed_roots, (Args{folder, "/"}));
  EXPECT_EQ(server.search_paths, (Args{folder, "/not/there/yet"}));
  EXPECT_EQ(server.path_map, (Args{"Z:/show=/show", "\\\\srv\\lib=/lib"}));
  EXPECT_TRUE(server.files.verify_content);
  EXPECT_FALSE(server.files.trust_change_time);
  EXPECT_EQ(server.schema_paths, Args{folder});
  EXPECT_EQ(server.reflection, std::nullopt);
  EXPECT_EQ(flags->address_file, folder + "/a");
  EXPECT_EQ(flags->log_file, folder + "/b");
  EXPECT_FALSE(flags->help);
  EXPECT_FALSE(flags->version);
}

// The output of --print-config sets the same values again.
TEST(DaemonFlagsTest, EveryFlagReturnsWhatItWasSetTo) {
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/plain_file") << "x";
  const Args candidates = {"23",
                           "2000001",
                           "1500",
                           "false",
                           "true",
                           folder,
                           "localhost:1",
                           "redis://h",
                           "json",
                           "all",
                           "warn",
                           "http://h/",
                           "10.0.0.0/8",
                           "asset=h:1",
                           folder + "/plain_file",
                           "Z:/show=/show",
                           "/run/queries.sock",
                           "https://h/a/=bearer:/run/token"};
  for (const Flag& flag : DaemonFlagTable()) {
    bool set = false;
    for (const std::string& text : candidates) {
      DaemonFlags flags;
      if (flag.get(flags) == FlagTexts{text} || !flag.set(text, flags).ok()) continue;
      set = true;
      EXPECT_EQ(flag.get(flags), FlagTexts{text}) << flag.name;
      if (!flag.repeatable) continue;
      EXPECT_TRUE(flag.set(text, flags).ok()) << flag.name;
      EXPECT_EQ(flag.get(flags), (FlagTexts{text, text})) << flag.name;
    }
    EXPECT_TRUE(set) << flag.name << " accepts none of the candidates";
  }
}

TEST(DaemonFlagsTest, RangesAreInclusive) {
  const struct {
    std::string flag, least, most;
  } kCases[] = {{"threads", "0", "1024"},
                {"max-calls", "1", "1000000"},
                {"max-waiting-per-client", "1", "1000000"},
                {"max-watches", "1", "1000000"},
                {"max-watches-per-client", "1", "1000000"},
                {"max-wait", "1", "3600000"},
                {"max-call-steps", "1", ""},
                {"max-call-bytes", "1", ""},
                {"calls-bytes", "1", ""},
                {"stall-seconds", "1", "31536000"},
                {"max-call-seconds", "1", "31536000"},
                {"max-request-bytes", "1", "2147483647"},
                {"max-reply-bytes", "1", "2147483647"},
                {"max-batch-items", "1", "1000000000"},
                {"max-interval-samples", "1", "1000000"},
                {"memory-limit", "0", ""},
                {"layer-cache-bytes", "0", ""},
                {"clip-cache-bytes", "0", ""},
                {"expansion-bytes", "0", ""},
                {"clip-cache-files", "0", "100000000"},
                {"stage-cache-bytes", "0", ""},
                {"max-idle-stages", "0", "1000000"},
                {"check-interval", "0", "3600000"},
                {"follow-poll", "10", "3600000"},
                {"max-stage-prims", "1", "4294967295"},
                {"max-leases", "1", "100000000"},
                {"max-lease-ttl", "1", "31536000"},
                {"warm-up-stages", "0", "256"},
                {"warm-up-timeout", "1", "3600"},
                {"drain-delay", "0", "3600"},
                {"drain-seconds", "0", "86400"},
                {"cancel-seconds", "1", "3600"},
                {"stop-when-idle", "0", "31536000"}};
  for (const auto& c : kCases) {
    const auto error = [&](const std::string& value) {
      return ErrorOf({"--" + c.flag + "=" + value, "--lease-ttl=1"});
    };
    EXPECT_EQ(error(c.least), "") << c.flag;
    EXPECT_EQ(error("0").empty(), c.least == "0") << c.flag;
    const std::string most = c.most.empty() ? "18446744073709551615" : c.most;
    EXPECT_EQ(error(most), "") << c.flag;
    if (!c.most.empty()) {
      EXPECT_NE(error(std::to_string(std::stoull(c.most) + 1)), "") << c.flag;
    }
  }
  EXPECT_EQ(ErrorOf({"--lease-ttl=3600"}), "") << "the default of --max-lease-ttl";
  EXPECT_EQ(ErrorOf({"--lease-ttl=31536000", "--max-lease-ttl=31536000"}), "");
}

TEST(DaemonFlagsTest, MemoryLimitsMayBeShares) {
  const auto limit = [](const std::string& share) {
    return ParseDaemonFlags({"--memory-limit=" + share})->server.memory_limit.value_or(0);
  };
  const uint64_t all = UsableMemory().value_or(0);
  ASSERT_GT(all, 0u);
  EXPECT_EQ(limit("100%"), all / 100 * 100);
  EXPECT_EQ(limit("50%"), all / 100 * 50);
  EXPECT_EQ(limit("1%"), all / 100);
}

TEST(DaemonFlagsTest, ReflectionIsOnOrOff) {
  for (const char* value : {"true", "1"}) {
    EXPECT_EQ(ParseDaemonFlags({std::string("--reflection=") + value})->server.reflection, true)
        << value;
  }
  for (const char* value : {"false", "0"}) {
    EXPECT_EQ(ParseDaemonFlags({std::string("--reflection=") + value})->server.reflection, false)
        << value;
  }
}

TEST(DaemonFlagsTest, AddressesWithPortZeroMayBeRepeated) {
  EXPECT_EQ(ErrorOf({"--address=localhost:0", "--address=localhost:0"}), "");
  EXPECT_EQ(ErrorOf({"--address=localhost:1", "--address=localhost:2"}), "");
  EXPECT_NE(ErrorOf({"--address=unix:/x", "--address=unix:/x"}), "");
  EXPECT_NE(ErrorOf({"--address=localhost:0", "--address=localhost:1", "--address=localhost:1"}),
            "");
}

TEST(DaemonFlagsTest, FilesMayBeGivenWithoutADirectory) {
  EXPECT_EQ(ErrorOf({"--log-file=daemon.log"}), "");
  EXPECT_NE(ErrorOf({"--log-file="}), "");
  EXPECT_NE(ErrorOf({"--search-path="}), "");
}

TEST(DaemonFlagsTest, ValuesMayBeSeparateWordsAndContainEqualsSigns) {
  EXPECT_EQ(ParseDaemonFlags({"--log-file", "a=b"})->log_file, "a=b");
  EXPECT_EQ(ParseDaemonFlags({"--log-file=a=b"})->log_file, "a=b");
  EXPECT_TRUE(ParseDaemonFlags({"-h"})->help);
  EXPECT_NE(ErrorOf({"--hel"}).find("did you mean --help?"), std::string::npos);
  EXPECT_NE(ErrorOf({"--versio"}).find("did you mean --version?"), std::string::npos);
}

}  // namespace
}  // namespace stagedoor::server
