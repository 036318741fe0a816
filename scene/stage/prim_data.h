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

// Where the values of a prim's properties and metadata come from.
struct PrimOpinions {
  // Clip sets that affect the prim, including those of ancestors, strongest first. Null if there
  // are none. Shared with descendants.
  std::shared_ptr<const ClipSources> clips;
  PrimIndexRef index;
};

// The data that population computes for a prim. Internal to scene/stage; Prim is the public handle.
// Corresponds to OpenUSD's Usd_PrimData.
struct PrimData {
  // The members that traversals and property queries read come first, mostly in one cache line.
  const PrimData* parent = nullptr;
  std::unique_ptr<PrimData[]> children;
  uint32_t child_count = 0;
  uint16_t flags = 0;
  Specifier specifier = Specifier::kOver;
  // Path in the stage; for a prim in a prototype, the path below the prototype's source instance.
  Path path;
  const PrimDefinition* definition = nullptr;  // null if no schema is known
  // As composed when the prim was populated; see StageData::OpinionsOf.
  PrimOpinions opinions;
  Token type_name;
  const Prototype* prototype = nullptr;  // null if the prim is not an instance

  Token name() const { return path.name(); }
  bool Has(uint16_t flag) const { return (flags & flag) != 0; }
  std::span<const PrimData> child_span() const { return {children.get(), child_count}; }
};

// The descendants that instances with the same composition share (Core Specification 11.3.3, "Scene
// Graph Instancing"). Corresponds to a prototype prim (/__Prototype_1) in OpenUSD.
struct Prototype {
  PrimData root;     // a copy of the source instance, with its children
  Path source_path;  // path of the source instance, in whose namespace the prims are composed
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_DATA_H_
