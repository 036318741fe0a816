#include "scene/stage/prim_range.h"

namespace stagedoor {

PrimRange::Iterator::Iterator(Prim root, PrimFlagsPredicate predicate)
    : stage_(root.stage_), predicate_(predicate), current_(root) {
  if (!root.valid()) {
    done_ = true;
    return;
  }
  if (root.IsInstanceProxy()) predicate_ = predicate_.WithInstanceProxies();
  if (root.IsPseudoRoot()) {
    // The pseudo-root itself is not visited.
    Descend();
    Advance();
  } else if (!predicate_(root.data().flags)) {
    done_ = true;
  }
}

PrimRange::Iterator& PrimRange::Iterator::operator++() {
  if (!prune_) Descend();
  prune_ = false;
  Advance();
  return *this;
}

void PrimRange::Iterator::Descend() {
  const PrimData* data = current_.data_;
  const Prototype* within = current_.within_;
  Path instance_path = current_.instance_path_;
  if (data->prototype) {
    // The prims below an instance are those of its prototype, seen as instance proxies.
    if (!predicate_.instance_proxies) return;
    instance_path = current_.path();
    within = data->prototype;
    data = &within->root;
  }
  const auto children = data->child_span();
  if (!children.empty()) {
    stack_.push_back({children.data(), children.data() + children.size(), within, instance_path});
  }
}

void PrimRange::Iterator::Advance() {
  while (!stack_.empty()) {
    Level& level = stack_.back();
    while (level.next != level.end && !predicate_(level.next->flags)) ++level.next;
    if (level.next != level.end) {
      current_ = Prim(stage_, level.next++, level.within, level.instance_path);
      return;
    }
    stack_.pop_back();
  }
  done_ = true;
}

}  // namespace stagedoor
