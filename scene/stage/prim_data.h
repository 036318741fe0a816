// PrimData: what population knows of a prim. Internal to scene/stage; Prim is the public handle.
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_DATA_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_DATA_H_

#include <cstdint>
#include <memory>
#include <span>

#include "scene/clips/clip_source.h"
#include "scene/composition/prim_index.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/prim_flags.h"
#include "scene/values/value_type.h"

namespace stagedoor {

class PrimDefinition;
struct Prototype;

struct PrimData {
  // What traversals and queries about properties read comes first: mostly one cache line.
  const PrimData* parent = nullptr;
  std::unique_ptr<PrimData[]> children;
  uint32_t child_count = 0;
  uint16_t flags = 0;
  Specifier specifier = Specifier::kOver;
  // In the stage; inside a prototype: as composed, in the namespace of the prototype's source
  // instance.
  Path path;
  const PrimDefinition* definition = nullptr;  // null: no schema
  // Clip sets that affect it, its ancestors' included; null: none. Shared with descendants.
  std::shared_ptr<const ClipSources> clips;
  PrimIndexRef index;
  Token type_name;
  const Prototype* prototype = nullptr;  // of an instance

  Token name() const { return path.name(); }
  bool Has(uint16_t flag) const { return (flags & flag) != 0; }
  std::span<const PrimData> child_span() const { return {children.get(), child_count}; }
};

// What the instances of equal composition share: their descendants.
struct Prototype {
  PrimData root;  // a copy of the source instance, with the children
  Path source_path;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_DATA_H_
