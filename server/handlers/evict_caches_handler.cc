#include "server/handlers/evict_caches_handler.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/freed_memory.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"
#include "server/handlers/admin_state.h"
#include "server/handlers/cache_state.h"
#include "server/machine/resident_bytes.h"
#include "server/memory/memory_holders.h"
#include "server/sessions/audit.h"

namespace stagedoor::server {
namespace {

// The name of a cache in MemoryHolders; empty for kinds that this daemon does not know.
std::string_view NameOf(int kind) {
  switch (kind) {
    case v1::CACHE_KIND_STAGES:
      return "stages";
    case v1::CACHE_KIND_CLIPS:
      return "clips";
    case v1::CACHE_KIND_LAYERS:
      return "layers";
    case v1::CACHE_KIND_REMOTE:
      return "remote";
    case v1::CACHE_KIND_PATH_SETS:
      return "path_sets";
    case v1::CACHE_KIND_FRAMES:
      return "frames";
    case v1::CACHE_KIND_REPLIES:
      return "replies";
    default:
      return "";
  }
}

// Those that hold entries of others come first.
std::vector<MemoryHolder> AllCaches(const CacheState& state) {
  const MemoryHolders scenes(state.stages, state.path_sets, state.frames, &state.remote);
  std::vector<MemoryHolder> caches = scenes.all();
  for (MemoryHolder& replies : state.upstream.holders()) caches.push_back(std::move(replies));
  return caches;
}

uint64_t Freed(uint64_t before, uint64_t after) { return before > after ? before - after : 0; }

absl::Status Evict(const MemoryHolder& cache, RequestContext& context, v1::EvictedCache* out) {
  SD_RETURN_IF_ERROR(context.Check());
  const MemoryHolder::Size before = cache.size();
  SD_RETURN_IF_ERROR(cache.Release(context));
  const MemoryHolder::Size after = cache.size();
  out->set_name(std::string(cache.name));
  out->set_entries(Freed(before.entries, after.entries));
  out->set_bytes(Freed(before.bytes, after.bytes));
  return absl::OkStatus();
}

}  // namespace

absl::Status EvictCaches(const AdminState& state, RequestContext& context,
                         const v1::EvictCachesRequest& request, v1::EvictCachesResponse* response) {
  std::set<std::string_view> wanted;
  bool unspecified = request.caches().empty();
  for (const int kind : request.caches()) {
    unspecified = unspecified || kind == v1::CACHE_KIND_UNSPECIFIED;
    wanted.insert(NameOf(kind));
  }
  if (unspecified) return InvalidFieldError("caches", "", "must name the caches to evict");
  std::vector<std::string> evicted;
  absl::Status status;
  for (const MemoryHolder& cache : AllCaches(state.caches)) {
    if (!status.ok() || !wanted.contains(cache.name)) continue;
    evicted.emplace_back(cache.name);
    status = Evict(cache, context, response->add_caches());
  }
  AuditAction(state.audit, "EvictCaches", Concat("evict ", Join(evicted, ", ")), status);
  SD_RETURN_IF_ERROR(status);
  ReturnFreedMemory();
  response->set_resident_bytes(ResidentBytes());
  return absl::OkStatus();
}

}  // namespace stagedoor::server
