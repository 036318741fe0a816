#include "scene/composition/outer_context.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/heap_costs.h"
#include "scene/composition/prim_index_graph.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

// The memory of a context with its mapping and reference counts.
constexpr size_t kContextBytes = sizeof(OuterContext) + 8 * sizeof(void*) + 2 * kHeapBlockBytes;

// Publishes an object in an empty slot. If another thread was faster, its object is returned and
// `made` is freed.
template <typename T>
const T* KeepFirst(std::atomic<const T*>* slot, std::unique_ptr<const T> made) {
  const T* first = nullptr;
  if (!slot->compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return first;
  return made.release();
}

}  // namespace

OuterContext::OuterContext(MapFunction map, ArcPath arc_path, MemoryPool* memory)
    : StageMapFunction(std::move(map), arc_path.target.arc),
      arc_path_(new ArcPath(std::move(arc_path))),
      charge_(memory) {
  charge_.Add(kContextBytes + arc_path_.load()->byte_size());
}

OuterContext::OuterContext(const OuterContext* real, MapFunction map, Path proxy_path)
    : StageMapFunction(std::move(map), ArcType::kRoot, proxy_path),
      real_(real),
      charge_(real->charge_.pool()) {
  charge_.Add(kContextBytes);
}

OuterContext::OuterContext(std::shared_ptr<const OuterContext> outer,
                           std::shared_ptr<const OuterContext> inner)
    : StageMapFunction(outer->ComposeToStage(*inner), inner->arc()),
      outer_(std::move(outer)),
      inner_(std::move(inner)),
      charge_(outer_->charge_.pool()) {
  charge_.Add(kContextBytes);
}

OuterContext::~OuterContext() {
  delete arc_path_.load(std::memory_order_relaxed);
  delete proxy_context_.load(std::memory_order_relaxed);
}

std::shared_ptr<const OuterContext> OuterContext::Combine(
    std::shared_ptr<const OuterContext> outer, std::shared_ptr<const OuterContext> inner) {
  if (!outer || !inner) return outer ? std::move(outer) : std::move(inner);
  return std::make_shared<const OuterContext>(std::move(outer), std::move(inner));
}

const ArcPath& OuterContext::arc_path() const {
  // A proxy represents places of this arc path.
  if (real_) return real_->arc_path();
  if (const ArcPath* arc_path = arc_path_.load(std::memory_order_acquire)) return *arc_path;
  std::unique_ptr<const ArcPath> made = std::make_unique<const ArcPath>(Join());
  const ArcPath* joined = made.get();
  const ArcPath* kept = KeepFirst(&arc_path_, std::move(made));
  // Charged once, by the thread whose arc path was kept.
  if (kept == joined) charge_.Add(kept->byte_size());
  return *kept;
}

ArcPath OuterContext::Join() const {
  const ArcPath& up = outer_->arc_path();
  const ArcPath& in = inner_->arc_path();
  // The inner arc path begins at the root of the outer tree, which is the outer target. In the tree
  // of a proxy, it begins with nodes for the outer chain, which the real ones replace.
  const bool proxy = !outer_->proxy_path().empty();
  const size_t at = proxy ? up.chain.size() : 0;
  const auto shift = static_cast<int16_t>(proxy ? 0 : up.chain.size());
  const Path to = at < in.chain.size() ? in.chain[at].path : in.target.path;
  ArcPath arc_path;
  arc_path.chain = up.chain;
  for (PrimIndexNode& node : arc_path.chain)
    node.path = to.ReplacePrefix(up.target.path, node.path);
  for (size_t i = at; i <= in.chain.size(); ++i) {
    PrimIndexNode node = i < in.chain.size() ? in.chain[i] : in.target;
    // The outer target gets the arc by which the stage reaches it.
    if (i == at) {
      node.arc = up.target.arc;
      node.parent = up.target.parent;
      node.origin = up.target.origin;
      node.sibling = up.target.sibling;
      node.depth = up.target.depth;
      node.due_to_ancestor = true;
      node.map_to_parent = up.target.map_to_parent;
    } else {
      node.parent = static_cast<int16_t>(node.parent + shift);
      node.origin = static_cast<int16_t>(node.origin + shift);
    }
    node.map_to_root =
        arc_path.chain[static_cast<size_t>(node.parent)].map_to_root.Compose(node.map_to_parent);
    arc_path.chain.push_back(std::move(node));
  }
  arc_path.target = std::move(arc_path.chain.back());
  arc_path.chain.pop_back();
  arc_path.chain.shrink_to_fit();
  arc_path.instances = up.instances;
  // Instances of the inner arc path are paths in the outer tree.
  for (const Path path : in.instances)
    arc_path.instances.push_back(outer_->MapSourceToTarget(path));
  return arc_path;
}

std::shared_ptr<const OuterContext> OuterContext::ForProxy(
    const std::shared_ptr<const OuterContext>& outer) {
  const OuterContext* known = outer->proxy_context_.load(std::memory_order_acquire);
  if (known) return {outer, known};
  // An internal reference keeps paths of the site visible, for which a proxy has no
  // substitute.
  if (!outer->proxy_path().empty() || outer->HasRootIdentity()) return nullptr;
  const ArcPath& arc_path = outer->arc_path();
  const Path top = arc_path.target.path;
  if (top.ContainsVariantSelection()) return nullptr;
  // A node may have been introduced several levels above the tree, where the proxy needs an
  // ancestor too, since strength depends on the depth of introduction (10.4).
  int depth = 1;
  for (const PrimIndexNode& node : arc_path.chain) {
    if (node.path.ContainsVariantSelection() || node.arc == ArcType::kVariant) return nullptr;
    depth = std::max(depth, DepthBelow(arc_path, node) - NamespaceDepth(top) + 1);
  }
  depth = std::max(depth, DepthBelow(arc_path, arc_path.target) - NamespaceDepth(top) + 1);
  static const Token name("<place>");  // not an identifier, so no layer has such a prim
  Path prefix = Path::AbsoluteRoot();
  for (int i = 0; i < depth; ++i) prefix = prefix.AppendChild(name);
  // Opinions of the root layer stack are in the stage's namespace already (the root identity); the
  // tree's paths below the proxy are mapped by the arc path.
  std::vector<Pair> pairs = {{Path::AbsoluteRoot(), Path::AbsoluteRoot()}, {prefix, Path()}};
  for (const auto& [source, target] : outer->pairs()) {
    pairs.emplace_back(ProxyPath(source, prefix), target);
  }
  std::unique_ptr<const OuterContext> made(
      new OuterContext(outer.get(), MapFunction::Make(std::move(pairs), LayerOffset()), prefix));
  return {outer, KeepFirst(&outer->proxy_context_, std::move(made))};
}

}  // namespace stagedoor
