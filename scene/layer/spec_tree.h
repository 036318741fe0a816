#ifndef STAGEDOOR_SCENE_LAYER_SPEC_TREE_H_
#define STAGEDOOR_SCENE_LAYER_SPEC_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scene/paths/path.h"
#include "scene/paths/token.h"

namespace stagedoor {

using SpecId = uint32_t;
inline constexpr SpecId kRootSpec = 0;
inline constexpr SpecId kNoSpec = ~SpecId{0};

// The forms of specs (section 7.3.1). kPseudoRoot is the layer spec.
enum class SpecType : uint8_t {
  kPseudoRoot,
  kPrim,
  kAttribute,
  kRelationship,
  kVariantSet,
  kVariant,
};

// The ids in [first, last), for use in range-based for loops.
class SpecRange {
 public:
  class Iterator {
   public:
    explicit Iterator(SpecId id) : id_(id) {}
    SpecId operator*() const { return id_; }
    Iterator& operator++() { return ++id_, *this; }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    SpecId id_;
  };

  SpecRange() = default;
  SpecRange(SpecId first, SpecId last) : first_(first), last_(last) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(last_); }
  size_t size() const { return last_ - first_; }
  bool Contains(SpecId id) const { return first_ <= id && id < last_; }
  bool empty() const { return first_ == last_; }
  SpecId first() const { return first_; }
  SpecId operator[](size_t i) const { return first_ + static_cast<SpecId>(i); }

 private:
  SpecId first_ = 0;
  SpecId last_ = 0;
};

// The namespace of a layer, as compact arrays (Core Specification, section 7.3 Specs).
//
// Specs are numbered. The children of a spec are three contiguous runs of numbers: properties,
// variant sets (or the variants of a variant set) and prims, each in the layer's order. Names are
// looked up by scanning short runs and by a hash index for long ones, so neither paths nor per-spec
// maps are needed. A spec takes 9 bytes, one that has children 20 more: most are properties, which
// have none. Immutable, hence thread-safe.
class SpecTree {
 public:
  size_t size() const { return names_.size(); }
  SpecType type(SpecId id) const { return static_cast<SpecType>(kinds_[id] & kTypeMask); }
  bool is_prim_like(SpecId id) const {
    const SpecType t = type(id);
    return t == SpecType::kPrim || t == SpecType::kVariant || t == SpecType::kPseudoRoot;
  }
  bool is_property(SpecId id) const {
    const SpecType t = type(id);
    return t == SpecType::kAttribute || t == SpecType::kRelationship;
  }
  // Name of the prim, property, variant set or variant; empty for the root.
  Token name(SpecId id) const { return names_[id]; }
  // kNoSpec for the root. Found by a binary search.
  SpecId parent(SpecId id) const;

  SpecRange properties(SpecId id) const {
    const Children& n = ChildrenOf(id);
    return {n.first, n.first + n.properties};
  }
  // Variant sets of a prim or variant; variants of a variant set.
  SpecRange variants(SpecId id) const {
    const Children& n = ChildrenOf(id);
    return {n.first + n.properties, n.first + n.properties + n.variants};
  }
  SpecRange prims(SpecId id) const {
    const Children& n = ChildrenOf(id);
    const SpecId begin = n.first + n.properties + n.variants;
    return {begin, begin + n.prims};
  }

  // kNoSpec if there is none.
  SpecId FindPrim(SpecId parent, Token name) const;
  SpecId FindProperty(SpecId parent, Token name) const;
  // Finds a variant set of a prim or variant, or a variant of a variant set.
  SpecId FindVariant(SpecId parent, Token name) const;
  // Finds a prim, variant (/P{set=v}), variant set (/P{set=}) or property by its absolute path.
  SpecId Find(Path path) const;

  // The path of a spec, which is interned. That of a variant set has an empty variant.
  Path path(SpecId id) const;

  // The memory that the tree holds in bytes.
  size_t byte_size() const;

 private:
  friend class OrderedSpecTreeBuilder;
  struct Children {
    SpecId parent = kNoSpec;
    SpecId first = 0;
    uint32_t properties = 0;
    uint32_t prims = 0;
    uint32_t variants = 0;
  };

  static constexpr uint8_t kTypeMask = 7;
  static constexpr int kTypeBits = 3;
  static constexpr SpecId kGroup = 32;  // so many ranks fit beside the type

  const Children& ChildrenOf(SpecId id) const {
    const Children& next = children_[groups_[id / kGroup] + (kinds_[id] >> kTypeBits)];
    return next.parent == id ? next : children_.back();
  }
  // Those of `parent`, of which the next spec to be added is the first if there are none.
  Children& MakeChildren(SpecId parent);
  SpecId FindIn(SpecRange run, SpecId parent, Token name) const;
  void RankParents();
  void BuildIndex();

  std::vector<Token> names_;
  // The type of each spec, and above it how many specs before it in its group have children.
  std::vector<uint8_t> kinds_;
  std::vector<uint32_t> groups_;  // how many specs before each group have children
  // Children of each spec that has any, in ascending order of both. The last one stands for the
  // other specs.
  std::vector<Children> children_;
  std::vector<SpecId> index_;  // open addressing over the members of long runs
};

// Builds a SpecTree from specs in any order in which parents precede their children.
class SpecTreeBuilder {
 public:
  SpecTreeBuilder();

  // Adds a spec below `parent`, a provisional id, after its siblings of the same kind, and returns
  // its provisional id. kRootSpec is the pseudo-root. The caller must keep names unique.
  SpecId Add(SpecId parent, SpecType type, Token name);
  void Reserve(size_t specs) { nodes_.reserve(specs); }
  size_t size() const { return nodes_.size(); }

  // `final_ids` may be null; otherwise it receives the final ids, indexed by provisional id.
  SpecTree Build(std::vector<SpecId>* final_ids) &&;

 private:
  enum ChildKind { kProperties, kVariants, kPrims, kChildKinds };
  struct Node {
    Token name;
    SpecId parent;
    SpecId next = kNoSpec;  // sibling of the same kind
    SpecId first[kChildKinds] = {kNoSpec, kNoSpec, kNoSpec};
    SpecId last[kChildKinds] = {kNoSpec, kNoSpec, kNoSpec};
    SpecType type;
  };
  static ChildKind ChildKindOf(SpecType type);

  std::vector<Node> nodes_;
};

// Builds a SpecTree from specs that are added in their final order, without copying. Ids are
// assigned in the order of Add: parents must be in ascending order of their ids, and the children
// of one parent must be its properties, then its variants, then its prims.
class OrderedSpecTreeBuilder {
 public:
  explicit OrderedSpecTreeBuilder(size_t specs) {
    tree_.names_.reserve(specs);
    tree_.kinds_.reserve(specs);
    AddSpec(SpecType::kPseudoRoot, Token());
  }

  SpecId Add(SpecId parent, SpecType type, Token name);
  SpecId size() const { return static_cast<SpecId>(tree_.names_.size()); }
  SpecTree Build() &&;

 private:
  void AddSpec(SpecType type, Token name) {
    tree_.names_.push_back(name);
    tree_.kinds_.push_back(static_cast<uint8_t>(type));
  }

  SpecTree tree_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_SPEC_TREE_H_
