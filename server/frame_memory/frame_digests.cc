#include "server/frame_memory/frame_digests.h"

#include <algorithm>
#include <iterator>

#include "base/paced_sort.h"
#include "base/pacer.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

using Entry = FrameDigests::Entry;

// Memory is reserved for so many bytes at a time.
constexpr size_t kSlabBytes = size_t{256} << 10;
// A frame has as many differences from the table before it gets a table of its own, or a quarter of
// the table's entries.
constexpr size_t kMostDifferences = 1024;

const Entry* FindEntry(const std::vector<Entry>& entries, uint64_t key) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), Entry{.key = key});
  return at != entries.end() && at->key == key ? &*at : nullptr;
}

// The entries of both, with those of `after` for keys that both have.
absl::StatusOr<std::vector<Entry>> MergeEntries(RequestContext& context,
                                                const std::vector<Entry>& before,
                                                const std::vector<Entry>& after) {
  std::vector<Entry> merged;
  merged.reserve(before.size() + after.size());
  Pacer pacer(context);
  auto from = before.begin();
  for (const Entry& entry : after) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const auto to = std::lower_bound(from, before.end(), entry);
    merged.insert(merged.end(), from, to);
    merged.push_back(entry);
    from = to != before.end() && to->key == entry.key ? std::next(to) : to;
  }
  merged.insert(merged.end(), from, before.end());
  return merged;
}

std::vector<FrameId> MergeObjects(const std::vector<FrameId>& a, const std::vector<FrameId>& b) {
  std::vector<FrameId> merged;
  merged.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  return merged;
}

}  // namespace

uint64_t FrameDigests::Find(uint64_t key) const {
  if (const Entry* own = FindEntry(own_.entries, key)) return own->digest;
  if (table_ == nullptr) return 0;
  const Entry* shared = FindEntry(table_->entries, key);
  return shared == nullptr ? 0 : shared->digest;
}

void FrameDigests::VisitObjects(const std::function<bool(FrameId)>& visit) const {
  for (const FrameId object : own_.objects) {
    if (!visit(object)) return;
  }
  if (table_ == nullptr) return;
  for (const FrameId object : table_->objects) {
    if (std::binary_search(own_.objects.begin(), own_.objects.end(), object)) continue;
    if (!visit(object)) return;
  }
}

size_t FrameDigests::byte_size() const {
  return sizeof(*this) + own_.byte_size() + (table_ == nullptr ? 0 : table_->byte_size());
}

size_t FrameDigests::Table::byte_size() const {
  return sizeof(*this) + entries.capacity() * sizeof(Entry) + objects.capacity() * sizeof(FrameId);
}

void FrameDigests::Table::ChargeTo(std::shared_ptr<MemoryPool> to) {
  entries.shrink_to_fit();
  objects.shrink_to_fit();
  reserved = Reservation(to.get());
  reserved.Add(byte_size());
  pool = std::move(to);
}

void FrameDigestsBuilder::Set(uint64_t key, uint64_t digest) {
  if (Grow(sizeof(Entry))) added_.entries.push_back({key, digest});
}

void FrameDigestsBuilder::AddObject(FrameId object) {
  if (Grow(sizeof(FrameId))) added_.objects.push_back(object);
}

bool FrameDigestsBuilder::Grow(size_t bytes) {
  if (too_many_) return false;
  bytes_ += bytes;
  if (bytes_ > max_bytes_) {
    too_many_ = true;
    added_ = Table();
    reserved_.Release();
    return false;
  }
  // Vectors grow, and are sorted, with as much memory again.
  if (2 * bytes_ <= reserved_.bytes()) return true;
  return reserved_.Grow(2 * kSlabBytes, "the digests of a frame").ok();
}

absl::StatusOr<FrameDigests::Table> FrameDigestsBuilder::Sorted(RequestContext& context) {
  Table sorted = std::move(added_);
  Pacer pacer(context);
  std::vector<Entry>& entries = sorted.entries;
  // The last one of a key is kept, so it has to come first.
  std::reverse(entries.begin(), entries.end());
  SD_RETURN_IF_ERROR(PacedStableSort(pacer, entries.begin(), entries.end(), std::less<>()));
  const auto same_key = [](const Entry& a, const Entry& b) { return a.key == b.key; };
  entries.erase(std::unique(entries.begin(), entries.end(), same_key), entries.end());
  std::vector<FrameId>& objects = sorted.objects;
  SD_RETURN_IF_ERROR(PacedStableSort(pacer, objects.begin(), objects.end(), std::less<>()));
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  return sorted;
}

absl::StatusOr<std::shared_ptr<const FrameDigests>> FrameDigestsBuilder::Finish(
    RequestContext& context, std::shared_ptr<MemoryPool> pool) {
  if (too_many_) return nullptr;
  SD_ASSIGN_OR_RETURN(Table own, Sorted(context));
  auto digests = std::make_shared<FrameDigests>();
  if (base_ != nullptr) {
    SD_RETURN_IF_ERROR(reserved_.Grow(base_->byte_size(), "the digests of a frame"));
    digests->table_ = base_->table_;
    SD_ASSIGN_OR_RETURN(own.entries, MergeEntries(context, base_->own_.entries, own.entries));
    own.objects = MergeObjects(base_->own_.objects, own.objects);
  }
  const size_t shared = digests->table_ == nullptr ? 0 : digests->table_->entries.size();
  if (own.entries.size() > std::max(kMostDifferences, shared / 4)) {
    auto table = std::make_shared<Table>(std::move(own));
    if (digests->table_ != nullptr) {
      SD_ASSIGN_OR_RETURN(table->entries,
                          MergeEntries(context, digests->table_->entries, table->entries));
      std::erase_if(table->entries, [](const Entry& entry) { return entry.digest == 0; });
      table->objects = MergeObjects(digests->table_->objects, table->objects);
    }
    table->ChargeTo(pool);
    digests->table_ = std::move(table);
    own = Table();
  }
  digests->own_ = std::move(own);
  digests->own_.ChargeTo(std::move(pool));
  if (digests->byte_size() > max_bytes_) return nullptr;
  return digests;
}

}  // namespace stagedoor::server
