#include "server/config/daemon_flag_table.h"

#include <climits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/help_columns.h"
#include "base/status.h"
#include "server/config/flag.h"
#include "server/config/flag_checks.h"
#include "server/config/flag_makers.h"
#include "server/config/upstream_flags.h"
#include "server/listen/listen_address.h"
#include "server/log/logging.h"
#include "server/log/request_log.h"
#include "server/machine/machine_memory.h"

namespace stagedoor::server {
namespace {

using F = DaemonFlags;

absl::Status SetLogFormat(const std::string& value, F& flags) {
  const auto format = ParseLogFormat(value);
  if (!format.has_value()) return InvalidArgumentError("text or json");
  flags.log_format = *format;
  return absl::OkStatus();
}

absl::Status SetLoggedCalls(const std::string& value, F& flags) {
  const auto calls = ParseLoggedCalls(value);
  if (!calls.has_value()) return InvalidArgumentError("none, errors, slow or all");
  flags.server.request_log.calls = *calls;
  return absl::OkStatus();
}

void AddFileFlags(std::vector<Flag>* all) {
  all->push_back(ListFlag(
      "address", "HOST:PORT|unix:PATH", "address to listen on; port 0 picks a free port",
      CheckAddress, [](F & f) -> auto& { return f.server.addresses; }, "127.0.0.1:50051"));
  all->push_back(TextFlag(
      "address-file", "FILE", "file that lists the chosen addresses, one per line, while serving",
      CheckNewFile, [](F & f) -> auto& { return f.address_file; }));
  all->push_back(TextFlag(
      "query-socket", "PATH", "Unix socket for query frames, which clients on this machine use",
      CheckSocketPath, [](F & f) -> auto& { return f.server.query_socket; }));
  all->push_back({.name = "metrics-address",
                  .value = "HOST:PORT",
                  .help = "address to serve /metrics, /healthz and /readyz on, over HTTP",
                  .initial = "none",
                  .set =
                      [](const std::string& value, F& f) {
                        f.server.metrics_address = value;
                        return CheckTcpAddress(value);
                      },
                  .get = [](F f) { return TextsOf(std::move(f.server.metrics_address)); }});
  all->push_back(BoolFlag(
      "http-frames", "whether frames are served there too, by GET /v1/frame, without encryption",
      [](F & f) -> auto& { return f.server.http_frames; }));
  all->push_back(ListFlag(
      "allow-root", "DIR", "directory that may be read, with everything below it", CheckDirectory,
      [](F & f) -> auto& { return f.server.allowed_roots; }, "/"));
  all->push_back(ListFlag(
      "search-path", "DIR", "directory to search for unanchored asset paths", CheckNoFile,
      [](F & f) -> auto& { return f.server.search_paths; }));
  all->push_back(ListFlag(
      "map-path", "FROM=TO", "where a directory of other machines is, such as Z:/show=/show",
      CheckPathMap, [](F & f) -> auto& { return f.server.path_map; }, "none"));
  all->push_back(BoolFlag(
      "verify-content", "whether large files are read as a whole to recognize their content",
      [](F & f) -> auto& { return f.server.files.verify_content; }));
  all->push_back(BoolFlag(
      "trust-change-time", "whether a new inode change time may mean another content of a file",
      [](F & f) -> auto& { return f.server.files.trust_change_time; }));
  all->push_back(ListFlag(
      "schema-path", "DIR|FILE", "schema plug-ins: a plugInfo.json or its directory", CheckThere,
      [](F & f) -> auto& { return f.server.schema_paths; }));
}

void AddRemoteFlags(std::vector<Flag>* all) {
  const auto add = [all](auto... args) { all->push_back(NumberFlag(args...)); };
  all->push_back(ListFlag(
      "allow-url", "PREFIX", "URLs that may be read, of http, https or s3, with all below them",
      CheckUrlPrefix, [](F & f) -> auto& { return f.server.remote.allowed_urls; }, "none"));
  all->push_back(ListFlag(
      "allow-network", "CIDR", "network that may be connected to although it is not public",
      CheckNetwork, [](F & f) -> auto& { return f.server.remote.allowed_networks; }, "none"));
  all->push_back(BoolFlag(
      "allow-remote-files", "whether remote layers may name local files",
      [](F & f) -> auto& { return f.server.remote.allow_files; }));
  all->push_back(TextFlag(
      "cache-dir", "DIR", "directory for the parts of remote assets", CheckNewDirectory,
      [](F & f) -> auto& { return f.server.remote.cache.directory; }, "in memory"));
  add(
      "cache-bytes", FlagUnit::kBytes, FlagRange{1 << 20, kNoBound},
      "budget for the parts of remote assets, on disk or in memory",
      [](F & f) -> auto& { return f.server.remote.cache.max_bytes; },
      "10G on disk, an eighth of the memory");
  all->push_back(BoolFlag(
      "cache-sync", "whether to flush the cache to the disk as it is written",
      [](F & f) -> auto& { return f.server.remote.cache.sync; }));
  add(
      "revalidate", FlagUnit::kMilliseconds, FlagRange{0, 3600 * 1000},
      "how long the version of a remote asset is trusted",
      [](F & f) -> auto& { return f.server.remote.revalidate; });
  add(
      "stale-if-error", FlagUnit::kSeconds, FlagRange{0, kYear},
      "how long cached assets may be used while their origin is unavailable",
      [](F & f) -> auto& { return f.server.remote.stale_if_error; });
  all->push_back(ListFlag(
      "http-login", "PREFIX=KIND:FILE",
      "login at web servers; KIND is bearer, header or netrc, of which FILE holds the secret",
      CheckLogin, [](F & f) -> auto& { return f.server.remote.http_logins; }, "none"));
  all->push_back(TextFlag(
      "http-proxy", "URL", "proxy for http and https", CheckProxy,
      [](F & f) -> auto& { return f.server.remote.http_proxy; }, "none"));
  all->push_back(TextFlag(
      "ca-file", "FILE", "certificates to trust instead of the system's", CheckThere,
      [](F & f) -> auto& { return f.server.remote.ca_file; }));
  all->push_back(ListFlag(
      "resolver", "SCHEME=ADDRESS", "resolver service to ask about the URIs of a scheme",
      CheckResolver, [](F & f) -> auto& { return f.server.remote.resolvers; }, "none"));
  all->push_back(BoolFlag(
      "allow-resolver-files", "whether resolver services may answer with local files",
      [](F & f) -> auto& { return f.server.remote.resolvers_may_name_files; }));
}

void AddS3Flags(std::vector<Flag>* all) {
  all->push_back(TextFlag(
      "s3-endpoint", "URL", "server of the objects of s3://", CheckEndpoint,
      [](F & f) -> auto& { return f.server.remote.s3_endpoint; }, "AWS"));
  all->push_back(TextFlag(
      "s3-region", "NAME", "region of the objects of s3://", CheckWord,
      [](F & f) -> auto& { return f.server.remote.s3_region; }, "$AWS_REGION or us-east-1"));
  all->push_back(TextFlag(
      "s3-credentials", "FILE", "credentials file in the form of AWS", CheckThere,
      [](F & f) -> auto& { return f.server.remote.s3_credentials_file; },
      "$AWS_ACCESS_KEY_ID and so on"));
  all->push_back(TextFlag(
      "s3-profile", "NAME", "profile in the credentials file", CheckWord,
      [](F & f) -> auto& { return f.server.remote.s3_profile; }, "default"));
  all->push_back(TextFlag(
      "s3-credentials-url", "URL", "service that gives temporary credentials", CheckEndpoint,
      [](F & f) -> auto& { return f.server.remote.s3_credentials_url; }, "none"));
}

void AddSecurityFlags(std::vector<Flag>* all) {
  all->push_back(BoolFlag(
      "insecure", "whether others may connect without TLS, roles and --allow-root",
      [](F & f) -> auto& { return f.server.insecure; }));
  all->push_back(TextFlag(
      "tls-certificate", "FILE", "certificate of the server with its chain, in PEM form",
      CheckThere, [](F & f) -> auto& { return f.server.tls.certificate_file; }));
  all->push_back(TextFlag(
      "tls-key", "FILE", "key of that certificate", CheckThere,
      [](F & f) -> auto& { return f.server.tls.key_file; }));
  all->push_back(TextFlag(
      "tls-client-ca", "FILE", "certificates that sign those of clients", CheckThere,
      [](F & f) -> auto& { return f.server.tls.client_ca_file; }));
  all->push_back(BoolFlag(
      "tls-require-client-certificate", "whether clients without a certificate are disconnected",
      [](F & f) -> auto& { return f.server.tls.require_client_certificate; }));
  all->push_back(TextFlag(
      "audit-log", "FILE", "file to append decisions about access to; SIGHUP reopens it",
      CheckNewFile, [](F & f) -> auto& { return f.server.audit_log; }, "none"));
}

void AddSessionStoreFlags(std::vector<Flag>* all) {
  const auto add_file = [all](auto... args) { all->push_back(TextFlag(args...)); };
  all->push_back(TextFlag(
      "session-store", "URL",
      "Redis server that replicas share sessions through: redis://[USER@]HOST[:PORT][/DATABASE], "
      "rediss://… (TLS) or redis+unix:/PATH",
      CheckRedisUrl, [](F & f) -> auto& { return f.session_store.url; }, "none"));
  add_file(
      "session-store-password-file", "FILE", "file whose first line is the password for it",
      CheckThere, [](F & f) -> auto& { return f.session_store.password_file; }, "none");
  add_file(
      "session-store-ca-file", "FILE", "certificates that sign that of the server", CheckThere,
      [](F & f) -> auto& { return f.session_store.ca_file; }, "those of the system");
  add_file(
      "session-store-certificate", "FILE", "certificate of the daemon for it, in PEM form",
      CheckThere, [](F & f) -> auto& { return f.session_store.certificate_file; }, "none");
  add_file(
      "session-store-key", "FILE", "key of that certificate", CheckThere,
      [](F & f) -> auto& { return f.session_store.key_file; }, "none");
  all->push_back(NumberFlag(
      "warm-up-stages", FlagUnit::kCount, FlagRange{0, SessionStore::kMaxRecipes},
      "how many of the stages that clients use most are opened before the daemon is ready",
      [](F & f) -> auto& { return f.server.warm_up_stages; }));
  all->push_back(NumberFlag(
      "warm-up-timeout", FlagUnit::kSeconds, FlagRange{1, 3600}, "how long that may take",
      [](F & f) -> auto& { return f.server.warm_up_timeout; }));
}

void AddConnectionFlags(std::vector<Flag>* all) {
  const auto add = [all](auto... args) { all->push_back(NumberFlag(args...)); };
  add(
      "max-connections", FlagUnit::kCount, FlagRange{1, 1000000},
      "maximum number of connections at a time, and at most a quarter of the limit on open files",
      [](F & f) -> auto& { return f.server.connections.max_connections; });
  add(
      "max-connection-age", FlagUnit::kSeconds, FlagRange{0, kYear},
      "when clients are asked to connect again; 0 means never",
      [](F & f) -> auto& { return f.server.connections.max_age; });
  add(
      "connection-age-grace", FlagUnit::kSeconds, FlagRange{1, kYear},
      "how long calls on a connection may go on beyond its age",
      [](F & f) -> auto& { return f.server.connections.age_grace; });
  add(
      "max-connection-idle", FlagUnit::kSeconds, FlagRange{0, kYear},
      "how long a connection without calls is kept; 0 means forever",
      [](F & f) -> auto& { return f.server.connections.max_idle; });
  add(
      "max-connection-streams", FlagUnit::kCount, FlagRange{1, 1000000},
      "maximum number of calls at a time on one connection",
      [](F & f) -> auto& { return f.server.connections.max_streams; });
  add(
      "keepalive", FlagUnit::kSeconds, FlagRange{1, kYear},
      "how long a client may be silent before it is asked whether it is there",
      [](F & f) -> auto& { return f.server.connections.keepalive; });
  add(
      "keepalive-timeout", FlagUnit::kSeconds, FlagRange{1, 3600}, "how long it then has to answer",
      [](F & f) -> auto& { return f.server.connections.keepalive_timeout; });
  add(
      "handshake-timeout", FlagUnit::kSeconds, FlagRange{1, 3600},
      "how long the setup of a connection may take",
      [](F & f) -> auto& { return f.server.connections.handshake_timeout; });
}

// 50 for "50%"; 0 for anything else.
uint64_t ParsePercentage(std::string_view text) {
  if (!text.ends_with('%')) return 0;
  const auto percentage = ParseNumber<uint64_t>(text.substr(0, text.size() - 1));
  return percentage.has_value() && *percentage <= 100 ? *percentage : 0;
}

Flag MemoryLimitFlag() {
  Flag flag = NumberFlag(
      "memory-limit", FlagUnit::kBytes, FlagRange{0, kNoBound},
      "memory the process may use, or its share of it, such as 50%; 0 means no limit",
      [](F & f) -> auto& { return f.server.memory_limit; }, "that of the machine or container");
  flag.set = [set_bytes = std::move(flag.set)](const std::string& value, F& flags) -> absl::Status {
    if (const uint64_t percentage = ParsePercentage(value)) {
      const std::optional<uint64_t> memory = UsableMemory();
      if (memory.has_value()) flags.server.memory_limit = *memory / 100 * percentage;
      return absl::OkStatus();
    }
    absl::Status status = set_bytes(value, flags);
    if (status.ok()) return status;
    return InvalidArgumentError(Message(status), ", or a share from 1% to 100%");
  };
  return flag;
}

void AddCallFlags(std::vector<Flag>* all) {
  const auto add = [all](auto... args) { all->push_back(NumberFlag(args...)); };
  add(
      "threads", FlagUnit::kCount, FlagRange{0, 1024}, "worker threads; 0 means one per core",
      [](F & f) -> auto& { return f.server.threads; });
  all->push_back(MemoryLimitFlag());
  add(
      "max-calls", FlagUnit::kCount, FlagRange{1, 1000000}, "maximum number of calls in flight",
      [](F & f) -> auto& { return f.server.calls.max_calls; });
  add(
      "max-waiting-per-client", FlagUnit::kCount, FlagRange{1, 1000000},
      "maximum number of calls of one client that wait for a thread",
      [](F & f) -> auto& { return f.server.calls.max_waiting_per_client; });
  add(
      "max-watches", FlagUnit::kCount, FlagRange{1, 1000000},
      "maximum number of calls of WatchStage, and of streams of query frames",
      [](F & f) -> auto& { return f.server.calls.max_watches; });
  add(
      "max-watches-per-client", FlagUnit::kCount, FlagRange{1, 1000000},
      "maximum number of calls of WatchStage, and of streams of query frames, of one client",
      [](F & f) -> auto& { return f.server.calls.max_watches_per_client; });
  add(
      "max-wait", FlagUnit::kMilliseconds, FlagRange{1, 3600 * 1000},
      "how long a call may wait for a thread",
      [](F & f) -> auto& { return f.server.calls.max_wait; });
  add(
      "max-call-steps", FlagUnit::kCount, FlagRange{1, kNoBound},
      "maximum steps of work of one call", [](F & f) -> auto& { return f.server.calls.max_steps; });
  add(
      "max-call-bytes", FlagUnit::kBytes, FlagRange{1, kNoBound},
      "maximum scratch memory and reply of one call",
      [](F & f) -> auto& { return f.server.calls.max_bytes; }, "half of --calls-bytes");
  add(
      "calls-bytes", FlagUnit::kBytes, FlagRange{1, kNoBound},
      "the same for all calls in flight together",
      [](F & f) -> auto& { return f.server.calls.all_bytes; }, "a quarter of the memory");
  add(
      "stall-seconds", FlagUnit::kSeconds, FlagRange{1, kYear},
      "how long a client may leave a message unread",
      [](F & f) -> auto& { return f.server.calls.stall; });
  add(
      "max-call-seconds", FlagUnit::kSeconds, FlagRange{1, kYear}, "longest deadline of a call",
      [](F & f) -> auto& { return f.server.calls.max_duration; });
  add(
      "max-request-bytes", FlagUnit::kBytes, FlagRange{1, INT_MAX}, "maximum size of a request",
      [](F & f) -> auto& { return f.server.max_request_bytes; });
  add(
      "max-reply-bytes", FlagUnit::kBytes, FlagRange{1, INT_MAX}, "maximum size of a unary reply",
      [](F & f) -> auto& { return f.server.limits.max_reply_bytes; });
  add(
      "max-batch-items", FlagUnit::kCount, FlagRange{1, 1000000000},
      "maximum paths x times in one batch",
      [](F & f) -> auto& { return f.server.limits.max_items; });
  add(
      "max-interval-samples", FlagUnit::kCount, FlagRange{1, 1000000},
      "maximum samples of an attribute in an interval",
      [](F & f) -> auto& { return f.server.limits.max_interval_samples; });
}

void AddCacheFlags(std::vector<Flag>* all) {
  const auto add = [all](auto... args) { all->push_back(NumberFlag(args...)); };
  add(
      "layer-cache-bytes", FlagUnit::kBytes, FlagRange{0, kNoBound},
      "budget for layers; layers that no stage holds are evicted above it",
      [](F & f) -> auto& { return f.server.layer_cache_bytes; }, "an eighth of the memory");
  add(
      "clip-cache-bytes", FlagUnit::kBytes, FlagRange{0, kNoBound},
      "budget for clip layers, including mapped files",
      [](F & f) -> auto& { return f.server.clip_cache_bytes; }, "a quarter of the memory");
  add(
      "expansion-bytes", FlagUnit::kBytes, FlagRange{0, kNoBound},
      "budget for arrays in use that crates store strongly compressed",
      [](F & f) -> auto& { return f.server.expansion_bytes; }, "an eighth of the memory");
  add(
      "clip-cache-files", FlagUnit::kCount, FlagRange{0, 100000000},
      "maximum number of clip layers open at the same time",
      [](F & f) -> auto& { return f.server.clip_cache_files; });
  add(
      "stage-cache-bytes", FlagUnit::kBytes, FlagRange{0, kNoBound},
      "budget for all that open and idle stages hold",
      [](F & f) -> auto& { return f.server.stages.max_bytes; }, "a quarter of the memory");
  add(
      "max-idle-stages", FlagUnit::kCount, FlagRange{0, 1000000},
      "maximum number of stages kept after their last lease",
      [](F & f) -> auto& { return f.server.stages.max_idle_stages; });
  add(
      "check-interval", FlagUnit::kMilliseconds, FlagRange{0, 3600 * 1000},
      "how long an open stage is shared before its files are checked again",
      [](F & f) -> auto& { return f.server.stages.check_interval; });
  add(
      "follow-poll", FlagUnit::kMilliseconds, FlagRange{10, 3600 * 1000},
      "how often to look for changes of followed assets that the system does not report",
      [](F & f) -> auto& { return f.server.follow_poll; });
  add(
      "max-stage-prims", FlagUnit::kCount, FlagRange{1, UINT32_MAX},
      "maximum number of prims in one stage",
      [](F & f) -> auto& { return f.server.max_stage_prims; });
  add(
      "max-leases", FlagUnit::kCount, FlagRange{1, 100000000}, "maximum number of stage handles",
      [](F & f) -> auto& { return f.server.leases.max_leases; });
  add(
      "lease-ttl", FlagUnit::kSeconds, FlagRange{1, kYear},
      "how long a handle lives after its last use",
      [](F & f) -> auto& { return f.server.leases.default_ttl; });
  add(
      "max-lease-ttl", FlagUnit::kSeconds, FlagRange{1, kYear},
      "longest handle lifetime a client may request",
      [](F & f) -> auto& { return f.server.leases.max_ttl; });
}

void AddProcessFlags(std::vector<Flag>* all) {
  const auto add = [all](auto... args) { all->push_back(NumberFlag(args...)); };
  all->push_back(BoolFlag(
      "reflection", "whether to offer gRPC server reflection",
      [](F & f) -> auto& { return f.server.reflection; },
      "true if only processes on this machine can connect"));
  all->push_back(TextFlag(
      "log-level", "LEVEL", "least severity to log: trace, debug, info, warn, error or off",
      CheckLogLevel, [](F & f) -> auto& { return f.log_level; }, F().log_level));
  all->push_back(TextFlag(
      "log-file", "FILE", "file to append the log to; SIGHUP reopens it", CheckNewFile,
      [](F & f) -> auto& { return f.log_file; }, "standard error"));
  all->push_back({.name = "log-format",
                  .value = "text|json",
                  .help = "form of the lines of the log",
                  .initial = "text",
                  .set = SetLogFormat,
                  .get = [](const F& f) -> FlagTexts {
                    return {f.log_format == LogFormat::kJson ? "json" : "text"};
                  }});
  all->push_back({.name = "log-requests",
                  .value = "none|errors|slow|all",
                  .help = "which calls to log when they have ended",
                  .initial = "slow",
                  .set = SetLoggedCalls,
                  .get = [](const F& f) -> FlagTexts {
                    return {std::string(LoggedCallsName(f.server.request_log.calls))};
                  }});
  add(
      "slow-query", FlagUnit::kMilliseconds, FlagRange{0, kYear * 1000},
      "how long a call takes that is logged as slow, with the reasons",
      [](F & f) -> auto& { return f.server.request_log.slow; });
  add(
      "drain-delay", FlagUnit::kSeconds, FlagRange{0, 3600},
      "how long to keep serving, as not ready, after SIGTERM",
      [](F & f) -> auto& { return f.drain.delay; });
  add(
      "drain-seconds", FlagUnit::kSeconds, FlagRange{0, 86400},
      "how long running calls may then take to finish",
      [](F & f) -> auto& { return f.drain.grace_period; });
  add(
      "cancel-seconds", FlagUnit::kSeconds, FlagRange{1, 3600},
      "how long cancelled calls may then take to end before the process exits anyway",
      [](F & f) -> auto& { return f.drain.cancel_grace_period; });
  add(
      "stop-when-idle", FlagUnit::kSeconds, FlagRange{0, kYear},
      "after how long without calls and leases to stop; 0 means never",
      [](F & f) -> auto& { return f.server.stop_when_idle; });
}

}  // namespace

std::vector<Flag> DaemonFlagTable() {
  std::vector<Flag> all;
  AddFileFlags(&all);
  AddSecurityFlags(&all);
  AddSessionStoreFlags(&all);
  AddUpstreamFlags(&all);
  AddConnectionFlags(&all);
  AddRemoteFlags(&all);
  AddS3Flags(&all);
  AddCallFlags(&all);
  AddCacheFlags(&all);
  AddProcessFlags(&all);
  return all;
}

absl::Status CheckFlagsTogether(const DaemonFlags& flags) {
  if (flags.server.leases.default_ttl > flags.server.leases.max_ttl) {
    return InvalidArgumentError("--lease-ttl must not exceed --max-lease-ttl");
  }
  std::set<std::string> seen;
  for (const std::string& address : flags.server.addresses) {
    if (ListenAddress::Parse(address)->port == 0 && address.substr(0, 5) != "unix:") continue;
    if (!seen.insert(address).second) {
      return InvalidArgumentError("--address ", Quoted(address), " is given twice");
    }
  }
  return CheckListening(flags.server);
}

std::string DaemonFlagsHelp() {
  std::string help =
      "usage: stagedoord [--FLAG=VALUE]…\n\n"
      "Serves USD scenes over gRPC. Numbers of bytes and counts may end in K, M or G.\n\n";
  for (const Flag& flag : DaemonFlagTable()) {
    const std::string left =
        Concat("  --", flag.name, "=", flag.value, flag.repeatable ? " …" : "");
    const std::string initial = flag.initial.empty() ? "" : Concat(" (default ", flag.initial, ")");
    help.append(Concat(LeftColumn(left, 36), flag.help, initial, "\n"));
  }
  help.append(
      "  --config=FILE                     configuration file with any of these flags "
      "(docs/configuration.md)\n"
      "  --check-config                    check the configuration without starting\n"
      "  --print-config                    print the configuration and where it comes from\n"
      "  --help, --version                 print this help, or the version\n");
  return help;
}

}  // namespace stagedoor::server
