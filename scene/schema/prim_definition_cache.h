// PrimDefinitionCache: the definitions of the prims of a stage, each composed once.
//
// A stage has one and shares it with its later snapshots: what the applied schemas of hostile
// layers make it compose lives as long as the stage, not as long as the process. Thread-safe.
#ifndef STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_CACHE_H_
#define STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_CACHE_H_

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/memory_account.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/schema/prim_definition.h"
#include "scene/schema/schema_registry.h"

namespace stagedoor {

class PrimDefinitionCache {
 public:
  // Both outlive the cache. `memory`, which may be null, is charged with what it keeps.
  explicit PrimDefinitionCache(const SchemaRegistry* registry, MemoryAccount* memory = nullptr)
      : registry_(registry), charge_(memory) {}

  const SchemaRegistry& registry() const { return *registry_; }

  // Never null; valid as long as the cache. `type_name` is a prim's effective one; see
  // SchemaRegistry::EffectiveTypeName and Compose. Does not lock where no schemas are applied.
  // Any definition once the request has ended; see Compose.
  const PrimDefinition* Find(RequestContext& context, Token type_name,
                             std::span<const Token> applied_schemas);

 private:
  struct Key {
    Token type_name;
    std::vector<Token> applied;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Shard {
    SharedMutex mu;
    std::unordered_map<Key, std::unique_ptr<const PrimDefinition>, KeyHash> definitions
        ABSL_GUARDED_BY(mu);
  };

  const SchemaRegistry* const registry_;
  MemoryCharge charge_;
  std::array<Shard, 16> shards_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_CACHE_H_
