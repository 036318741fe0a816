// SpecTree: the namespace of a layer, as compact arrays.
//
// Specs are numbered; the children of a spec are three contiguous runs: properties, variant sets
// (of a variant set: its variants) and prims, each in the layer's order. Names are looked up by
// scanning short runs and by a hash index for long ones, so neither paths nor per-spec maps are
// needed. Immutable.
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

enum class SpecType : uint8_t {
  kPseudoRoot,
  kPrim,
  kAttribute,
  kRelationship,
  kVariantSet,
  kVariant,
};

// Ids [first, last), usable in a range-for.
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
  bool empty() const { return first_ == last_; }
  SpecId first() const { return first_; }
  SpecId operator[](size_t i) const { return first_ + static_cast<SpecId>(i); }

 private:
  SpecId first_ = 0;
  SpecId last_ = 0;
};

class SpecTree {
 public:
  size_t size() const { return nodes_.size(); }
  SpecType type(SpecId id) const { return nodes_[id].type; }
  bool is_prim_like(SpecId id) const {
    const SpecType t = type(id);
    return t == SpecType::kPrim || t == SpecType::kVariant || t == SpecType::kPseudoRoot;
  }
  bool is_property(SpecId id) const {
    const SpecType t = type(id);
    return t == SpecType::kAttribute || t == SpecType::kRelationship;
  }
  // Name of the prim, property, variant set or variant; empty for the root.
  Token name(SpecId id) const { return nodes_[id].name; }
  SpecId parent(SpecId id) const { return nodes_[id].parent; }  // kNoSpec for the root

  SpecRange properties(SpecId id) const {
    const Node& n = nodes_[id];
    return {n.first, n.first + n.properties};
  }
  // Variant sets of a prim or variant; variants of a variant set.
  SpecRange variants(SpecId id) const {
    const Node& n = nodes_[id];
    return {n.first + n.properties, n.first + n.properties + n.variants};
  }
  SpecRange prims(SpecId id) const {
    const Node& n = nodes_[id];
    const SpecId begin = n.first + n.properties + n.variants;
    return {begin, begin + n.prims};
  }

  // kNoSpec when there is none.
  SpecId FindPrim(SpecId parent, Token name) const;
  SpecId FindProperty(SpecId parent, Token name) const;
  // A variant set of a prim or variant; a variant of a variant set.
  SpecId FindVariant(SpecId parent, Token name) const;
  // By absolute path: prims, variants (/P{set=v}), variant sets (/P{set=}), properties.
  SpecId Find(Path path) const;

  // Interns. A variant set's path has an empty variant.
  Path path(SpecId id) const;

  size_t byte_size() const;

 private:
  friend class SpecTreeBuilder;
  friend class SpecTreeLayout;
  struct Node {
    Token name;
    SpecId parent = kNoSpec;
    SpecId first = 0;
    uint32_t properties = 0;
    uint32_t prims = 0;
    uint32_t variants = 0;
    SpecType type = SpecType::kPseudoRoot;
  };

  SpecId FindIn(SpecRange run, SpecId parent, Token name) const;
  void BuildIndex();

  std::vector<Node> nodes_;
  std::vector<SpecId> index_;  // open addressing over the members of long runs
};

// Collects specs in any order (a parent before its children) and lays them out.
class SpecTreeBuilder {
 public:
  SpecTreeBuilder();

  // Adds a spec below `parent` (a provisional id; kRootSpec is the root) behind its siblings of the
  // same sort and returns its provisional id. The caller keeps names unique.
  SpecId Add(SpecId parent, SpecType type, Token name);
  void Reserve(size_t specs) { nodes_.reserve(specs); }
  size_t size() const { return nodes_.size(); }

  // `final_ids`, if given, receives the final id of every provisional one.
  SpecTree Build(std::vector<SpecId>* final_ids) &&;

 private:
  enum Sort { kProperties, kVariants, kPrims, kSorts };
  struct Node {
    Token name;
    SpecId parent;
    SpecId next = kNoSpec;  // sibling of the same sort
    SpecId first[kSorts] = {kNoSpec, kNoSpec, kNoSpec};
    SpecId last[kSorts] = {kNoSpec, kNoSpec, kNoSpec};
    SpecType type;
  };
  static Sort SortOf(SpecType type);

  std::vector<Node> nodes_;
};

// Lays out specs that come in final order, without a copy: ids are given in the order of Add, which
// must name parents by ascending id and, of one parent, first its properties, then variants, then
// prims.
class SpecTreeLayout {
 public:
  explicit SpecTreeLayout(size_t specs) {
    tree_.nodes_.reserve(specs);
    tree_.nodes_.emplace_back();
  }

  SpecId Add(SpecId parent, SpecType type, Token name);
  SpecId size() const { return static_cast<SpecId>(tree_.nodes_.size()); }
  SpecTree Build() &&;

 private:
  SpecTree tree_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_SPEC_TREE_H_
