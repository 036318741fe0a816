#include "scene/stage/population.h"

#include "scene/schema/prim_definition_cache.h"

namespace stagedoor {

Population::Population(MemoryPool* pool, std::shared_ptr<PathScope> paths,
                       std::shared_ptr<PrimDefinitionCache> definitions)
    : paths(std::move(paths)), memory(pool), definitions(std::move(definitions)) {}

Population::~Population() = default;

void Population::VisitPrims(const std::function<bool(const PrimData&)>& visit) const {
  std::vector<const PrimData*> todo = {&root};
  for (const auto& prototype : prototypes) todo.push_back(&prototype->root);
  while (!todo.empty()) {
    const PrimData* prim = todo.back();
    todo.pop_back();
    if (!visit(*prim)) return;
    for (const PrimData& child : prim->child_span()) todo.push_back(&child);
  }
}

const Population::LayerStacks& Population::ReferencedStacks() const {
  MutexLock lock(mu_);
  if (referenced_ != nullptr) return *referenced_;
  auto stacks = std::make_shared<LayerStacks>();
  std::unordered_set<const LayerStack*> known;
  VisitPrims([&](const PrimData& prim) {
    for (const PrimIndexNode& node : prim.opinions.index.index->nodes()) {
      if (node.layer_stack->is_stage_root() || !known.insert(node.layer_stack).second) continue;
      stacks->push_back(node.layer_stack->shared_from_this());
    }
    return true;
  });
  referenced_ = std::move(stacks);
  return *referenced_;
}

}  // namespace stagedoor
