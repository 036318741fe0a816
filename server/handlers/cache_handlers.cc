#include "server/handlers/cache_handlers.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/clips/clip_environment.h"
#include "scene/engine/remote_backends.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/handlers/cache_state.h"
#include "server/queries/closed_interval.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/path_set_store.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

// Sets the limits of a cache, as far as there are any.
void FillBudgets(size_t bytes, size_t entries, v1::CacheStatistics* out) {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  if (bytes != kNone) out->set_budget_bytes(bytes);
  if (entries != kNone) out->set_budget_entries(entries);
}

void FillLru(std::string_view name, const LruCacheStats& stats, v1::CacheStatistics* out) {
  out->set_name(CoerceToUtf8(name));
  out->set_entries(stats.entries);
  out->set_bytes(stats.bytes);
  FillBudgets(stats.max_bytes, stats.max_entries, out);
  out->set_hits(static_cast<uint64_t>(stats.hits));
  out->set_misses(static_cast<uint64_t>(stats.misses));
  out->set_evictions(static_cast<uint64_t>(stats.evictions));
  out->set_opens(static_cast<uint64_t>(stats.loads));
  out->set_failures(static_cast<uint64_t>(stats.load_failures));
  out->set_negative_hits(static_cast<uint64_t>(stats.negative_hits));
}

void FillClips(const ClipCacheStats& stats, v1::CacheStatistics* out) {
  out->set_name("clips");
  out->set_entries(stats.layers);
  out->set_bytes(stats.bytes);
  FillBudgets(stats.max_bytes, stats.max_layers, out);
  out->set_hits(stats.hits);
  out->set_misses(stats.misses);
  out->set_evictions(stats.evictions);
  out->set_opens(stats.opens);
  out->set_open_files(stats.layers);
  out->set_failures(stats.open_failures);
  out->set_negative_hits(stats.negative_hits);
  out->set_missing(stats.missing);
  out->set_pinned(stats.pinned_layers);
  out->set_prefetches(stats.prefetches);
}

// The parts of remote assets. Look-ups are counted in blocks.
void FillRemote(const BlockCacheStats& stats, v1::CacheStatistics* out) {
  out->set_name("remote");
  out->set_entries(stats.open_files);
  out->set_bytes(stats.bytes);
  out->set_budget_bytes(stats.max_bytes);
  out->set_hits(stats.found_blocks);
  out->set_misses(stats.fetched_blocks);
  out->set_evictions(stats.evictions);
  out->set_opens(stats.opens);
  out->set_failures(stats.damaged_blocks);
}

void FillClipLayer(const ClipLayerStats& stats, ReplyBudget& budget, v1::ClipLayerStatistics* out) {
  out->set_identifier(budget.Text(stats.identifier));
  out->set_bytes(stats.bytes);
  out->set_opens(stats.opens);
  out->set_hits(stats.hits);
  out->set_missing(stats.missing);
  out->set_failures(stats.open_failures);
  out->set_pinned(stats.pinned);
}

// The prim path of a path that may name an attribute.
std::string PrimPart(const std::string& path) { return path.substr(0, path.find('.')); }

}  // namespace

absl::Status GetCacheStatistics(const CacheState& state, RequestContext& context,
                                const v1::GetCacheStatisticsRequest& request,
                                v1::GetCacheStatisticsResponse* response) {
  FillLru("stages", state.stages.Stats(), response->add_caches());
  FillLru("layers", state.layers.Stats(), response->add_caches());
  if (state.remote.cache() != nullptr) {
    FillRemote(state.remote.cache()->Stats(), response->add_caches());
  }
  FillLru("path_sets", state.path_sets.Stats(), response->add_caches());
  FillLru("frames", state.frames.Stats(), response->add_caches());
  state.upstream.Fill(response);
  ClipEnvironment* clips = state.stages.environment().clips;
  if (clips == nullptr) return absl::OkStatus();
  FillClips(clips->cache().Stats(), response->add_caches());
  if (!request.with_layers()) return absl::OkStatus();
  ReplyBudget budget(context, state.limits.max_reply_bytes, "leave with_layers unset");
  for (const ClipLayerStats& layer : clips->cache().LayerStats()) {
    if (!budget.ok()) return budget.status();
    FillClipLayer(layer, budget, budget.Add(response->mutable_clip_layers()));
  }
  return budget.status();
}

absl::Status PrefetchClips(const QueryState& state, RequestContext& context,
                           const v1::PrefetchClipsRequest& request,
                           v1::PrefetchClipsResponse* response) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.paths_size()), state.limits.max_paths, "paths"));
  SD_ASSIGN_OR_RETURN(const ClosedInterval interval, ParseClosedInterval(request.interval()));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  if (interval.empty()) return absl::OkStatus();
  // The descendants of the prim that has the clip metadata share its clip sets.
  std::set<const ClipSource*> done;
  PrefetchTally tally;
  for (const std::string& path : request.paths()) {
    SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(leased.stage(), PrimPart(path)));
    if (prim.clips() == nullptr) continue;
    for (const auto& source : *prim.clips()) {
      if (!done.insert(source.get()).second) continue;
      source->Prefetch(context, interval.first, interval.last, &tally);
      SD_RETURN_IF_ERROR(context.Check());
    }
  }
  response->set_clips(tally.opened);
  response->set_skipped(tally.skipped);
  return absl::OkStatus();
}

}  // namespace stagedoor::server
