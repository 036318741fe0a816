#ifndef STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_CACHE_H_
#define STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_CACHE_H_

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/token.h"
#include "scene/schema/prim_definition.h"
#include "scene/schema/schema_registry.h"

namespace stagedoor {

// The prim definitions of a stage, each composed once per combination of a type and applied
// schemas.
//
// Each stage has its own and shares it with its later snapshots, so that definitions composed for
// hostile layers are freed with the stage. OpenUSD has Usd_PrimTypeInfoCache per process instead.
// Thread-safe.
class PrimDefinitionCache {
 public:
  // Both must outlive the cache. `memory` may be null; otherwise it is charged with the
  // definitions.
  explicit PrimDefinitionCache(const SchemaRegistry* registry, MemoryPool* memory = nullptr)
      : registry_(registry), charge_(memory) {}

  const SchemaRegistry& registry() const { return *registry_; }

  // The definition for a type, which must be an effective one (see
  // SchemaRegistry::EffectiveTypeName), and applied schemas. Never null; valid as long as the
  // cache. Does not lock if no schemas are applied. Once the request has ended, the result is an
  // arbitrary definition (see SchemaRegistry::Compose).
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
  Reservation charge_;
  std::array<Shard, 16> shards_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_CACHE_H_
