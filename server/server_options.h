#ifndef STAGEDOOR_SERVER_SERVER_OPTIONS_H_
#define STAGEDOOR_SERVER_SERVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "resolver/polling_change_source.h"
#include "scene/engine/local_engine_options.h"
#include "server/access/access_options.h"
#include "server/call_limits.h"
#include "server/listen/connection_limits.h"
#include "server/listen/tls_options.h"
#include "server/log/request_log.h"
#include "server/machine/machine_memory.h"
#include "server/server_limits.h"
#include "server/stages/lease_options.h"
#include "server/stages/stage_cache_options.h"
#include "server/store/session_store.h"
#include "server/upstream/upstream_options.h"

namespace stagedoor::server {

// The configuration of a daemon. The flags of stagedoord (docs/cli.md) fill it in.
struct ServerOptions {
  // "HOST:PORT" or "unix:PATH"; port 0 picks a free port. Empty for in-process channels only.
  std::vector<std::string> addresses;

  // Whether addresses that other machines can reach may be served without TLS, or to callers whose
  // identity is not known. See CheckListening.
  bool insecure = false;
  TlsOptions tls;
  ConnectionLimits connections;
  AccessOptions access;
  std::string audit_log;  // a file for decisions about access; none if empty

  // The path of a Unix socket on which query frames are answered (QuerySocket); none if empty.
  std::string query_socket;

  // "HOST:PORT" that serves metrics to Prometheus and probes over HTTP. Not served if empty.
  std::string metrics_address;
  // Whether GET /v1/frame is served there, too (FrameGateway).
  bool http_frames = false;

  // After how long without calls and leases the process is stopped. Zero means never, as it does
  // for a server that is not a daemon.
  std::chrono::milliseconds stop_when_idle{0};

  // Which calls are logged.
  RequestLogOptions request_log;

  // Directories that may be read, recursively. If empty, everything the process may read.
  std::vector<std::string> allowed_roots;
  // Directories to search for asset paths that are not anchored.
  std::vector<std::string> search_paths;
  // Where directories of other machines are (PathMap).
  std::vector<std::string> path_map;
  // How changes of local files are recognized.
  FileVersionOptions files;

  // Assets on other machines.
  RemoteOptions remote;

  // For a node daemon, which holds no scenes: where it gets its answers from.
  UpstreamOptions upstream;

  // plugInfo.json files of schema plug-ins, or directories that contain one.
  std::vector<std::string> schema_paths;

  int threads = 0;  // of the executor; 0 means one per core (UsableCores), at least two
  CallLimits calls;
  std::optional<uint64_t>
      memory_limit;  // see EffectiveMemoryLimit; 0 does not limit unreserved memory
  size_t max_request_bytes = 64 << 20;
  size_t layer_cache_bytes = DefaultLayerCacheBytes(UsableMemory());
  std::optional<size_t> clip_cache_bytes;  // default: DefaultClipCacheBytes
  std::optional<size_t> expansion_bytes;   // see ReadUsdc; default: DefaultExpansionBytes
  size_t clip_cache_files = 16384;
  size_t max_stage_prims = StageEnvironment().max_prims;
  ServerLimits limits;
  LeaseOptions leases;
  std::chrono::milliseconds follow_poll = PollingOptions().interval;  // see PollingOptions
  StageCacheOptions stages{.max_bytes = DefaultStageCacheBytes(UsableMemory())};
  std::optional<bool> reflection;  // default: OffersReflection
  // The store for sessions that are shared with other replicas. Null if there are none.
  std::shared_ptr<SessionStore> session_store;
  // How often to report to it which stages clients use.
  std::chrono::milliseconds use_report_interval{60000};
  // How many of the stages that clients of all replicas use most are opened before the server
  // reports that it serves, and how long that may take.
  size_t warm_up_stages = 16;
  std::chrono::milliseconds warm_up_timeout{60000};
};

// The memory from which default budgets are computed: the limit in `options` if it is set and not
// 0, else UsableMemory().
std::optional<uint64_t> EffectiveMemoryLimit(const ServerOptions& options);

// `options` with the layer and stage cache budgets, where they have their default values, replaced
// by shares of EffectiveMemoryLimit.
ServerOptions FitToMemoryLimit(ServerOptions options);

// The engine's part of `options`. Budgets that are not set are shares of EffectiveMemoryLimit.
LocalEngineOptions EngineOptions(const ServerOptions& options);

// Checks that the addresses may be served: those that other machines can reach need TLS, roles that
// say who may do what, and directories that may be read, unless `insecure` is set. INVALID_ARGUMENT
// says what is missing.
absl::Status CheckListening(const ServerOptions& options);

// Whether all callers are on this machine and need not say who they are.
bool TrustsAllCallers(const ServerOptions& options);

// Whether to offer gRPC server reflection: as set, else if the server trusts all callers.
bool OffersReflection(const ServerOptions& options);

// The paths of STAGEDOOR_SCHEMA_PATH, separated by ':'.
std::vector<std::string> SchemaPathsFromEnvironment();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVER_OPTIONS_H_
