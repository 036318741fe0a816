#include "server/upstream/reply_cache.h"

#include <utility>

namespace stagedoor::server {

ReplyCache::Found ReplyCache::Join(const std::string& key, ReplyReader* reader,
                                   const std::function<std::shared_ptr<SharedReply>()>& make) {
  List::List discarded;
  MutexLock lock(mu_);
  const auto known = entries_.Find(key);
  if (known != entries_.end()) {
    Entry& entry = known->value;
    if (options_.now() < entry.expires && entry.reply->Join(reader)) {
      UpstreamCounters::Add(entry.done ? counters_.hits : counters_.shared);
      entries_.Touch(known);
      return {.reply = entry.reply};
    }
    entries_.Take(known, &discarded);
  }
  UpstreamCounters::Add(counters_.misses);
  std::shared_ptr<SharedReply> reply = make();
  reply->Join(reader);
  entries_.Add(key, {.reply = reply, .epoch = epoch_});
  return {.reply = std::move(reply), .is_new = true};
}

void ReplyCache::Ended(const std::string& key, const std::shared_ptr<SharedReply>& reply,
                       bool lasting) {
  const bool whole = reply->is_whole();
  List::List discarded;
  {
    MutexLock lock(mu_);
    const auto known = entries_.Find(key);
    if (known == entries_.end() || known->value.reply != reply) return;
    Entry& entry = known->value;
    if (!whole || (!lasting && entry.epoch != epoch_)) {
      entries_.Take(known, &discarded);
      return;
    }
    entry.done = true;
    entry.lasting = lasting;
    if (!lasting) entry.expires = options_.now() + options_.clip_age;
    Evict(&discarded);
  }
  if (lasting && keep_ != nullptr) keep_(key, reply);
}

void ReplyCache::Evict(List::List* out) {
  if (!pool_.over()) return;
  // Bytes of evicted replies stay counted until nobody reads them, so they are summed up.
  size_t freed = 0;
  const size_t excess = pool_.used() - pool_.limit();
  for (auto entry = entries_.end(); entry != entries_.begin() && freed < excess;) {
    --entry;
    if (!entry->value.done) continue;
    freed += entry->value.reply->bytes();
    UpstreamCounters::Add(counters_.evictions);
    entry = entries_.Take(entry, out);
  }
}

template <typename Predicate>
ReplyCache::Dropped ReplyCache::DropIf(const Predicate& predicate) {
  Dropped dropped;
  List::List discarded;
  MutexLock lock(mu_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (!predicate(entry->value)) {
      ++entry;
      continue;
    }
    ++dropped.entries;
    dropped.bytes += entry->value.reply->bytes();
    entry = entries_.Take(entry, &discarded);
  }
  return dropped;
}

void ReplyCache::DropAging() {
  {
    MutexLock lock(mu_);
    ++epoch_;
  }
  DropIf([](const Entry& entry) { return entry.done && !entry.lasting; });
}

ReplyCache::Dropped ReplyCache::DropAll() {
  return DropIf([](const Entry& entry) { return entry.done; });
}

size_t ReplyCache::size() const {
  MutexLock lock(mu_);
  return entries_.size();
}

}  // namespace stagedoor::server
