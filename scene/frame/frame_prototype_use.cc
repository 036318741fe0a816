#include "scene/frame/frame_prototype_use.h"

namespace stagedoor {

FramePrototypeUse::FramePrototypeUse(FrameLayerWork& work)
    : work_(work), plan_(work.source.plan), pacer_(work.context), reserved_(work.context) {
  const size_t count = plan_.prototypes.size();
  used_.resize(count);
  in_place_.resize(count);
  is_over_.resize(count);
  if (count == 0) return;
  FindRanges();
  FindUsed();
  FindRows();
  for (size_t i = 0; i < count; ++i) {
    is_over_[i] = used_[i] && !in_place_[i] && !IsBelowInstancer(plan_.prototypes[i].prim);
  }
}

void FramePrototypeUse::FindRanges() {
  const size_t count = plan_.prototypes.size();
  constexpr size_t kBytes = sizeof(std::pair<size_t, size_t>) + sizeof(uint32_t) + 1;
  if (!reserved_.Grow(count * kBytes, "prototypes of a frame").ok()) return;
  ranges_.resize(count);
  for (size_t i = 0; i < plan_.prims.size() && pacer_.Go(); ++i) {
    const uint32_t prototype = plan_.prims[i].prototype;
    if (prototype == kNoIndex) continue;
    auto& [first, last] = ranges_[prototype];
    if (last == 0) first = i;
    last = i + 1;
  }
}

// Starts with what is drawn where it is. Prototypes may contain instancers with others.
void FramePrototypeUse::FindUsed() {
  for (const FramePrim& row : plan_.prims) {
    if (!pacer_.Go()) return;
    if (row.prototype == kNoIndex) AddPrototypesOf(row);
  }
  while (!queue_.empty()) {
    const uint32_t prototype = queue_.back();
    queue_.pop_back();
    const auto [first, last] = ranges_[prototype];
    for (size_t i = first; i < last && pacer_.Go(); ++i) {
      if (plan_.prims[i].prototype == prototype) AddPrototypesOf(plan_.prims[i]);
    }
  }
}

void FramePrototypeUse::AddPrototypesOf(const FramePrim& row) {
  if (row.geometry == kNoIndex || !plan_.geometry[row.geometry].is_instancer) return;
  if (!work_.IsKept(row)) return;
  if (!instancers_.Find(row.prim)) {
    if (!reserved_.Grow(kPrimMapBytes, "instancers of a frame").ok()) return;
    instancers_.Add(row.prim, true);
  }
  for (const uint32_t prototype : plan_.geometry[row.geometry].prototypes) {
    if (!pacer_.Go()) return;
    if (prototype == kNoIndex || used_[prototype]) continue;
    used_[prototype] = true;
    queue_.push_back(prototype);
  }
}

void FramePrototypeUse::FindRows() {
  for (const FramePrim& row : plan_.prims) {
    if (!pacer_.Go()) return;
    if (row.prototype == kNoIndex || !used_[row.prototype] || rows_.Find(row.prim)) continue;
    if (!reserved_.Grow(kPrimMapBytes, "rows of prototypes").ok()) return;
    rows_.Add(row.prim, true);
  }
  if (rows_.size() == 0) return;
  PrimMap<bool> in_place;
  Reservation reserved(work_.context);
  for (const FramePrim& row : plan_.prims) {
    if (!pacer_.Go()) return;
    if (row.prototype != kNoIndex || !Has(row.prim) || !work_.IsKept(row)) continue;
    if (!reserved.Grow(kPrimMapBytes, "rows of prototypes").ok()) return;
    in_place.Add(row.prim, true);
  }
  for (const FramePrim& row : plan_.prims) {
    if (!pacer_.Go()) return;
    if (row.prototype != kNoIndex && in_place.Find(row.prim)) in_place_[row.prototype] = true;
  }
}

bool FramePrototypeUse::IsBelowInstancer(const Prim& prim) {
  for (Prim at = prim.parent(); at.valid() && pacer_.Go(); at = at.parent()) {
    if (instancers_.Find(at)) return true;
  }
  return false;
}

}  // namespace stagedoor
