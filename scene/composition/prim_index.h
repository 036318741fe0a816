// PrimIndex: all sites with opinions about one prim, as a tree of arcs in strength order.
//
// Immutable once built and shared: sites that reference the same asset and have nothing stronger to
// say use one index. Such an index is expressed in the namespace of the asset; a PrimIndexRef adds
// the mapping to the stage.
#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory_account.h"
#include "scene/composition/arc.h"
#include "scene/composition/composition_error.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/map_function.h"
#include "scene/composition/stack_spec.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"

namespace stagedoor {

struct PrimIndexNode {
  const LayerStack* layer_stack = nullptr;  // kept by the index
  Path path;                                // the site, with variant selections
  MapFunction map_to_root;                  // site namespace and time to the index's root
  MapFunction map_to_parent;
  int16_t parent = -1;      // index of the node that holds the arc
  int16_t origin = -1;      // node whose opinion introduced it (differs for implied arcs)
  uint32_t first_site = 0;  // in the index's sites
  uint16_t site_count = 0;
  uint16_t sibling = 0;  // place among the arcs of its type at the origin
  Arc arc : 3 = Arc::kRoot;
  bool inert : 1 = false;            // structural only: its opinions do not count
  bool due_to_ancestor : 1 = false;  // the arc is of a namespace ancestor
  bool has_clips : 1 = false;        // value clips here or at an ancestor

  // What composing the prims below needs to know.
  bool culled : 1 = false;
  bool direct : 1 = false;
  uint32_t depth : 12 = 0;  // namespace depth of its introduction
  uint32_t restricted_depth : 12 = 0;

  static constexpr uint32_t kMaxDepth = (1 << 12) - 1;

  bool has_specs() const { return site_count > 0; }
};
static_assert(sizeof(PrimIndexNode) == 4 * sizeof(void*) + 16);

// One opinion: a spec in a layer of a node's layer stack.
struct PrimSite {
  const Layer* layer;
  SpecId spec;
  uint16_t node;         // index of its node
  uint16_t stack_index;  // index of the layer in the node's layer stack
};

// The layer stacks of an index, and maybe others of the prims above. Shared with prims below.
using LayerStackSet = std::vector<std::shared_ptr<const LayerStack>>;

// The lists that an index is made of.
struct PrimIndexParts {
  std::vector<PrimIndexNode> nodes;
  std::vector<PrimSite> sites;
  std::vector<PrimSite> inert_sites;  // first_site of their nodes counts from the end of `sites`
  std::vector<Token> child_names;
  std::vector<Token> property_names;
};

class PrimIndex {
 public:
  // `memory`, which may be null, is charged with what the index holds and outlives it.
  explicit PrimIndex(MemoryAccount* memory = nullptr) : charge_(memory) {}
  ~PrimIndex();
  PrimIndex(const PrimIndex&) = delete;
  PrimIndex& operator=(const PrimIndex&) = delete;

  // Strongest first.
  std::span<const PrimIndexNode> nodes() const { return Part<PrimIndexNode>(0, node_count_); }
  // The prim stack: every spec that counts, strongest first.
  std::span<const PrimSite> sites() const { return Part<PrimSite>(SitesAt(), site_count_); }
  // The specs at a node's site, of inert nodes too.
  std::span<const PrimSite> SitesOf(const PrimIndexNode& node) const {
    return Part<PrimSite>(SitesAt() + node.first_site * sizeof(PrimSite), node.site_count);
  }
  // Time in a site's layer to time at the index's root.
  LayerOffset OffsetOf(const PrimSite& site) const {
    const PrimIndexNode& node = nodes()[site.node];
    return node.map_to_root.offset() * node.layer_stack->layers()[site.stack_index].value_offset;
  }

  // Composed names in order: children after primOrder, relocation and deletion; properties with
  // authored opinions after propertyOrder.
  std::span<const Token> child_names() const { return Part<Token>(NamesAt(), child_count_); }
  std::span<const Token> property_names() const {
    return Part<Token>(NamesAt() + child_count_ * sizeof(Token), property_count_);
  }

  // Selection of each variant set met, by set name.
  VariantSelections variant_selections() const;

  bool has_payloads() const { return has_payloads_; }      // authored anywhere
  bool payload_loaded() const { return payload_loaded_; }  // and included
  bool instanceable() const { return instanceable_; }  // and has an arc that instancing can share
  // Equal for prims that can share a prototype; `outer` is that of the PrimIndexRef.
  std::string InstanceKey(const LayerOffset& outer) const;

  const CompositionErrors& errors() const;

  // One line a node, for tests and people.
  std::string Dump() const;
  // What it and its errors take; parts shared with other indexes do not count.
  size_t byte_size() const;
  MemoryAccount* memory() const { return charge_.account(); }

 private:
  friend class PrimIndexBuilder;
  friend class SharedParts;
  // What instances of equal composition have in common.
  struct InstanceArc {
    Arc type;
    const LayerStack* stack;
    Path path;
    LayerOffset offset;
  };
  // What few indexes have.
  struct Rare {
    std::vector<Path> instances;  // namespace ancestors that are instances
    std::vector<InstanceArc> instance_arcs;
    std::vector<std::pair<Token, Token>> instance_selections;
    CompositionErrors errors;
    size_t byte_size() const;
  };
  // Takes the lists, into one block of memory.
  void Pack(PrimIndexParts parts);
  template <typename T>
  std::span<const T> Part(size_t at, size_t count) const {
    static_assert(alignof(T) <= 8 && sizeof(T) % 8 == 0);
    return {reinterpret_cast<const T*>(block_.get() + at), count};
  }
  size_t SitesAt() const { return node_count_ * sizeof(PrimIndexNode); }
  std::span<const PrimSite> inert_sites() const {
    return Part<PrimSite>(SitesAt() + site_count_ * sizeof(PrimSite), inert_site_count_);
  }
  size_t NamesAt() const {
    return SitesAt() + (site_count_ + inert_site_count_) * sizeof(PrimSite);
  }
  size_t BlockSize() const { return NamesAt() + (child_count_ + property_count_) * sizeof(Token); }

  std::unique_ptr<std::byte[]> block_;  // nodes, sites, names of children and properties
  uint32_t node_count_ = 0;
  uint32_t site_count_ = 0;
  uint32_t inert_site_count_ = 0;
  uint32_t child_count_ = 0;
  uint32_t property_count_ = 0;
  std::shared_ptr<const LayerStackSet> stacks_;
  std::shared_ptr<const Rare> rare_;  // shared by instances that are alike and without errors
  bool has_payloads_ = false;
  bool payload_loaded_ = false;
  bool asked_for_payload_ = false;
  bool instanceable_ = false;
  MemoryCharge charge_;
};

class SharedSite;

// The namespace and time of a shared index's root to the stage's. Immutable.
//
// Indexes that many places share, opinions from above included, are composed for a stand-in: a
// place below a path that no layer can have.
class StageMap : public MapFunction {
 public:
  explicit StageMap(MapFunction map, Arc arc = Arc::kRoot, Path stand_in = Path())
      : MapFunction(std::move(map)), stand_in_(stand_in), arc_(arc) {}

  // The arc that brings in the root of indexes seen through it.
  Arc arc() const { return arc_; }
  // Empty: the index was composed for no stand-in.
  Path stand_in() const { return stand_in_; }
  // The image on the stage of a path at a node that `to_root` maps to the index's root.
  Path MapToStage(const MapFunction& to_root, Path path) const;
  // `inner` seen from the stage.
  MapFunction ComposeToStage(const MapFunction& inner) const;

 private:
  const Path stand_in_;
  const Arc arc_;
};

// A prim index seen from the stage. `outer` maps the index's root namespace and time to the
// stage's; null means they are the same.
struct PrimIndexRef {
  std::shared_ptr<const PrimIndex> index;
  std::shared_ptr<const StageMap> outer;
  SharedSite* shared = nullptr;  // the composer's

  // Path at a node's site to the stage's namespace; empty when it has no image.
  Path MapToStage(uint32_t node, Path path) const {
    const MapFunction& to_root = index->nodes()[node].map_to_root;
    return outer ? outer->MapToStage(to_root, path) : to_root.MapSourceToTarget(path);
  }
  // Layer time of a site to stage time.
  LayerOffset OffsetOf(const PrimSite& site) const {
    const LayerOffset inner = index->OffsetOf(site);
    return outer ? outer->offset() * inner : inner;
  }
  // The arc that brings a node's site in.
  Arc ArcOf(uint32_t node) const {
    return node == 0 && outer ? outer->arc() : index->nodes()[node].arc;
  }
  // Whether paths outside of a node's arcs map to themselves.
  bool MapsRoot(uint32_t node) const {
    return index->nodes()[node].map_to_root.HasRootIdentity() &&
           (!outer || outer->HasRootIdentity());
  }
  // Equal for instances that can share a prototype.
  std::string InstanceKey() const {
    return index->InstanceKey(outer ? outer->offset() : LayerOffset());
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_H_
