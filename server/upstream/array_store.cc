#include "server/upstream/array_store.h"

#include <string_view>
#include <unordered_set>
#include <utility>

namespace stagedoor::server {

ArrayStore::Arrays ArrayStore::Expect(const std::string& kind) {
  Arrays expected;
  MutexLock lock(mu_);
  const auto known = kinds_.Find(kind);
  if (known == kinds_.end()) return expected;
  kinds_.Touch(known);
  for (const std::string& digest : known->value.last) {
    const auto array = arrays_.Find(digest);
    if (array == arrays_.end()) continue;
    arrays_.Touch(array);
    expected.emplace(digest, array->value);
  }
  return expected;
}

uint64_t ArrayStore::HashOf(const Digests& digests) {
  uint64_t sum = digests.size();
  // In any order.
  for (const std::string& digest : digests) sum += std::hash<std::string>()(digest);
  return sum;
}

ArrayStore::Kind ArrayStore::Replace(const std::string& kind, Kind now) {
  Kind before;
  const auto known = kinds_.Find(kind);
  if (known != kinds_.end()) {
    before = std::move(known->value);
    digests_ -= before.last.size();
    kinds_.Erase(known);
  }
  if (now.last.empty()) return before;
  now.saved = now.saved == 0 ? before.saved : now.saved;
  digests_ += now.last.size();
  kinds_.Add(kind, std::move(now));
  while (digests_ > kMaxDigests) {
    digests_ -= kinds_.oldest()->value.last.size();
    kinds_.Erase(kinds_.oldest());
  }
  return before;
}

void ArrayStore::Remember(const std::string& kind, Digests digests) {
  if (digests.size() > kMaxExpected) digests.resize(kMaxExpected);
  const std::unordered_set<std::string_view> now(digests.begin(), digests.end());
  Digests twice;
  {
    MutexLock lock(mu_);
    Kind before = Replace(kind, {.last = digests});
    if (save_ == nullptr) return;
    for (std::string& digest : before.last) {
      if (now.contains(digest)) twice.push_back(std::move(digest));
    }
    const uint64_t hash = HashOf(twice);
    const auto known = kinds_.Find(kind);
    if (twice.empty() || hash == before.saved || known == kinds_.end()) return;
    known->value.saved = hash;
  }
  save_(kind, std::move(twice));
}

bool ArrayStore::Knows(const std::string& kind) const {
  MutexLock lock(mu_);
  return kinds_.Find(kind) != kinds_.end();
}

void ArrayStore::Restore(const std::string& kind,
                         std::vector<std::pair<std::string, std::string>> arrays) {
  Digests digests;
  for (auto& [digest, bytes] : arrays) {
    Keep(digest, std::move(bytes));
    digests.push_back(digest);
  }
  MutexLock lock(mu_);
  if (kinds_.Find(kind) != kinds_.end()) return;
  const uint64_t saved = HashOf(digests);
  Replace(kind, {.last = std::move(digests), .saved = saved});
}

ArrayStore::Arrays ArrayStore::Find(const Digests& digests) const {
  Arrays found;
  MutexLock lock(mu_);
  for (const std::string& digest : digests) {
    const auto array = arrays_.Find(digest);
    if (array != arrays_.end()) found.emplace(digest, array->value);
  }
  return found;
}

void ArrayStore::Keep(const std::string& digest, std::string bytes) {
  if (bytes.size() > max_array_bytes()) return;
  const size_t size = bytes.size();
  List::List discarded;
  MutexLock lock(mu_);
  const auto known = arrays_.Find(digest);
  if (known != arrays_.end()) return arrays_.Touch(known);
  auto kept = std::make_shared<KeptArray>(KeptArray{std::move(bytes), Reservation(pool_)});
  kept->reserved.Add(size);
  arrays_.Add(digest, std::move(kept));
  bytes_ += size;
  while (bytes_ > max_bytes_) {
    bytes_ -= arrays_.oldest()->value->bytes.size();
    arrays_.Take(arrays_.oldest(), &discarded);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
}

ArrayStore::Dropped ArrayStore::DropAll() {
  List::List discarded;
  MutexLock lock(mu_);
  const Dropped dropped{.entries = arrays_.size(), .bytes = bytes_};
  while (!arrays_.empty()) arrays_.Take(arrays_.oldest(), &discarded);
  bytes_ = 0;
  kinds_.Clear();
  digests_ = 0;
  return dropped;
}

size_t ArrayStore::size() const {
  MutexLock lock(mu_);
  return arrays_.size();
}

size_t ArrayStore::bytes() const {
  MutexLock lock(mu_);
  return bytes_;
}

}  // namespace stagedoor::server
