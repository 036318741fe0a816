#include "scene/layer/spec_tree.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/hash.h"

namespace stagedoor {
namespace {

// Runs that are longer are indexed.
constexpr size_t kLongRun = 32;

// Children of different sorts may have the same name (section 7.3.3).
enum class ChildKind : uint8_t { kPrim, kProperty, kVariant };

ChildKind ChildKindOf(SpecType type) {
  switch (type) {
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      return ChildKind::kProperty;
    case SpecType::kVariantSet:
    case SpecType::kVariant:
      return ChildKind::kVariant;
    default:
      return ChildKind::kPrim;
  }
}

// HashCombine is not enough: opening a crate of a million specs takes 4 % longer.
size_t HashOf(SpecId parent, Token name, ChildKind kind) {
  return MixBits(name.hash() ^ SpreadBits(uint64_t{parent} << 8 | static_cast<uint64_t>(kind)));
}

}  // namespace

SpecId SpecTree::FindPrim(SpecId parent, Token name) const {
  return FindIn(prims(parent), parent, name);
}
SpecId SpecTree::FindProperty(SpecId parent, Token name) const {
  return FindIn(properties(parent), parent, name);
}
SpecId SpecTree::FindVariant(SpecId parent, Token name) const {
  return FindIn(variants(parent), parent, name);
}

SpecId SpecTree::FindIn(SpecRange run, SpecId parent, Token name) const {
  if (run.size() <= kLongRun) {
    for (const SpecId id : run) {
      if (names_[id] == name) return id;
    }
    return kNoSpec;
  }
  const ChildKind kind = ChildKindOf(type(run.first()));
  const size_t mask = index_.size() - 1;
  for (size_t i = HashOf(parent, name, kind) & mask; index_[i] != kNoSpec; i = (i + 1) & mask) {
    if (names_[index_[i]] == name && run.Contains(index_[i])) return index_[i];
  }
  return kNoSpec;
}

SpecId SpecTree::parent(SpecId id) const {
  const auto after =
      std::upper_bound(children_.begin(), children_.end() - 1, id,
                       [](SpecId spec, const Children& children) { return spec < children.first; });
  return after == children_.begin() ? kNoSpec : (after - 1)->parent;
}

SpecId SpecTree::Find(Path path) const {
  if (!path.IsAbsolute()) return kNoSpec;
  if (path.IsAbsoluteRoot()) return kRootSpec;
  const SpecId up = Find(path.Parent());
  if (up == kNoSpec) return kNoSpec;
  switch (path.kind()) {
    case Path::Kind::kPrim:
      return is_prim_like(up) ? FindPrim(up, path.name()) : kNoSpec;
    case Path::Kind::kProperty:
      return is_prim_like(up) ? FindProperty(up, path.name()) : kNoSpec;
    case Path::Kind::kVariantSelection: {
      const SpecId set = is_prim_like(up) ? FindVariant(up, path.name()) : kNoSpec;
      if (set == kNoSpec || path.variant().empty()) return set;
      return FindVariant(set, path.variant());
    }
    default:
      return kNoSpec;
  }
}

Path SpecTree::path(SpecId id) const {
  const SpecId up = parent(id);
  switch (type(id)) {
    case SpecType::kPseudoRoot:
      return Path::AbsoluteRoot();
    case SpecType::kPrim:
      return path(up).AppendChild(name(id));
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      return path(up).AppendProperty(name(id));
    case SpecType::kVariantSet:
      return path(up).AppendVariantSelection(name(id), Token());
    case SpecType::kVariant:
      return path(parent(up)).AppendVariantSelection(name(up), name(id));
  }
  return Path();
}

size_t SpecTree::byte_size() const {
  return names_.capacity() * sizeof(Token) + kinds_.capacity() * sizeof(uint8_t) +
         groups_.capacity() * sizeof(uint32_t) + children_.capacity() * sizeof(Children) +
         index_.capacity() * sizeof(SpecId);
}

SpecTree::Children& SpecTree::MakeChildren(SpecId parent) {
  if (children_.empty() || children_.back().parent != parent) {
    children_.push_back({.parent = parent, .first = static_cast<SpecId>(names_.size())});
  }
  return children_.back();
}

void SpecTree::RankParents() {
  groups_.reserve(size() / kGroup + 1);
  uint32_t rank = 0;
  for (SpecId id = 0; id < size(); ++id) {
    if (id % kGroup == 0) groups_.push_back(rank);
    kinds_[id] |= static_cast<uint8_t>((rank - groups_.back()) << kTypeBits);
    if (children_[rank].parent == id) ++rank;
  }
}

void SpecTree::BuildIndex() {
  size_t members = 0;
  const auto each_long_run = [this](auto visit) {
    for (const Children& all : children_) {
      if (std::max({all.properties, all.variants, all.prims}) <= kLongRun) continue;
      const SpecId id = all.parent;
      for (const SpecRange run : {properties(id), variants(id), prims(id)}) {
        if (run.size() > kLongRun) visit(run, id);
      }
    }
  };
  each_long_run([&](SpecRange run, SpecId) { members += run.size(); });
  if (members == 0) return;
  index_.assign(std::bit_ceil(members * 2), kNoSpec);
  const size_t mask = index_.size() - 1;
  each_long_run([&](SpecRange run, SpecId parent) {
    for (const SpecId id : run) {
      size_t i = HashOf(parent, names_[id], ChildKindOf(type(id))) & mask;
      while (index_[i] != kNoSpec) i = (i + 1) & mask;
      index_[i] = id;
    }
  });
}

SpecTreeBuilder::SpecTreeBuilder() {
  nodes_.push_back({.name = Token(), .parent = kNoSpec, .type = SpecType::kPseudoRoot});
}

SpecTreeBuilder::ChildKind SpecTreeBuilder::ChildKindOf(SpecType type) {
  switch (type) {
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      return kProperties;
    case SpecType::kVariantSet:
    case SpecType::kVariant:
      return kVariants;
    default:
      return kPrims;
  }
}

SpecId SpecTreeBuilder::Add(SpecId parent, SpecType type, Token name) {
  const SpecId id = static_cast<SpecId>(nodes_.size());
  nodes_.push_back({.name = name, .parent = parent, .type = type});
  const ChildKind kind = ChildKindOf(type);
  Node& up = nodes_[parent];
  if (up.first[kind] == kNoSpec) {
    up.first[kind] = id;
  } else {
    nodes_[up.last[kind]].next = id;
  }
  up.last[kind] = id;
  return id;
}

SpecTree SpecTreeBuilder::Build(std::vector<SpecId>* final_ids) && {
  OrderedSpecTreeBuilder tree(nodes_.size());
  std::vector<SpecId> order;  // provisional ids by final id
  order.reserve(nodes_.size());
  order.push_back(kRootSpec);
  for (SpecId id = 0; id < order.size(); ++id) {
    for (const SpecId first : nodes_[order[id]].first) {
      for (SpecId c = first; c != kNoSpec; c = nodes_[c].next) {
        tree.Add(id, nodes_[c].type, nodes_[c].name);
        order.push_back(c);
      }
    }
  }
  if (final_ids) {
    final_ids->resize(nodes_.size());
    for (SpecId id = 0; id < order.size(); ++id) (*final_ids)[order[id]] = id;
  }
  return std::move(tree).Build();
}

SpecId OrderedSpecTreeBuilder::Add(SpecId parent, SpecType type, Token name) {
  const SpecId id = size();
  SpecTree::Children& up = tree_.MakeChildren(parent);
  AddSpec(type, name);
  switch (type) {
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      ++up.properties;
      break;
    case SpecType::kVariantSet:
    case SpecType::kVariant:
      ++up.variants;
      break;
    default:
      ++up.prims;
  }
  return id;
}

SpecTree OrderedSpecTreeBuilder::Build() && {
  tree_.children_.emplace_back();  // for specs without children
  tree_.children_.shrink_to_fit();
  tree_.RankParents();
  tree_.BuildIndex();
  return std::move(tree_);
}

}  // namespace stagedoor
