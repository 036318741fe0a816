#include "scene/stage/internal_arcs.h"

#include <utility>

#include "base/heap_costs.h"
#include "base/mutex.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

// How deeply instances in prototypes are followed; some may even contain themselves.
constexpr int kMaxArcNesting = 32;

// Kept with a stage (DerivedData).
struct KeptArcs {
  Mutex mu;
  std::shared_ptr<const InternalArcs> arcs ABSL_GUARDED_BY(mu);
};

size_t ByteSize(const std::string& key, const PrimPlace& place) {
  return 2 * kHeapBlockBytes + sizeof(PrimPlace) + key.size() + place.path.size() +
         place.within.size();
}

}  // namespace

std::string_view ParentPath(std::string_view path) {
  if (path.size() <= 1) return {};
  const size_t end = path.find_last_of("./");
  return end == 0 ? path.substr(0, 1) : path.substr(0, end);
}

class InternalArcs::Finder {
 public:
  Finder(RequestContext& context, const Stage& stage, InternalArcs& arcs)
      : pacer_(context), stage_(stage), arcs_(arcs) {}

  bool Run() {
    if (!Visit(stage_.data().population->root, std::string())) return false;
    for (const Prototype* prototype : stage_.Prototypes()) {
      if (!Visit(prototype->root, prototype->source_path.ToString())) return false;
    }
    return true;
  }

 private:
  // Visits the prims below `root`.
  bool Visit(const PrimData& root, const std::string& within) {
    std::vector<const PrimData*> todo = {&root};
    while (!todo.empty()) {
      const PrimData& prim = *todo.back();
      todo.pop_back();
      if (&prim != &root && !VisitPrim(prim, within)) return false;
      for (const PrimData& child : prim.child_span()) todo.push_back(&child);
    }
    return true;
  }

  bool VisitPrim(const PrimData& prim, const std::string& within) {
    const auto nodes = stage_.data().OpinionsOf(prim).index.index->nodes();
    if (!pacer_.Go(1 + static_cast<int64_t>(nodes.size() / 4))) return false;
    for (const PrimIndexNode& node : nodes) {
      // The arcs of ancestors are found there.
      if (node.due_to_ancestor || !node.layer_stack->is_stage_root()) continue;
      const Path site = node.path.StripVariantSelections();
      if (site == prim.path) continue;  // in a prototype, opinions of its source do not count
      Add(arcs_.arcs_, site.ToString(), {prim.path.ToString(), within});
    }
    if (prim.prototype != nullptr) {
      Add(arcs_.instances_, prim.prototype->source_path.ToString(), {prim.path.ToString(), within});
    }
    return true;
  }

  void Add(std::multimap<std::string, PrimPlace, std::less<>>& map, std::string key,
           PrimPlace place) {
    arcs_.byte_size_ += ByteSize(key, place);
    map.emplace(std::move(key), std::move(place));
  }

  Pacer pacer_;
  const Stage& stage_;
  InternalArcs& arcs_;
};

absl::StatusOr<std::shared_ptr<const InternalArcs>> InternalArcs::Find(RequestContext& context,
                                                                       const Stage& stage) {
  KeptArcs& kept = stage.derived().Get<KeptArcs>();
  {
    MutexLock lock(kept.mu);
    if (kept.arcs != nullptr) return kept.arcs;
  }
  auto arcs = std::make_shared<InternalArcs>();
  if (!Finder(context, stage, *arcs).Run()) return context.Check();
  MutexLock lock(kept.mu);
  if (kept.arcs == nullptr) {
    kept.arcs = std::move(arcs);
    stage.memory().Add(kept.arcs->byte_size());
  }
  return kept.arcs;
}

void InternalArcs::Share(std::shared_ptr<const InternalArcs> arcs, const Stage& stage) {
  KeptArcs& kept = stage.derived().Get<KeptArcs>();
  MutexLock lock(kept.mu);
  if (kept.arcs == nullptr) kept.arcs = std::move(arcs);
}

void InternalArcs::VisitUsers(const std::string& site,
                              const std::function<void(PrimPlace)>& take) const {
  for (std::string_view at = site; at.size() > 1; at = ParentPath(at)) {
    const auto [begin, end] = arcs_.equal_range(at);
    for (auto arc = begin; arc != end; ++arc) {
      take({Concat(arc->second.path, site.substr(at.size())), arc->second.within});
    }
  }
}

void InternalArcs::VisitUsersBelow(const std::string& site,
                                   const std::function<void(PrimPlace)>& take) const {
  const std::string prefix = Concat(site, '/');
  for (auto arc = arcs_.lower_bound(prefix); arc != arcs_.end(); ++arc) {
    if (!arc->first.starts_with(prefix)) return;
    take(arc->second);
  }
}

bool InternalArcs::VisitPaths(const PrimPlace& place, const std::function<bool(std::string)>& take,
                              int depth) const {
  if (place.within.empty()) return take(place.path);
  if (depth == kMaxArcNesting) return false;
  const auto [begin, end] = instances_.equal_range(place.within);
  for (auto instance = begin; instance != end; ++instance) {
    const auto below = std::string_view(place.path).substr(place.within.size());
    const auto extend = [&](const std::string& path) { return take(Concat(path, below)); };
    if (!VisitPaths(instance->second, extend, depth + 1)) return false;
  }
  return true;
}

}  // namespace stagedoor
