#ifndef STAGEDOOR_SCENE_GEOM_XFORM_ANCESTRY_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_ANCESTRY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "scene/geom/prim_map.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Some prims and their ancestors without duplicates, parents first. Not thread-safe.
class XformAncestry {
 public:
  static constexpr int kNone = -1;

  // Incomplete once the request is over. All valid prims must belong to one stage.
  XformAncestry(RequestContext& context, std::span<const Prim> prims) {
    nodes_of_.reserve(prims.size());
    Pacer pacer(context);
    const Prim* last = nullptr;
    for (const Prim& prim : prims) {
      if (prim.valid() && stage_ == nullptr) stage_ = &prim.stage();
      // Prims that follow each other mostly have one parent.
      const bool is_last = last != nullptr && *last == prim;
      nodes_of_.push_back(is_last ? nodes_of_.back() : prim.valid() ? Add(pacer, prim) : kNone);
      last = &prim;
    }
  }

  // The stage of the prims; null if none is valid.
  const Stage* stage() const { return stage_; }
  size_t size() const { return prims_.size(); }
  const Prim& prim(size_t node) const { return prims_[node]; }
  // The node of the parent; kNone for a child of the pseudo-root.
  int parent(size_t node) const { return parents_[node]; }
  // The node of a prim; kNone if it has none.
  int Find(const Prim& prim) const {
    const int* node = nodes_.Find(prim);
    return node != nullptr ? *node : kNone;
  }
  // For each of the prims, its node; kNone for the pseudo-root and for invalid ones.
  const std::vector<int>& nodes_of() const { return nodes_of_; }

 private:
  int Add(Pacer& pacer, const Prim& prim) {
    chain_.clear();
    int known = kNone;
    for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
      if (const int* node = nodes_.Find(at)) {
        known = *node;
        break;
      }
      chain_.push_back(at);
    }
    if (!pacer.Go(static_cast<int64_t>(1 + chain_.size()))) return known;
    for (; !chain_.empty(); chain_.pop_back()) {
      const int node = static_cast<int>(prims_.size());
      nodes_.Add(chain_.back(), node);
      prims_.push_back(chain_.back());
      parents_.push_back(known);
      known = node;
    }
    return known;
  }

  const Stage* stage_ = nullptr;
  PrimMap<int> nodes_;
  std::vector<Prim> prims_;
  std::vector<int> parents_;
  std::vector<int> nodes_of_;
  std::vector<Prim> chain_;  // scratch
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_ANCESTRY_H_
