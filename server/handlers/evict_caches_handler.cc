#include "server/handlers/evict_caches_handler.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/freed_memory.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/clips/clip_environment.h"
#include "scene/engine/remote_backends.h"
#include "server/error_info.h"
#include "server/handlers/audit.h"
#include "server/handlers/resident_bytes.h"
#include "server/stages/path_set_store.h"

namespace stagedoor::server {
namespace {

struct CacheSize {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

// A cache that can be evicted.
struct Evictable {
  v1::CacheKind kind;
  std::string_view name;
  std::function<CacheSize()> size;
  std::function<absl::Status(RequestContext&)> evict;
};

CacheSize SizeOf(const LruCacheStats& stats) { return {stats.entries, stats.bytes}; }

// The caches that the daemon has, first those that hold entries of others.
std::vector<Evictable> AllCaches(ServerState& state) {
  std::vector<Evictable> caches = {
      {v1::CACHE_KIND_STAGES, "stages", [&state] { return SizeOf(state.stages.Stats()); },
       [&state](RequestContext& context) { return state.stages.EvictIdle(context); }}};
  if (ClipEnvironment* clips = state.stages.environment().clips; clips != nullptr) {
    caches.push_back({v1::CACHE_KIND_CLIPS, "clips",
                      [clips] {
                        const ClipCacheStats stats = clips->cache().Stats();
                        return CacheSize{stats.layers, stats.bytes};
                      },
                      [clips](RequestContext&) {
                        clips->cache().Clear();
                        return absl::OkStatus();
                      }});
  }
  caches.push_back({v1::CACHE_KIND_LAYERS, "layers",
                    [&state] { return SizeOf(state.layers.Stats()); },
                    [&state](RequestContext&) {
                      state.layers.DropUnused();
                      return absl::OkStatus();
                    }});
  if (state.remote != nullptr && state.remote->cache() != nullptr) {
    const RemoteBackends& remote = *state.remote;
    caches.push_back({v1::CACHE_KIND_REMOTE, "remote",
                      [&remote] {
                        const BlockCacheStats stats = remote.cache()->Stats();
                        return CacheSize{stats.open_files, stats.bytes};
                      },
                      [&remote](RequestContext&) {
                        remote.CloseUnused();
                        return absl::OkStatus();
                      }});
  }
  caches.push_back({v1::CACHE_KIND_PATH_SETS, "path_sets",
                    [&state] { return SizeOf(state.path_sets.Stats()); },
                    [&state](RequestContext&) {
                      state.path_sets.Evict();
                      return absl::OkStatus();
                    }});
  return caches;
}

uint64_t Freed(uint64_t before, uint64_t after) { return before > after ? before - after : 0; }

absl::Status Evict(const Evictable& cache, RequestContext& context, v1::EvictedCache* out) {
  SD_RETURN_IF_ERROR(context.Check());
  const CacheSize before = cache.size();
  SD_RETURN_IF_ERROR(cache.evict(context));
  const CacheSize after = cache.size();
  out->set_name(std::string(cache.name));
  out->set_entries(Freed(before.entries, after.entries));
  out->set_bytes(Freed(before.bytes, after.bytes));
  return absl::OkStatus();
}

}  // namespace

absl::Status EvictCaches(ServerState& state, RequestContext& context,
                         const v1::EvictCachesRequest& request, v1::EvictCachesResponse* response) {
  std::set<int> wanted(request.caches().begin(), request.caches().end());
  if (wanted.empty() || wanted.contains(v1::CACHE_KIND_UNSPECIFIED)) {
    return InvalidFieldError("caches", "", "must name the caches to evict");
  }
  std::vector<std::string> evicted;
  absl::Status status;
  for (const Evictable& cache : AllCaches(state)) {
    if (!status.ok() || !wanted.contains(cache.kind)) continue;
    evicted.emplace_back(cache.name);
    status = Evict(cache, context, response->add_caches());
  }
  AuditAction(state, "EvictCaches", Concat("evict ", Join(evicted, ", ")), status);
  SD_RETURN_IF_ERROR(status);
  ReturnFreedMemory();
  response->set_resident_bytes(ResidentBytes());
  return absl::OkStatus();
}

}  // namespace stagedoor::server
