#include "scene/clips/clip_cache.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/heap_costs.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "resolver/fail_if_outage.h"

namespace stagedoor {
namespace {

// How often a layer is opened again because a refresh began in the meantime. Bounded, so that
// continuous refreshes cannot keep readers from the layer.
constexpr int kMaxReopens = 3;

// Compares uses modulo 2^32, because the clock wraps around.
bool Later(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

}  // namespace

ClipCache::Garbage::~Garbage() {
  // In a loop: destroying the list through its links would recurse once for each view.
  while (views != nullptr) views = std::move(views->next_);
  for (Entry* entry : entries) delete entry;
}

void ClipCache::Garbage::Add(std::unique_ptr<ClipSlot::View> view) {
  if (view == nullptr) return;
  view->next_ = std::move(views);
  views = std::move(view);
}

ClipCache::ClipCache(LayerRegistry& registry, ClipCacheOptions options)
    : registry_(registry), options_(std::move(options)) {}

ClipCache::~ClipCache() {
  for (Entry* entry : order_) delete entry;
}

ClipCache::Site ClipCache::Locate(RequestContext& context, const ResolverContext& resolver_context,
                                  const std::string& identifier) const {
  Site site{resolver_context, identifier, identifier};
  if (resolver_context.empty()) return site;
  const auto resolved = registry_.resolver().Resolve(context, resolver_context, identifier);
  if (!resolved.ok()) {
    site.key = Concat(identifier, '\0', resolver_context.fingerprint());
  } else if (const auto sent = resolver_context.FindLayer(*resolved)) {
    site.key = Concat(identifier, '\0', *resolved, '\0', sent->version().token());
  } else if (*resolved != identifier) {
    site.key = Concat(identifier, '\0', *resolved);
  }
  return site;
}

absl::Status ClipCache::Fill(RequestContext& context, const ResolverContext& resolver_context,
                             const std::string& identifier, ClipSlot& slot,
                             const MakeView& make_view, bool prefetch) {
  const Site site = Locate(context, resolver_context, identifier);
  {
    Garbage garbage;
    MutexLock lock(mu_);
    // Another thread may have filled the slot since the caller found it empty; or the slot still
    // has a stale layer, which makes way for the current one here.
    EmptyIfStale(slot, &garbage);
    if (slot.filled() && Attach(site.key, slot, make_view, !prefetch)) return absl::OkStatus();
  }
  DropIfChanged(context, site);
  bool counted = prefetch;
  for (;;) {
    {
      MutexLock lock(mu_);
      if (Attach(site.key, slot, make_view, !counted)) return absl::OkStatus();
      if (const absl::Status* failure = failures_.Find(site.key, options_.now())) {
        ++counts_.negative_hits;
        return *failure;
      }
      if (!counted) ++counts_.misses;
      counted = true;
    }
    // Holding the layer keeps it from being evicted before the slot refers to it.
    SD_ASSIGN_OR_RETURN(
        const std::shared_ptr<const Layer> layer,
        flights_.Do(context, site.key, [&] { return Open(context, site, prefetch); }));
    MutexLock lock(mu_);
    if (Attach(site.key, slot, make_view, false)) return absl::OkStatus();
    // The layer became outdated in the meantime: try again.
  }
}

void ClipCache::DropIfChanged(RequestContext& context, const Site& site) {
  std::shared_ptr<const Layer> layer;
  {
    MutexLock lock(mu_);
    const auto it = entries_.find(site.key);
    if (it == entries_.end()) return;
    layer = it->second->layer;
  }
  // Only when a slot first meets an open layer: reads through filled slots never ask the resolver.
  if (IsCurrent(context, site.resolver_context, *layer)) return;
  // A load that began before the change may still deliver the old content.
  flights_.Forget(site.key);
  Garbage garbage;
  MutexLock lock(mu_);
  const auto it = entries_.find(site.key);
  if (it == entries_.end() || it->second->layer != layer) return;
  layer.reset();  // or Detach would take this reference for a reader
  Outdate(site.key, &garbage);
}

bool ClipCache::IsCurrent(RequestContext& context, const ResolverContext& resolver_context,
                          const Layer& layer) const {
  const auto version =
      registry_.resolver().GetVersion(context, resolver_context, layer.info().resolved_path);
  // A layer whose version cannot be asked for at the moment counts as unchanged.
  if (IsWithoutAnswer(version.status()) || context.failed()) return true;
  return version.ok() && version->token() == layer.info().version;
}

absl::StatusOr<std::shared_ptr<const Layer>> ClipCache::Open(RequestContext& context,
                                                             const Site& site, bool prefetch) {
  uint64_t epoch;
  {
    MutexLock lock(mu_);
    // Another flight may have finished since the caller looked.
    const auto it = entries_.find(site.key);
    if (it != entries_.end()) return it->second->layer;
    epoch = refreshes_;
  }
  for (int attempt = 0;; ++attempt) {
    absl::StatusOr<LayerRegistry::Opened> opened =
        registry_.OpenUncached(context, site.resolver_context, site.identifier);
    Garbage garbage;
    MutexLock lock(mu_);
    // A refresh that came in between could not see this layer or clear this failure, so either may
    // be older than the refresh.
    const bool outdated = std::exchange(epoch, refreshes_) != refreshes_;
    if (opened.ok()) {
      ++RecordOf(site.key).opens;
      ++counts_.opens;
      counts_.prefetches += prefetch;
    }
    if (outdated && attempt < kMaxReopens) continue;
    if (!opened.ok()) {
      Remember(site.key, opened.status());
      return opened.status();
    }
    std::shared_ptr<const Layer> layer = opened->layer;
    Insert(site, *std::move(opened));
    Evict(&garbage);
    return layer;
  }
}

void ClipCache::Insert(const Site& site, LayerRegistry::Opened opened) {
  auto entry = std::make_unique<Entry>();
  entry->key = site.key;
  entry->resolver_context = site.resolver_context;
  entry->record = &RecordOf(site.key);
  // A text layer does not keep its asset's bytes; layers of other formats read from them as long as
  // they live.
  entry->bytes = sizeof(Entry) + opened.layer->byte_size() +
                 (opened.layer->info().format == "usda" ? 0 : opened.asset_bytes);
  entry->layer = std::move(opened.layer);
  std::list<Entry*> place = {entry.get()};
  entries_[site.key] = entry.get();
  // Nothing below allocates, so an entry is registered completely or not at all.
  entry->place = place.begin();
  order_.splice(order_.end(), place);
  AddEntry(*entry->record, site.key);
  SetMissing(*entry->record, false);
  bytes_ += entry->bytes;
  entry->used = clock_.fetch_add(1, std::memory_order_relaxed) + 1;
  (void)entry.release();
}

void ClipCache::Remember(const std::string& key, const absl::Status& failure) {
  ++counts_.open_failures;
  Record& record = RecordOf(key);
  ++record.open_failures;
  // Others are due to the request or a shortage; remembering them would fail later readers.
  if (!IsPermanentError(failure) || IsReplaced(failure)) return;
  SetMissing(record, true);
  failures_.Remember(key, failure, options_.now() + options_.negative_ttl,
                     {.entries = options_.max_known, .bytes = options_.max_known_bytes});
}

ClipCache::Record& ClipCache::RecordOf(const std::string& key) {
  const auto it = records_.find(key);
  if (it != records_.end()) return it->second;
  const size_t bytes = RecordBytes(key);
  // Records of open layers do not count here: the limits of the cache bound their number.
  if (records_.size() >= options_.max_known + entries_.size() ||
      idle_record_bytes_ + bytes > options_.max_known_bytes) {
    ForgetRecords();
  }
  Record& record = records_[key];
  idle_record_bytes_ += bytes;
  return record;
}

size_t ClipCache::RecordBytes(const std::string& key) {
  return kNodeBytes + sizeof(decltype(records_)::value_type) + key.size();
}

void ClipCache::ForgetRecords() {
  // All idle records at once, which needs no order among them.
  for (auto it = records_.begin(); it != records_.end();) {
    const Record& record = it->second;
    if (record.entries == 0 && record.missing) --counts_.missing;
    it = record.entries == 0 ? records_.erase(it) : std::next(it);
  }
  idle_record_bytes_ = 0;
}

void ClipCache::AddEntry(Record& record, const std::string& key) {
  if (record.entries++ == 0) idle_record_bytes_ -= RecordBytes(key);
}

void ClipCache::RemoveEntry(Record& record, const std::string& key) {
  if (--record.entries == 0) idle_record_bytes_ += RecordBytes(key);
}

void ClipCache::SetMissing(Record& record, bool missing) {
  counts_.missing += missing;
  counts_.missing -= record.missing;
  record.missing = missing;
}

bool ClipCache::Attach(const std::string& key, ClipSlot& slot, const MakeView& make_view,
                       bool hit) {
  if (!slot.filled()) {
    const auto it = entries_.find(key);
    if (it == entries_.end()) return false;
    std::unique_ptr<ClipSlot::View> view = make_view(it->second->layer);
    it->second->slots.push_back(&slot);
    // The view goes last: from then on TryPin, which takes no lock, finds the slot filled.
    slot.entry_ = it->second;
    slot.Put(std::move(view));
  }
  // Under the lock, so that the layer is not evicted before the slot is pinned.
  slot.state_.fetch_add(ClipSlot::kOnePin, std::memory_order_acquire);
  slot.used_.store(clock(), std::memory_order_relaxed);
  if (hit) {
    ++static_cast<Entry*>(slot.entry_)->record->hits;
    ++counts_.hits;
  }
  return true;
}

void ClipCache::Release(std::span<ClipSlot> slots) {
  Garbage garbage;
  MutexLock lock(mu_);
  for (ClipSlot& slot : slots) {
    Entry* entry = static_cast<Entry*>(slot.entry_);
    if (!entry) continue;
    // The layer may stay for other slots, so what this one knows of its use is kept.
    if (Later(slot.used(), entry->used)) {
      entry->used = slot.used();
      if (!entry->stale) order_.splice(order_.end(), order_, entry->place);
    }
    std::erase(entry->slots, &slot);
    Empty(slot, &garbage);
    // No look-up finds a stale entry, so it goes with its last slot.
    if (entry->stale && entry->slots.empty()) Remove(*entry, &garbage);
  }
}

void ClipCache::Empty(ClipSlot& slot, Garbage* garbage) {
  const uint64_t reads = static_cast<uint64_t>(slot.TakeReads());
  static_cast<Entry*>(slot.entry_)->record->hits += reads;
  counts_.hits += reads;
  slot.entry_ = nullptr;
  garbage->Add(slot.Take());
}

void ClipCache::EmptyIfStale(ClipSlot& slot, Garbage* garbage) {
  Entry* const entry = static_cast<Entry*>(slot.entry_);
  if (entry == nullptr || !entry->stale || slot.pinned()) return;
  std::erase(entry->slots, &slot);
  Empty(slot, garbage);
  slot.Reopen();
  if (entry->slots.empty()) Remove(*entry, garbage);
}

uint32_t ClipCache::LastUse(const Entry& entry) {
  uint32_t last = entry.used;
  for (const ClipSlot* slot : entry.slots) {
    if (Later(slot->used(), last)) last = slot->used();
  }
  return last;
}

bool ClipCache::IsPinned(const Entry& entry) {
  return std::any_of(entry.slots.begin(), entry.slots.end(),
                     [](const ClipSlot* slot) { return slot->pinned(); });
}

void ClipCache::Evict(Garbage* garbage) {
  // Reads do not reorder the list, since they take no lock. An entry that was used since it was
  // appended moves to the end now instead. After two rounds each entry was seen with its uses
  // accounted for, so what is left is pinned.
  size_t steps = 2 * order_.size();
  while (OverLimit() && steps-- > 0) {
    Entry& entry = *order_.front();
    const uint32_t last = LastUse(entry);
    const bool used = Later(last, entry.used);
    entry.used = last;
    if (used || !Drop(entry, garbage)) {
      order_.splice(order_.end(), order_, entry.place);
    } else {
      ++counts_.evictions;
    }
  }
}

bool ClipCache::Drop(Entry& entry, Garbage* garbage) {
  if (!Detach(entry, garbage)) return false;
  Remove(entry, garbage);
  return true;
}

void ClipCache::Remove(Entry& entry, Garbage* garbage) {
  bytes_ -= entry.bytes;
  // Destroyed after the lock is released: closing a layer may unmap a large file.
  garbage->entries.splice(garbage->entries.end(), order_, entry.place);
  if (!entry.stale) entries_.erase(entry.key);
  RemoveEntry(*entry.record, entry.key);
}

bool ClipCache::Detach(Entry& entry, Garbage* garbage) {
  // A caller that holds a reference to the layer keeps it open, as a pin would. One reference is
  // the entry's own, and one that of each slot's view.
  if (entry.layer.use_count() > static_cast<long>(1 + entry.slots.size())) return false;
  const auto close = [&](ClipSlot* slot) {
    return entry.stale ? !slot->pinned() : slot->TryClose();
  };
  size_t closed = 0;
  while (closed < entry.slots.size() && close(entry.slots[closed])) ++closed;
  // A slot that is pinned ends the attempt. Those closed before it reopen, except in a stale
  // entry, which must stay closed to new pins.
  const bool all = closed == entry.slots.size();
  for (size_t i = 0; i < closed; ++i) {
    ClipSlot& slot = *entry.slots[i];
    if (all) Empty(slot, garbage);
    if (all || !entry.stale) slot.Reopen();
  }
  if (all) entry.slots.clear();
  return all;
}

void ClipCache::Outdate(const std::string& key, Garbage* garbage) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  Entry& entry = *it->second;
  if (Drop(entry, garbage)) return;
  // Pinned: readers with other slots open the new content at once, readers with its own slots as
  // soon as the old content is no longer pinned. To the front, to be evicted first.
  entry.stale = true;
  for (ClipSlot* slot : entry.slots) slot->Close();
  entries_.erase(it);
  order_.splice(order_.begin(), order_, entry.place);
}

std::vector<std::string> ClipCache::Refresh(RequestContext& context,
                                            const std::unordered_set<std::string>* only) {
  struct Known {
    std::string key;
    ResolverContext resolver_context;
    std::shared_ptr<const Layer> layer;
  };
  std::vector<Known> layers;
  {
    MutexLock lock(mu_);
    failures_.Clear();
    ++refreshes_;
    for (const auto& [key, entry] : entries_) {
      const std::string& path = entry->layer->info().resolved_path;
      if (only != nullptr && !only->contains(SplitPackageRelativePathOuter(path).first)) continue;
      layers.push_back({key, entry->resolver_context, entry->layer});
    }
  }
  std::vector<std::string> changed, keys;
  // Without the lock, because a resolver may have to ask a server. Each reference is dropped at
  // once, since it keeps its layer from being evicted.
  for (Known& known : layers) {
    if (!IsCurrent(context, known.resolver_context, *known.layer)) {
      changed.push_back(known.layer->identifier());
      keys.push_back(std::move(known.key));
    }
    known.layer.reset();
  }
  Garbage garbage;
  MutexLock lock(mu_);
  for (const std::string& key : keys) {
    flights_.Forget(key);
    Outdate(key, &garbage);
  }
  return changed;
}

void ClipCache::Trim() {
  Garbage garbage;
  MutexLock lock(mu_);
  Evict(&garbage);
}

void ClipCache::Clear() {
  Garbage garbage;
  MutexLock lock(mu_);
  failures_.Clear();
  for (auto it = order_.begin(); it != order_.end();) {
    Entry& entry = **it++;
    counts_.evictions += Drop(entry, &garbage);
  }
}

uint64_t ClipCache::BytesOf(const ClipSlot& slot) const {
  MutexLock lock(mu_);
  return slot.entry_ == nullptr ? 0 : static_cast<const Entry*>(slot.entry_)->bytes;
}

bool ClipCache::HasRoomAfter(const PrefetchTally& tally) const {
  // The size of a clip is unknown before it is opened; the average is the best estimate.
  const uint64_t next = tally.opened == 0 ? 0 : tally.bytes / tally.opened;
  return tally.opened < options_.max_layers && tally.bytes + next <= options_.max_bytes;
}

ClipCacheStats ClipCache::Stats() const {
  MutexLock lock(mu_);
  ClipCacheStats stats = counts_;
  stats.bytes = bytes_;
  stats.layers = order_.size();
  stats.max_bytes = options_.max_bytes;
  stats.max_layers = options_.max_layers;
  // Slots count their reads without the lock, and hand the number over when they are emptied.
  for (const Entry* entry : order_) {
    for (const ClipSlot* slot : entry->slots) stats.hits += static_cast<uint64_t>(slot->reads());
    stats.pinned_layers += IsPinned(*entry);
  }
  return stats;
}

std::vector<ClipCache::OpenAsset> ClipCache::OpenAssets() const {
  std::vector<OpenAsset> assets;
  MutexLock lock(mu_);
  assets.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) {
    const Layer::Info& info = entry->layer->info();
    assets.push_back({info.resolved_path, info.version});
  }
  return assets;
}

std::vector<ClipLayerStats> ClipCache::LayerStats() const {
  std::map<std::string_view, ClipLayerStats> layers;
  MutexLock lock(mu_);
  // Layers that one identifier names in different contexts are counted together.
  const auto identifier_of = [](std::string_view key) { return key.substr(0, key.find('\0')); };
  for (const auto& [key, record] : records_) {
    ClipLayerStats& stats = layers[identifier_of(key)];
    stats.identifier = identifier_of(key);
    stats.opens += record.opens;
    stats.open_failures += record.open_failures;
    stats.hits += record.hits;
    stats.missing |= record.missing;
  }
  for (const Entry* entry : order_) {
    ClipLayerStats& stats = layers[identifier_of(entry->key)];
    stats.bytes += entry->bytes;
    stats.pinned |= IsPinned(*entry);
    for (const ClipSlot* slot : entry->slots) stats.hits += static_cast<uint64_t>(slot->reads());
  }
  std::vector<ClipLayerStats> result;
  result.reserve(layers.size());
  for (auto& [identifier, stats] : layers) result.push_back(std::move(stats));
  return result;
}

}  // namespace stagedoor
