#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/reservation.h"
#include "scene/composition/arc_type.h"
#include "scene/composition/composition_error.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/map_function.h"
#include "scene/composition/prim_names.h"
#include "scene/composition/stack_spec.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/values/layer_offset.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// A node of a finished index, as PcpNodeRef shows it.
struct PrimIndexNode {
  const LayerStack* layer_stack = nullptr;  // kept alive by the index
  Path path;                                // path of the site, with variant selections
  MapFunction map_to_root;                  // from the site's namespace and time to the root's
  MapFunction map_to_parent;
  int16_t parent = -1;      // index of the parent node
  int16_t origin = -1;      // index of the node that the arc is due to; differs for implied arcs
  uint32_t first_site = 0;  // index of its first spec, see PrimIndex::SpecsOf
  uint16_t site_count = 0;
  uint16_t sibling = 0;  // number among the arcs of its type at the origin
  ArcType arc : 3 = ArcType::kRoot;
  bool inert : 1 = false;            // present for structure only; its opinions do not count
  bool due_to_ancestor : 1 = false;  // the arc was introduced by a namespace ancestor
  bool has_clips : 1 = false;        // value clips at this site or at a namespace ancestor of it

  // Needed to compose the children of the prim; see GraphNode.
  bool culled : 1 = false;
  bool direct : 1 = false;
  uint32_t depth : 12 = 0;  // namespace depth of its introduction
  uint32_t restricted_depth : 12 = 0;

  static constexpr uint32_t kMaxDepth = (1 << 12) - 1;

  bool has_specs() const { return site_count > 0; }
};
static_assert(sizeof(PrimIndexNode) == 4 * sizeof(void*) + 16);

// One entry of the prim stack: a spec in a layer of a node's layer stack. Corresponds to
// Pcp_CompressedSdSite.
struct PrimSpecHandle {
  const Layer* layer;
  SpecId spec;
  uint16_t node;         // index of its node
  uint16_t stack_index;  // index of the layer in the node's layer stack
};

// Keeps alive the layer stacks of an index, and possibly more that its parent's index uses: prims
// share the set of their parent where it suffices.
using LayerStackSet = std::vector<std::shared_ptr<const LayerStack>>;

// The lists of an index before PrimIndex::Pack puts them into one block of memory.
struct PrimIndexParts {
  std::vector<PrimIndexNode> nodes;
  std::vector<PrimSpecHandle> sites;
  std::vector<PrimSpecHandle>
      inert_sites;  // their nodes' first_site counts from the end of `sites`
};

// All sites with opinions about one prim, as a tree of arcs in strength order (Core Specification,
// 10.2 Overview and 10.4 Strength Ordering). Corresponds to OpenUSD's PcpPrimIndex.
//
// Immutable once built, and thread-safe. Prims that reference the same asset, without stronger
// opinions of their own, share one index (shared_index.h). Its root is then the asset's prim, and a
// PrimIndexRef adds the mapping from there to the stage.
class PrimIndex {
 public:
  // `memory`, which may be null, is charged with the memory of the index, and outlives it.
  explicit PrimIndex(MemoryPool* memory = nullptr) : charge_(memory) {}
  ~PrimIndex();
  PrimIndex(const PrimIndex&) = delete;
  PrimIndex& operator=(const PrimIndex&) = delete;

  // Strongest first. Corresponds to GetNodeRange; culled nodes are kept only where others
  // need them as origins.
  std::span<const PrimIndexNode> nodes() const { return Part<PrimIndexNode>(0, node_count_); }
  // The prim stack: every spec that contributes opinions, strongest first.
  std::span<const PrimSpecHandle> prim_stack() const {
    return Part<PrimSpecHandle>(SitesAt(), site_count_);
  }
  // The specs at a node's site, also for inert nodes, whose specs are not in prim_stack().
  std::span<const PrimSpecHandle> SpecsOf(const PrimIndexNode& node) const {
    return Part<PrimSpecHandle>(SitesAt() + node.first_site * sizeof(PrimSpecHandle),
                                node.site_count);
  }
  // The offset from the time of a spec's layer to the time of the index's root.
  LayerOffset OffsetOf(const PrimSpecHandle& site) const {
    const PrimIndexNode& node = nodes()[site.node];
    return node.map_to_root.offset() * node.layer_stack->layers()[site.stack_index].value_offset;
  }

  // The names of the child prims after primOrder and relocates (11.3.1 Ordered Prim Children), and
  // those of the properties with authored opinions, in the order in which they are found
  // (for 11.3.2 Ordered Property Children). Correspond to ComputePrimChildNames and
  // ComputePrimPropertyNames.
  std::span<const Token> child_names() const {
    return names_ ? names_->children() : std::span<const Token>();
  }
  std::span<const Token> property_names() const {
    return names_ ? names_->properties() : std::span<const Token>();
  }

  // The selection of every variant set of the prim that has one, sorted by set name. Corresponds to
  // GetSelectionAppliedForVariantSet.
  VariantSelections variant_selections() const;

  // Whether any site has payloads, and whether they are included. Corresponds to HasAnyPayloads and
  // PcpPrimIndexOutputs::payloadState.
  bool has_payloads() const { return has_payloads_; }
  bool payload_loaded() const { return payload_loaded_; }
  // Whether the prim is an instance (11.3.3 Scene Graph Instancing): it is instanceable and has an
  // arc that instances can share. Corresponds to IsInstanceable.
  bool instanceable() const { return instanceable_; }
  // A key that is equal for instances that can share a prototype. `outer` is the offset to the
  // stage of the PrimIndexRef. Corresponds to PcpInstanceKey.
  std::string InstanceKey(const LayerOffset& outer) const;

  const CompositionErrors& errors() const;

  // One line per node and contributing layer, for tests and debugging.
  std::string Dump() const;
  // The memory of the index and its errors, without the parts that it shares with other indexes.
  size_t byte_size() const;
  MemoryPool* memory() const { return charge_.pool(); }

 private:
  friend class PrimIndexBuilder;
  friend class SharedParts;
  // An arc in the instance key.
  struct InstanceArc {
    ArcType type;
    const LayerStack* stack;
    Path path;
    LayerOffset offset;
  };
  // Data that few indexes have.
  struct Rare {
    std::vector<Path> instances;  // namespace ancestors that are instances
    std::vector<InstanceArc> instance_arcs;
    std::vector<std::pair<Token, Token>> instance_selections;
    CompositionErrors errors;
    bool Empty() const {
      return instances.empty() && instance_arcs.empty() && instance_selections.empty() &&
             errors.empty();
    }
    size_t byte_size() const;
  };
  // Moves the lists into one block of memory.
  void Pack(PrimIndexParts parts);
  template <typename T>
  std::span<const T> Part(size_t at, size_t count) const {
    static_assert(alignof(T) <= 8 && sizeof(T) % 8 == 0);
    return {reinterpret_cast<const T*>(block_.get() + at), count};
  }
  size_t SitesAt() const { return node_count_ * sizeof(PrimIndexNode); }
  std::span<const PrimSpecHandle> inert_sites() const {
    return Part<PrimSpecHandle>(SitesAt() + site_count_ * sizeof(PrimSpecHandle),
                                inert_site_count_);
  }
  size_t BlockSize() const {
    return SitesAt() + (site_count_ + inert_site_count_) * sizeof(PrimSpecHandle);
  }

  std::unique_ptr<std::byte[]> block_;  // nodes, sites, sites of inert nodes
  RefPtr<const PrimNames> names_;       // null if there are none
  uint32_t node_count_ = 0;
  uint32_t site_count_ = 0;
  uint32_t inert_site_count_ = 0;
  bool has_payloads_ = false;
  bool payload_loaded_ = false;
  bool instanceable_ = false;
  std::shared_ptr<const LayerStackSet> stacks_;
  std::shared_ptr<const Rare> rare_;  // equal ones without errors are shared
  Reservation charge_;
};

class SharedPrim;

// The mapping from the namespace and time of a shared index's root to those of the stage.
// Immutable, thread-safe.
//
// An index that many prims share although the stage's layers have opinions in it is composed for a
// proxy (see shared_index.h): a prim below a path that no layer can contain.
class StageMapFunction : public MapFunction {
 public:
  explicit StageMapFunction(MapFunction map, ArcType arc = ArcType::kRoot, Path proxy_path = Path())
      : MapFunction(std::move(map)), proxy_path_(proxy_path), arc_(arc) {}

  // The arc by which the root of the shared index is reached.
  ArcType arc() const { return arc_; }
  // The path of the proxy; empty if the index was not composed for one.
  Path proxy_path() const { return proxy_path_; }
  // Maps a path to the stage from a node whose mapping to the index's root is `to_root`. Empty if
  // the path has no image.
  Path MapToStage(const MapFunction& to_root, Path path) const;
  // The mapping `inner`, which leads to the index's root, extended to the stage.
  MapFunction ComposeToStage(const MapFunction& inner) const;

 private:
  const Path proxy_path_;
  const ArcType arc_;
};

// A prim index as seen from the stage. `outer` maps the namespace and time of the index's root to
// those of the stage; null if they are the same.
struct PrimIndexRef {
  std::shared_ptr<const PrimIndex> index;
  std::shared_ptr<const StageMapFunction> outer;
  SharedPrim* shared = nullptr;  // for the composer; valid until its EndSharing

  // Maps a path in the namespace of a node's site to the stage; empty if it has no image.
  Path MapToStage(uint32_t node, Path path) const {
    const MapFunction& to_root = index->nodes()[node].map_to_root;
    return outer ? outer->MapToStage(to_root, path) : to_root.MapSourceToTarget(path);
  }
  // The offset from the time of a spec's layer to stage time.
  LayerOffset OffsetOf(const PrimSpecHandle& site) const {
    const LayerOffset inner = index->OffsetOf(site);
    return outer ? outer->offset() * inner : inner;
  }
  // The type of the arc to a node, as seen from the stage.
  ArcType ArcOf(uint32_t node) const {
    return node == 0 && outer ? outer->arc() : index->nodes()[node].arc;
  }
  // Whether paths that no arc on the way to the node maps stay the same on the stage.
  bool MapsRoot(uint32_t node) const {
    return index->nodes()[node].map_to_root.HasRootIdentity() &&
           (!outer || outer->HasRootIdentity());
  }
  // A key that is equal for instances that can share a prototype.
  std::string InstanceKey() const {
    return index->InstanceKey(outer ? outer->offset() : LayerOffset());
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_H_
