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

#include "base/mutex.h"
#include "scene/paths/token.h"
#include "scene/schema/prim_definition.h"
#include "scene/schema/schema_registry.h"

namespace stagedoor {

class PrimDefinitionCache {
 public:
  // `registry` outlives the cache.
  explicit PrimDefinitionCache(const SchemaRegistry* registry) : registry_(registry) {}

  const SchemaRegistry& registry() const { return *registry_; }

  // Never null; valid as long as the cache. `type_name` is a prim's effective one; see
  // SchemaRegistry::EffectiveTypeName and Compose. Does not lock where no schemas are applied.
  // `composed`, unless null, becomes true when the definition was made by this call.
  const PrimDefinition* Find(Token type_name, std::span<const Token> applied_schemas,
                             bool* composed = nullptr);

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
  std::array<Shard, 16> shards_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_CACHE_H_
