#include "server/stages/stage_cache.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/interned_bytes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset.h"
#include "server/error_info.h"
#include "server/stages/charged_layer.h"
#include "server/stages/resolver_context_preparation.h"
#include "server/stages/snapshot_fingerprint.h"
#include "server/stages/used_assets.h"

namespace stagedoor::server {
namespace {

// A stage with missing assets counts as stale after this time.
constexpr std::chrono::seconds kMissingAssetTtl{2};

absl::StatusOr<std::shared_ptr<const Layer>> OpenRoot(RequestContext& context,
                                                      LayerRegistry& layers,
                                                      const ResolverContext& resolver_context,
                                                      const StageOptions& options,
                                                      const std::string& asset) {
  if (auto kept = FindKept(options.kept_layers, asset)) return kept;
  auto layer = layers.Open(context, resolver_context, asset, nullptr);
  if (!layer.ok()) return WithLayerReason(layer.status(), asset);
  return layer;
}

// Whether a stage with this key is `before` with edits of its session layer. Then files are not
// checked for changes.
bool OnlyEditsSession(const StageKey& stage_key, const StageSnapshot& before) {
  const StageOptions& a = stage_key.options;
  const StageOptions& b = before.stage().options();
  // With the same session layer, it is the files that may have changed.
  const bool edited =
      stage_key.edits.layer != nullptr && stage_key.edits.layer != before.session_layer();
  return edited && a.root == b.root && a.session == b.session && a.load.rules() == b.load.rules() &&
         a.mask.paths() == b.mask.paths() && a.variant_fallbacks == b.variant_fallbacks &&
         a.muted_layers == b.muted_layers && a.resolver_context == b.resolver_context;
}

// Whether a file of `before` was touched or written to while the part of its content that its
// version covers stayed the same. What is read through its old mapping may then be new content.
bool MayBeOverwritten(const Stage& before, const Stage& after) {
  std::unordered_map<std::string_view, const Layer::Info*> known;
  for (const auto& layer : before.UsedLayers()) {
    known.emplace(layer->info().resolved_path, &layer->info());
  }
  for (const auto& layer : after.UsedLayers()) {
    const Layer::Info& now = layer->info();
    const auto it = known.find(now.resolved_path);
    if (it == known.end() || now.resolved_path.empty()) continue;
    const Layer::Info& then = *it->second;
    if (now.version != then.version && now.content_version == then.content_version) return true;
  }
  return false;
}

// Stages that are fixed are kept apart from those that are reopened.
std::string TableKey(const std::string& cache_key, ChangePolicy policy) {
  return policy == ChangePolicy::kFixed ? Concat(cache_key, "|fixed") : cache_key;
}

StageEnvironment WithBudget(StageEnvironment environment, StageBudget& budget,
                            std::function<absl::Status(RequestContext&)> make_room) {
  environment.memory = budget.pool();
  environment.check_memory = std::move(make_room);
  return environment;
}

}  // namespace

StageCache::StageCache(const StageEnvironment& environment, StageCacheOptions options,
                       SourceWatch* sources)
    : budget_(*environment.layers, options.max_bytes),
      reaper_([this] { DropSome(); }),
      environment_(WithBudget(environment, budget_,
                              [this](RequestContext& context) { return MakeRoom(context); })),
      sources_(sources),
      options_(std::move(options)) {}

StageCache::~StageCache() { reaper_.Stop(); }

absl::StatusOr<StageCache::Layers> StageCache::OpenLayers(
    RequestContext& context, const StageKey& stage_key,
    const ResolverContext& resolver_context) const {
  Layers layers;
  LayerRegistry& registry = *environment_.layers;
  SD_ASSIGN_OR_RETURN(layers.root, OpenRoot(context, registry, resolver_context, stage_key.options,
                                            stage_key.options.root));
  if (stage_key.edits.layer != nullptr) {
    layers.session = stage_key.edits.layer;
  } else if (!stage_key.session_content.empty()) {
    Layer::Info info = SessionLayerInfo();
    const auto asset =
        InMemoryAsset::FromString(info.identifier, AssetVersion("1"), stage_key.session_content);
    const InternedBytes::ScopedHalfLimit names;
    auto opened = registry.formats().FindByName("usda")->open(context, asset, std::move(info));
    if (!opened.ok()) return WithLayerReason(opened.status(), "session layer");
    const size_t bytes = (*opened)->byte_size();
    layers.session = ChargeLayer(environment_.memory, *std::move(opened), bytes);
  } else if (!stage_key.options.session.empty()) {
    SD_ASSIGN_OR_RETURN(layers.session, OpenRoot(context, registry, resolver_context,
                                                 stage_key.options, stage_key.options.session));
  }
  return layers;
}

absl::StatusOr<StageCache::Composed> StageCache::MakeStage(
    RequestContext& context, const StageKey& stage_key, const StageSnapshot* before,
    const std::shared_ptr<PathScope>& paths) const {
  if (before != nullptr && OnlyEditsSession(stage_key, *before)) {
    const std::shared_ptr<const Layer>& session = stage_key.edits.layer;
    SD_ASSIGN_OR_RETURN(auto stage,
                        Stage::EditSession(context, before->shared_stage(), session, paths));
    return Composed{std::move(stage), session};
  }
  StageOptions options = stage_key.options;
  if (options.kept_layers == nullptr) {  // else pin files are kept as well
    SD_ASSIGN_OR_RETURN(
        options.resolver_context,
        PrepareResolverContext(context, *environment_.layers, options.resolver_context));
  }
  SD_ASSIGN_OR_RETURN(Layers layers, OpenLayers(context, stage_key, options.resolver_context));
  auto stage = before ? Stage::Recompose(context, before->shared_stage(), std::move(options),
                                         std::move(layers.root), layers.session, paths)
                      : Stage::Open(context, environment_, std::move(options),
                                    std::move(layers.root), layers.session, paths);
  if (!stage.ok()) return stage.status();
  return Composed{*std::move(stage), std::move(layers.session)};
}

absl::StatusOr<StageCache::Composed> StageCache::MakeStageInScope(
    RequestContext& context, const StageKey& stage_key, const StageSnapshot* before) const {
  const std::shared_ptr<PathScope> paths = before
                                               ? PathScope::CreateSuccessor(before->stage().paths())
                                               : PathScope::Create(environment_.memory);
  // Also for a session layer that is given as text.
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(paths.get()));
  return MakeStage(context, stage_key, before, paths);
}

absl::StatusOr<StageCache::Pointer> StageCache::Compose(RequestContext& context,
                                                        const StageKey& stage_key,
                                                        const std::string& cache_key,
                                                        const StageSnapshot* before) {
  SD_RETURN_IF_ERROR(MakeRoom(context));
  const size_t key_bytes = before == nullptr ? cache_key.size() : 0;  // kept if it is not an edit
  const SourceCheck check(sources_);
  // Without the former content of an overwritten file, we cannot tell what has changed.
  if (before != nullptr && !check.CheckLayers(before->stage()).ok()) before = nullptr;
  SD_ASSIGN_OR_RETURN(Composed made, MakeStageInScope(context, stage_key, before));
  // An edit does not look at the files.
  const bool compared = before != nullptr && !OnlyEditsSession(stage_key, *before);
  if (compared && MayBeOverwritten(before->stage(), *made.stage)) {
    made = {};  // frees its memory first
    SD_ASSIGN_OR_RETURN(made, MakeStageInScope(context, stage_key, nullptr));
  }
  std::string fingerprint = SnapshotFingerprint(cache_key, *made.stage);
  Pointer snapshot = reaper_.Share(std::make_unique<const StageSnapshot>(
      ++last_number_, std::move(fingerprint), std::move(made.stage), key_bytes,
      std::move(made.session)));
  SD_RETURN_IF_ERROR(check.CheckLayers(snapshot->stage()));
  SD_RETURN_IF_ERROR(MakeRoom(context));
  return snapshot;
}

absl::StatusOr<StageCache::Pointer> StageCache::OpenEdited(RequestContext& context,
                                                           const StageKey& stage_key,
                                                           const StageSnapshot& before) {
  return Compose(context, stage_key, stage_key.CacheKey(), &before);
}

absl::StatusOr<StageCache::Pointer> StageCache::Load(RequestContext& context,
                                                     const StageKey& stage_key,
                                                     const std::string& cache_key,
                                                     const StageSnapshot* before,
                                                     const StageSnapshot* replaced) {
  const Time started = options_.now();
  absl::StatusOr<Pointer> made = Compose(context, stage_key, cache_key, before);
  // Do not keep an incomplete stage that a cancelled loop has left.
  if (made.ok() && context.failed()) made = context.Check();
  MutexLock lock(mu_);
  ++stats_.loads;
  if (!made.ok()) {
    ++stats_.load_failures;
    return made;
  }
  const std::string key = TableKey(cache_key, stage_key.policy);
  const auto known = stages_.find(key);
  // The stage of an edited session is not shared, nor is what follows it.
  if (before == nullptr || (known != stages_.end() && known->second.snapshot.get() == replaced)) {
    stages_[key] = {*made, ++last_tick_, started};
  }
  return made;
}

absl::StatusOr<StageCache::Opened> StageCache::Open(RequestContext& context,
                                                    const StageKey& stage_key,
                                                    const std::string& cache_key) {
  const std::string key = TableKey(cache_key, stage_key.policy);
  if (Found known = Find(key, stage_key.policy); known.snapshot != nullptr) {
    // A file that a read has found changed is not trusted.
    bool current =
        known.trusted && SourceCheck(sources_).CheckKnownChanges(known.snapshot->stage()).ok();
    if (!current) {
      SD_ASSIGN_OR_RETURN(current, IsCurrent(context, key, known.snapshot));
    }
    if (current) return Opened{std::move(known.snapshot), false};
    Forget(key, known.snapshot);
  }
  {
    MutexLock lock(mu_);
    ++stats_.misses;
  }
  bool fresh = false;
  const auto load = [&]() -> absl::StatusOr<Pointer> {
    // Another flight may have finished between the look-up above and the start of this one.
    if (Found known = Find(key, stage_key.policy); known.snapshot != nullptr) return known.snapshot;
    fresh = true;
    return Load(context, stage_key, cache_key, nullptr, nullptr);
  };
  SD_ASSIGN_OR_RETURN(Pointer snapshot, flights_.Do(context, key, load));
  if (fresh) Trim();
  return Opened{std::move(snapshot), fresh};
}

absl::StatusOr<StageCache::Pointer> StageCache::Reopen(RequestContext& context,
                                                       const StageKey& stage_key,
                                                       const StageSnapshot& before) {
  const std::string cache_key = stage_key.CacheKey();
  const std::string key = TableKey(cache_key, stage_key.policy);
  const auto load = [&]() -> absl::StatusOr<Pointer> {
    // A call of Open, or of this for another session, may have reopened it.
    Found known = Find(key, stage_key.policy);
    if (known.snapshot != nullptr && known.snapshot.get() != &before) {
      SD_ASSIGN_OR_RETURN(const FileCheck check, CheckFiles(context, *known.snapshot));
      if (!check.stale) return std::move(known.snapshot);
    }
    return Load(context, stage_key, cache_key, &before, known.snapshot.get());
  };
  return flights_.Do(context, key, load);
}

StageCache::Found StageCache::Find(const std::string& key, ChangePolicy policy) {
  const Time now = options_.now();
  MutexLock lock(mu_);
  const auto it = stages_.find(key);
  if (it == stages_.end()) return {nullptr, false};
  ++stats_.hits;
  Entry& entry = it->second;
  entry.tick = ++last_tick_;
  const bool held = policy == ChangePolicy::kFixed && entry.snapshot->holders() > 0;
  return {entry.snapshot, held || now < entry.checked + options_.check_interval};
}

absl::StatusOr<bool> StageCache::IsCurrent(RequestContext& context, const std::string& key,
                                           const Pointer& snapshot) {
  return checks_.Do(context, key, [&]() -> absl::StatusOr<bool> {
    const Time started = options_.now();
    SD_ASSIGN_OR_RETURN(const FileCheck check, CheckFiles(context, *snapshot));
    if (check.stale) return false;
    MutexLock lock(mu_);
    const auto it = stages_.find(key);
    if (it != stages_.end() && it->second.snapshot == snapshot) it->second.checked = started;
    return true;
  });
}

void StageCache::Distrust(const StageSnapshot& snapshot) {
  MutexLock lock(mu_);
  for (auto& [key, entry] : stages_) {
    if (entry.snapshot.get() == &snapshot) entry.checked = Time();
  }
}

void StageCache::Forget(const std::string& key, const Pointer& stale) {
  {
    MutexLock lock(mu_);
    const auto it = stages_.find(key);
    if (it == stages_.end() || it->second.snapshot != stale) return;
    stages_.erase(it);  // `stale` still holds it
  }
  flights_.Forget(key);
}

StageCache::Pointer StageCache::TakeIdle(size_t most) {
  MutexLock lock(mu_);
  size_t idle = 0;
  auto oldest = stages_.end();
  for (auto it = stages_.begin(); it != stages_.end(); ++it) {
    if (it->second.snapshot.use_count() != 1) continue;
    ++idle;
    if (oldest == stages_.end() || it->second.tick < oldest->second.tick) oldest = it;
  }
  if (idle <= most) return nullptr;
  Pointer taken = std::move(oldest->second.snapshot);
  stages_.erase(oldest);
  ++stats_.evictions;
  return taken;
}

void StageCache::Trim() {
  if (!reaper_.busy()) DropSome();
}

void StageCache::DropIdle() {
  while (TakeIdle(0) != nullptr) {
  }
}

absl::Status StageCache::EvictIdle(RequestContext& context) {
  DropIdle();
  return reaper_.Wait(context);
}

void StageCache::DropSome() {
  while (TakeIdle(options_.max_idle_stages) != nullptr) {
  }
  while (budget_.over() && !reaper_.has_queued() && DropOne()) {
  }
}

bool StageCache::DropOne() {
  environment_.layers->Trim();  // layers that stages have released
  return budget_.over() && (TakeIdle(0) != nullptr || history_.DropOldest());
}

absl::Status StageCache::MakeRoom(RequestContext& context) {
  while (budget_.over()) {
    SD_RETURN_IF_ERROR(reaper_.Wait(context));
    if (!DropOne()) break;
  }
  return budget_.Check();
}

LruCacheStats StageCache::Stats() const {
  MutexLock lock(mu_);
  LruCacheStats stats = stats_;
  stats.bytes = budget_.used();
  stats.max_bytes = budget_.limit();
  stats.entries = stages_.size();
  stats.max_entries = options_.max_idle_stages;
  return stats;
}

std::vector<StageCache::Pointer> StageCache::Idle() const {
  MutexLock lock(mu_);
  std::vector<Pointer> idle;
  for (const auto& [key, entry] : stages_) {
    if (entry.snapshot.use_count() == 1) idle.push_back(entry.snapshot);
  }
  return idle;
}

absl::StatusOr<StageCache::FileCheck> StageCache::CheckFiles(RequestContext& context,
                                                             const StageSnapshot& snapshot) {
  std::vector<UsedAsset> assets = UsedAssets(snapshot.stage());
  SD_ASSIGN_OR_RETURN(const std::vector<bool> changed,
                      FindChangedAssets(context, environment_.layers->resolver(),
                                        snapshot.stage().options().resolver_context, assets));
  FileCheck check;
  for (size_t i = 0; i < assets.size(); ++i) {
    if (changed[i]) check.changed_layers.push_back(std::move(assets[i].identifier));
  }
  const bool expired = options_.now() - snapshot.opened() > kMissingAssetTtl;
  check.stale = !check.changed_layers.empty() || (expired && snapshot.has_missing_assets());
  if (check.stale) Distrust(snapshot);
  return check;
}

}  // namespace stagedoor::server
