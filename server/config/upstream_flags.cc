#include "server/config/upstream_flags.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/config/flag_checks.h"
#include "server/config/flag_makers.h"
#include "server/upstream/upstream_options.h"

namespace stagedoor::server {
namespace {

// Flags about scenes, which a node daemon does not have.
constexpr const char* kSceneFlags[] = {"http-frames",
                                       "allow-root",
                                       "search-path",
                                       "map-path",
                                       "verify-content",
                                       "trust-change-time",
                                       "schema-path",
                                       "session-store",
                                       "warm-up-stages",
                                       "warm-up-timeout",
                                       "allow-url",
                                       "allow-network",
                                       "allow-remote-files",
                                       "cache-dir",
                                       "cache-bytes",
                                       "cache-sync",
                                       "revalidate",
                                       "stale-if-error",
                                       "http-login",
                                       "http-proxy",
                                       "ca-file",
                                       "resolver",
                                       "allow-resolver-files",
                                       "s3-endpoint",
                                       "s3-region",
                                       "s3-credentials",
                                       "s3-profile",
                                       "s3-credentials-url",
                                       "layer-cache-bytes",
                                       "clip-cache-bytes",
                                       "expansion-bytes",
                                       "clip-cache-files",
                                       "stage-cache-bytes",
                                       "max-idle-stages",
                                       "check-interval",
                                       "follow-poll",
                                       "max-stage-prims"};

// A list that commas may separate.
absl::Status AddUpstream(const std::string& value, DaemonFlags& flags) {
  SD_ASSIGN_OR_RETURN(std::vector<std::string> addresses, ParseUpstreamAddresses(value));
  for (std::string& address : addresses) {
    flags.server.upstream.addresses.push_back(std::move(address));
  }
  return absl::OkStatus();
}

void AddUpstreamSecurityFlags(std::vector<Flag>* all) {
  const auto add_file = [all](auto... args) { all->push_back(TextFlag(args...)); };
  all->push_back(BoolFlag(
      "upstream-tls", "whether to connect to upstream daemons with TLS",
      [](DaemonFlags & f) -> auto& { return f.server.upstream.security.tls; }));
  add_file(
      "upstream-ca-file", "FILE", "certificates that sign those of upstream daemons", CheckThere,
      [](DaemonFlags & f) -> auto& { return f.server.upstream.security.ca_file; },
      "those of the system");
  add_file(
      "upstream-certificate", "FILE", "certificate of the daemon for them, in PEM form", CheckThere,
      [](DaemonFlags & f) -> auto& { return f.server.upstream.security.certificate_file; }, "none");
  add_file(
      "upstream-key", "FILE", "key of that certificate", CheckThere,
      [](DaemonFlags & f) -> auto& { return f.server.upstream.security.key_file; }, "none");
  add_file(
      "upstream-server-name", "NAME", "name in their certificates", CheckWord,
      [](DaemonFlags & f) -> auto& { return f.server.upstream.security.server_name; },
      "the host of the address");
  add_file(
      "upstream-token-file", "FILE", "bearer token for calls of processes that send none",
      CheckThere, [](DaemonFlags & f) -> auto& { return f.server.upstream.security.token_file; },
      "none");
}

}  // namespace

void AddUpstreamFlags(std::vector<Flag>* all) {
  const auto add = [all](auto... args) { all->push_back(NumberFlag(args...)); };
  all->push_back(
      {.name = "upstream",
       .value = "HOST:PORT|unix:PATH,…",
       .help = "daemons that hold the scenes; this one serves the processes of its machine by them",
       .initial = "none",
       .repeatable = true,
       .set = AddUpstream,
       .get = [](DaemonFlags f) -> FlagTexts { return std::move(f.server.upstream.addresses); }});
  AddUpstreamSecurityFlags(all);
  add(
      "reply-cache-bytes", FlagUnit::kBytes, FlagRange{0, kNoBound},
      "budget of a node daemon for replies in memory",
      [](DaemonFlags & f) -> auto& { return f.server.upstream.memory_bytes; },
      "a quarter of the memory");
  all->push_back(TextFlag(
      "reply-cache-dir", "DIR", "directory in which a node daemon keeps replies, too",
      CheckNewDirectory, [](DaemonFlags & f) -> auto& { return f.server.upstream.directory; },
      "none"));
  add(
      "reply-disk-bytes", FlagUnit::kBytes, FlagRange{1 << 20, kNoBound},
      "budget for the replies there",
      [](DaemonFlags & f) -> auto& { return f.server.upstream.disk_bytes; });
  add(
      "reply-clip-age", FlagUnit::kMilliseconds, FlagRange{0, 3600 * 1000},
      "for how long replies that depend on value clips are used",
      [](DaemonFlags & f) -> auto& { return f.server.upstream.clip_age; });
  add(
      "access-age", FlagUnit::kSeconds, FlagRange{0, 86400},
      "for how long it is trusted that a caller may read a stage",
      [](DaemonFlags & f) -> auto& { return f.server.upstream.access_age; });
  add(
      "access-age-away", FlagUnit::kSeconds, FlagRange{0, kYear},
      "the same while no upstream daemon can be reached",
      [](DaemonFlags & f) -> auto& { return f.server.upstream.access_age_away; });
  add(
      "upstream-wait", FlagUnit::kSeconds, FlagRange{0, 3600},
      "for how long calls are repeated while no upstream daemon can be reached",
      [](DaemonFlags & f) -> auto& { return f.server.upstream.reconnect; });
}

absl::Status CheckNodeFlags(const DaemonFlags& flags, const FlagSettings& settings) {
  const bool is_node = flags.server.upstream.enabled();
  for (const auto& [name, setting] : settings) {
    const bool about_scenes =
        std::find(std::begin(kSceneFlags), std::end(kSceneFlags), name) != std::end(kSceneFlags);
    if (is_node && about_scenes) {
      return InvalidArgumentError("--", name,
                                  " cannot be used with --upstream: the daemons there "
                                  "hold the scenes, so it is to be given to them");
    }
    const bool about_upstream = name.starts_with("upstream-") || name.starts_with("reply-") ||
                                name.starts_with("access-age");
    if (!is_node && about_upstream) {
      return InvalidArgumentError("--", name, " needs --upstream");
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server
