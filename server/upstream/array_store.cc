#include "server/upstream/array_store.h"

#include <utility>

namespace stagedoor::server {

ArrayStore::Arrays ArrayStore::Expect(const std::string& kind) {
  Arrays expected;
  MutexLock lock(mu_);
  const auto known = kinds_.Find(kind);
  if (known == kinds_.end()) return expected;
  kinds_.Touch(known);
  for (const std::string& digest : known->value) {
    const auto array = arrays_.Find(digest);
    if (array == arrays_.end()) continue;
    arrays_.Touch(array);
    expected.emplace(digest, array->value);
  }
  return expected;
}

void ArrayStore::Remember(const std::string& kind, std::vector<std::string> digests) {
  if (digests.size() > kMaxExpected) digests.resize(kMaxExpected);
  MutexLock lock(mu_);
  const auto known = kinds_.Find(kind);
  if (known != kinds_.end()) {
    digests_ -= known->value.size();
    kinds_.Erase(known);
  }
  if (digests.empty()) return;
  digests_ += digests.size();
  kinds_.Add(kind, std::move(digests));
  while (digests_ > kMaxDigests) {
    digests_ -= kinds_.oldest()->value.size();
    kinds_.Erase(kinds_.oldest());
  }
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
