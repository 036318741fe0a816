#include "server/server_options.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/listen/listen_address.h"
#include "server/machine/machine_memory.h"

namespace stagedoor::server {

std::optional<uint64_t> EffectiveMemoryLimit(const ServerOptions& options) {
  return options.memory_limit.value_or(0) != 0 ? options.memory_limit : UsableMemory();
}

ServerOptions FitToMemoryLimit(ServerOptions options) {
  const ServerOptions defaults;
  const std::optional<uint64_t> memory = EffectiveMemoryLimit(options);
  if (options.layer_cache_bytes == defaults.layer_cache_bytes) {
    options.layer_cache_bytes = DefaultLayerCacheBytes(memory);
  }
  if (options.stages.max_bytes == defaults.stages.max_bytes) {
    options.stages.max_bytes = DefaultStageCacheBytes(memory);
  }
  return options;
}

LocalEngineOptions EngineOptions(const ServerOptions& options) {
  const std::optional<uint64_t> memory = EffectiveMemoryLimit(options);
  LocalEngineOptions engine;
  engine.allowed_roots = options.allowed_roots;
  engine.search_paths = options.search_paths;
  engine.path_map = options.path_map;
  engine.files = options.files;
  engine.remote = options.remote;
  BlockCacheOptions& cache = engine.remote.cache;
  if (cache.directory.empty() && cache.max_bytes == BlockCacheOptions().max_bytes) {
    cache.max_bytes = DefaultLayerCacheBytes(memory);
  }
  engine.schema_paths = options.schema_paths;
  engine.layers.cache.max_bytes = options.layer_cache_bytes;
  engine.clips.max_bytes =
      options.clip_cache_bytes ? *options.clip_cache_bytes : DefaultClipCacheBytes(memory);
  engine.clips.max_layers = options.clip_cache_files;
  engine.expansion_bytes =
      options.expansion_bytes ? *options.expansion_bytes : DefaultExpansionBytes(memory);
  engine.max_stage_prims = options.max_stage_prims;
  return engine;
}

namespace {

bool IsLocal(const std::string& address) {
  const auto parsed = ListenAddress::Parse(address);
  return parsed.ok() && parsed->is_local();
}

// Frames over HTTP, and the tokens of those who ask for them, are not encrypted.
absl::Status CheckHttpFrames(const ServerOptions& options) {
  if (!options.http_frames) return absl::OkStatus();
  if (options.metrics_address.empty()) {
    return InvalidArgumentError(
        "--http-frames needs --metrics-address, where frames are served over HTTP");
  }
  if (options.insecure || IsLocal(options.metrics_address)) return absl::OkStatus();
  return InvalidArgumentError(
      "other machines can reach --metrics-address ", Quoted(options.metrics_address),
      ", and --http-frames serves without encryption: use an address of this machine, with a "
      "proxy in front of it that encrypts, or set --insecure");
}

}  // namespace

absl::Status CheckListening(const ServerOptions& options) {
  if (options.tls.certificate_file.empty() != options.tls.key_file.empty()) {
    return InvalidArgumentError("--tls-certificate and --tls-key must be given together");
  }
  if (!options.tls.client_ca_file.empty() && !options.tls.enabled()) {
    return InvalidArgumentError("--tls-client-ca needs --tls-certificate and --tls-key");
  }
  SD_RETURN_IF_ERROR(CheckHttpFrames(options));
  if (options.insecure) return absl::OkStatus();
  for (const std::string& text : options.addresses) {
    const auto address = ListenAddress::Parse(text);
    if (!address.ok() || address->is_local()) continue;
    const std::string why = Concat("other machines can reach --address ", Quoted(text), ": ");
    if (!options.tls.enabled()) {
      return InvalidArgumentError(
          why, "set --tls-certificate and --tls-key, or --insecure to serve without encryption");
    }
    if (options.access.roles.empty()) {
      return InvalidArgumentError(why,
                                  "say in the section 'access' of --config who may do what, "
                                  "or set --insecure to serve everybody");
    }
    if (options.allowed_roots.empty()) {
      return InvalidArgumentError(why,
                                  "name the directories that may be read with --allow-root, or set "
                                  "--insecure to serve all files");
    }
  }
  return absl::OkStatus();
}

bool TrustsAllCallers(const ServerOptions& options) {
  if (options.http_frames && !IsLocal(options.metrics_address)) return false;
  return options.access.roles.empty() &&
         std::all_of(options.addresses.begin(), options.addresses.end(), IsLocal);
}

bool OffersReflection(const ServerOptions& options) {
  return options.reflection.value_or(TrustsAllCallers(options));
}

std::vector<std::string> SchemaPathsFromEnvironment() {
  std::vector<std::string> paths;
  const char* value = std::getenv("STAGEDOOR_SCHEMA_PATH");
  std::string_view rest = value != nullptr ? value : "";
  while (!rest.empty()) {
    const std::string_view path = rest.substr(0, rest.find(':'));
    if (!path.empty()) paths.emplace_back(path);
    rest.remove_prefix(std::min(path.size() + 1, rest.size()));
  }
  return paths;
}

}  // namespace stagedoor::server
