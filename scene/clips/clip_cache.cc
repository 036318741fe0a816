#include "scene/clips/clip_cache.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace stagedoor {
namespace {

// Failures that will be the same when asked again soon.
bool AboutTheAsset(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

// Clock values wrap around.
bool Later(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

}  // namespace

ClipCache::ClipCache(LayerRegistry& registry, ClipCacheOptions options)
    : registry_(registry), options_(std::move(options)) {}

ClipCache::~ClipCache() {
  for (Entry* entry : order_) delete entry;
}

absl::Status ClipCache::Fill(RequestContext& context, const std::string& identifier, ClipSlot& slot,
                             const MakeView& make_view, bool prefetch) {
  {
    MutexLock lock(mu_);
    if (slot.filled() && Attach(identifier, slot, make_view)) return absl::OkStatus();
  }
  DropIfChanged(context, identifier);
  bool counted = false;
  for (;;) {
    {
      MutexLock lock(mu_);
      if (Attach(identifier, slot, make_view)) {
        counts_.hits += !counted && !prefetch;
        return absl::OkStatus();
      }
      const auto failure = failures_.find(identifier);
      if (failure != failures_.end()) {
        if (options_.now() < failure->second.expiry) {
          ++counts_.negative_hits;
          return failure->second.status;
        }
        failures_.erase(failure);
      }
      if (!counted) ++(prefetch ? counts_.prefetches : counts_.misses);
      counted = true;
    }
    // The pointer keeps the layer from being evicted before the slot has it.
    SD_ASSIGN_OR_RETURN(
        const std::shared_ptr<const Layer> layer,
        flights_.Do(context, identifier, [&] { return Open(context, identifier); }));
    MutexLock lock(mu_);
    if (Attach(identifier, slot, make_view)) return absl::OkStatus();
    // Outdated meanwhile: once more.
  }
}

void ClipCache::DropIfChanged(RequestContext& context, const std::string& identifier) {
  std::shared_ptr<const Layer> layer;
  {
    MutexLock lock(mu_);
    const auto it = entries_.find(identifier);
    if (it == entries_.end()) return;
    layer = it->second->layer;
  }
  if (IsCurrent(context, *layer)) return;
  flights_.Forget(identifier);
  Garbage garbage;
  MutexLock lock(mu_);
  const auto it = entries_.find(identifier);
  if (it == entries_.end() || it->second->layer != layer) return;
  layer.reset();
  Outdate(identifier, &garbage);
}

bool ClipCache::IsCurrent(RequestContext& context, const Layer& layer) const {
  const auto version = registry_.resolver().GetVersion(context, layer.info().resolved_path);
  return version.ok() && version->token() == layer.info().version;
}

absl::StatusOr<std::shared_ptr<const Layer>> ClipCache::Open(RequestContext& context,
                                                             const std::string& identifier) {
  {
    MutexLock lock(mu_);
    // Another flight may have landed since the caller looked.
    const auto it = entries_.find(identifier);
    if (it != entries_.end()) return it->second->layer;
  }
  context.Add(Counter::kClipOpens);
  absl::StatusOr<LayerRegistry::Opened> opened = registry_.OpenUncached(context, identifier);
  Garbage garbage;
  MutexLock lock(mu_);
  if (!opened.ok()) {
    ++counts_.open_failures;
    if (AboutTheAsset(opened.status())) Remember(identifier, opened.status());
    return opened.status();
  }
  ++counts_.opens;
  auto entry = std::make_unique<Entry>();
  entry->identifier = identifier;
  entry->layer = opened->layer;
  // Text is parsed and let go of; other formats read from their bytes all along.
  entry->bytes = sizeof(Entry) + opened->layer->byte_size() +
                 (opened->layer->info().format == "usda" ? 0 : opened->asset_bytes);
  Insert(std::move(entry));
  Evict(&garbage);
  return opened->layer;
}

void ClipCache::Insert(std::unique_ptr<Entry> entry) {
  bytes_ += entry->bytes;
  entry->used = clock_.fetch_add(1, std::memory_order_relaxed) + 1;
  entry->place = order_.insert(order_.end(), entry.get());
  entries_[entry->identifier] = entry.get();
  entry.release();
}

void ClipCache::Remember(const std::string& identifier, const absl::Status& status) {
  if (failures_.size() >= options_.max_failures) failures_.clear();
  failures_[identifier] = {status, options_.now() + options_.negative_ttl};
}

bool ClipCache::Attach(const std::string& identifier, ClipSlot& slot, const MakeView& make_view) {
  if (!slot.filled()) {
    const auto it = entries_.find(identifier);
    if (it == entries_.end()) return false;
    slot.Put(make_view(it->second->layer));
    slot.entry_ = it->second;
    it->second->slots.push_back(&slot);
  }
  Entry* const slot_entry = static_cast<Entry*>(slot.entry_);
  slot.state_.fetch_add(ClipSlot::kOnePin, std::memory_order_acquire);
  ++slot_entry->reads;
  slot.used_.store(clock(), std::memory_order_relaxed);
  return true;
}

void ClipCache::Release(std::span<ClipSlot> slots) {
  Garbage garbage;
  MutexLock lock(mu_);
  for (ClipSlot& slot : slots) {
    Entry* entry = static_cast<Entry*>(slot.entry_);
    if (!entry) continue;
    entry->reads += slot.reads();
    counts_.hits += slot.reads();
    entry->used = Later(slot.used(), entry->used) ? slot.used() : entry->used;
    auto it = std::find(entry->slots.begin(), entry->slots.end(), &slot);
    *it = entry->slots.back();
    entry->slots.pop_back();
    slot.entry_ = nullptr;
    garbage.views.push_back(slot.Take());
  }
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
  // Reads don't reorder the list; what was used since it was put there goes to its end now.
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
  bytes_ -= entry.bytes;
  order_.erase(entry.place);
  if (!entry.stale) entries_.erase(entry.identifier);
  garbage->entries.emplace_back(&entry);
  return true;
}

bool ClipCache::Detach(Entry& entry, Garbage* garbage) {
  // Whoever holds the layer itself keeps it, as a pin would: only the views' holds are ours.
  if (entry.layer.use_count() > static_cast<long>(1 + entry.slots.size())) return false;
  size_t closed = 0;
  while (closed < entry.slots.size() && entry.slots[closed]->TryClose()) ++closed;
  const bool all = closed == entry.slots.size();
  for (size_t i = 0; i < closed; ++i) {
    ClipSlot& slot = *entry.slots[i];
    if (all) {
      entry.reads += slot.reads();
      counts_.hits += slot.reads();
      slot.state_.fetch_sub(slot.reads() << 32, std::memory_order_relaxed);
      garbage->views.push_back(slot.Take());
      slot.entry_ = nullptr;
    }
    slot.Reopen();
  }
  if (all) entry.slots.clear();
  return all;
}

void ClipCache::Outdate(const std::string& identifier, Garbage* garbage) {
  const auto it = entries_.find(identifier);
  if (it == entries_.end()) return;
  Entry& entry = *it->second;
  if (Drop(entry, garbage)) return;
  // Pinned: new readers open the new content; slots keep the old one until it is evicted.
  entry.stale = true;
  entries_.erase(it);
  order_.splice(order_.begin(), order_, entry.place);
}

std::vector<std::string> ClipCache::Refresh(RequestContext& context) {
  std::vector<std::shared_ptr<const Layer>> layers;
  {
    MutexLock lock(mu_);
    failures_.clear();
    for (const auto& [identifier, entry] : entries_) layers.push_back(entry->layer);
  }
  std::vector<std::string> changed;
  for (auto& layer : layers) {
    if (!IsCurrent(context, *layer)) changed.push_back(layer->identifier());
    layer.reset();
  }
  Garbage garbage;
  MutexLock lock(mu_);
  for (const std::string& identifier : changed) {
    flights_.Forget(identifier);
    Outdate(identifier, &garbage);
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
  failures_.clear();
  for (auto it = order_.begin(); it != order_.end();) {
    Entry& entry = **it++;
    counts_.evictions += Drop(entry, &garbage);
  }
}

ClipCacheStats ClipCache::Stats() const {
  MutexLock lock(mu_);
  ClipCacheStats stats = counts_;
  stats.bytes = bytes_;
  stats.layers = order_.size();
  stats.max_bytes = options_.max_bytes;
  stats.max_layers = options_.max_layers;
  for (const Entry* entry : order_) {
    for (const ClipSlot* slot : entry->slots) stats.hits += slot->reads();
    stats.pinned_layers += IsPinned(*entry);
  }
  return stats;
}

std::vector<ClipLayerStats> ClipCache::LayerStats() const {
  std::vector<ClipLayerStats> result;
  MutexLock lock(mu_);
  result.reserve(order_.size());
  for (const Entry* entry : order_) {
    uint64_t reads = entry->reads;
    for (const ClipSlot* slot : entry->slots) reads += slot->reads();
    result.push_back({entry->identifier, entry->bytes, reads, IsPinned(*entry)});
  }
  return result;
}

}  // namespace stagedoor
