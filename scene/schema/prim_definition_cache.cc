#include "scene/schema/prim_definition_cache.h"

#include <utility>

#include "base/hash.h"
#include "base/heap_costs.h"
#include "base/interned_bytes.h"
#include "base/request_scope.h"

namespace stagedoor {

size_t PrimDefinitionCache::KeyHash::operator()(const Key& key) const {
  size_t hash = key.type_name.hash();
  for (const Token applied : key.applied) hash = HashCombine(hash, applied.hash());
  return hash;
}

const PrimDefinition* PrimDefinitionCache::Find(RequestContext& context, Token type_name,
                                                std::span<const Token> applied_schemas) {
  if (applied_schemas.empty()) {
    const PrimDefinition* typed = registry_->FindConcrete(type_name);
    return typed ? typed : registry_->empty_definition();
  }
  Key key{type_name, {applied_schemas.begin(), applied_schemas.end()}};
  Shard& shard = shards_[(KeyHash()(key) >> 32) % shards_.size()];
  {
    ReaderMutexLock lock(shard.mu);
    const auto it = shard.definitions.find(key);
    if (it != shard.definitions.end()) return it->second.get();
  }
  const RequestScope::Guard everybody(
      RequestScope::Current().WithOwner(nullptr));  // later snapshots share the cache
  // Each instance of a multiple-apply schema interns names for all its properties, which content
  // can multiply.
  const InternedBytes::ScopedHalfLimit names;
  auto definition = registry_->Compose(context, type_name, applied_schemas);
  if (definition == nullptr) return registry_->empty_definition();
  const size_t bytes =
      kNodeBytes + sizeof(Key) + key.applied.capacity() * sizeof(Token) + definition->byte_size();
  WriterMutexLock lock(shard.mu);
  // If two threads composed the definition at the same time, the first one is kept.
  const auto [at, added] = shard.definitions.try_emplace(std::move(key), std::move(definition));
  if (added) charge_.Add(bytes);
  return at->second.get();
}

}  // namespace stagedoor
