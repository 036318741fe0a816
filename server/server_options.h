#ifndef STAGEDOOR_SERVER_SERVER_OPTIONS_H_
#define STAGEDOOR_SERVER_SERVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/call_limits.h"
#include "server/limits.h"
#include "server/machine_memory.h"
#include "server/stages/lease_table.h"
#include "server/stages/stage_cache.h"

namespace stagedoor {

// How a daemon is set up; the flags of stagedoord (docs/cli.md) fill it.
struct ServerOptions {
  // "HOST:PORT" or "unix:PATH"; port 0 takes a free one. Empty: in-process channels only.
  std::vector<std::string> addresses;

  // "HOST:PORT" where Prometheus may ask over HTTP; empty: nowhere.
  std::string metrics_address;

  // Directories that may be read, with all below them. Empty: everything the process may read.
  std::vector<std::string> allowed_roots;
  // Where asset paths that are not anchored are looked for.
  std::vector<std::string> search_paths;

  // Folders or plugInfo.json files of schema plug-ins.
  std::vector<std::string> schema_paths;

  int threads = 0;  // of the executor; 0: one per hardware thread, at least two
  CallLimits calls;
  std::optional<uint64_t> memory_limit;  // see MemoryOf; 0: no limit on what is not reserved
  size_t max_request_bytes = 64 << 20;
  size_t layer_cache_bytes = DefaultLayerCacheBytes(UsableMemory());
  std::optional<size_t> clip_cache_bytes;  // none: DefaultClipCacheBytes
  std::optional<size_t> expansion_bytes;   // see ReadUsdc; none: DefaultExpansionBytes
  size_t clip_cache_files = 16384;
  size_t max_stage_prims = StageEnvironment().max_prims;
  ServerLimits limits;
  LeaseOptions leases;
  StageCacheOptions stages{.max_bytes = DefaultStageCacheBytes(UsableMemory())};
  bool reflection = true;
};

// The memory that budgets without a number are shares of: the limit that `options` names, or else
// UsableMemory().
std::optional<uint64_t> MemoryOf(const ServerOptions& options);

// `options` with the caches' budgets, where they are the defaults, as shares of the limit they
// name.
ServerOptions WithinMemory(ServerOptions options);

// The paths of STAGEDOOR_SCHEMA_PATH, separated by ':'.
std::vector<std::string> SchemaPathsFromEnvironment();

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_SERVER_OPTIONS_H_
