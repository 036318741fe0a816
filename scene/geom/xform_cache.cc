#include "scene/geom/xform_cache.h"

#include "scene/geom/geom_tokens.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {

Matrix4d& XformCache::Add(const Prim& prim) {
  const size_t at = worlds_.size() % kChunk;
  if (at == 0) chunks_.push_back(std::make_unique_for_overwrite<Matrix4d[]>(kChunk));
  Matrix4d& world = chunks_.back()[at];
  worlds_.Add(prim, &world);
  return world;
}

Matrix4d XformCache::Local(RequestContext& context, const Prim& prim, bool* resets_xform_stack) {
  if (stage_ != &prim.stage()) {
    stage_ = &prim.stage();
    table_ = &XformTable::Of(*stage_);
  }
  return LocalTransform(context, *table_, prim, time_, resets_xform_stack);
}

const Matrix4d& XformCache::LocalToWorld(RequestContext& context, const Prim& prim) {
  // Walks up to the nearest ancestor with a known transform and down again. Not recursive, because
  // namespaces may be deep.
  chain_.clear();
  const Matrix4d* known = nullptr;
  for (Prim at = prim; at.valid(); at = at.parent()) {
    if (const Matrix4d* const* world = worlds_.Find(at)) {
      known = *world;
      break;
    }
    chain_.push_back(at);
  }
  while (!chain_.empty()) {
    const Prim at = chain_.back();
    chain_.pop_back();
    bool resets = false;
    const Matrix4d local = Local(context, at, &resets);
    Matrix4d& world = Add(at);
    world = resets || !known ? local : local * *known;
    known = &world;
  }
  return *known;
}

Matrix4d XformCache::ParentToWorld(RequestContext& context, const Prim& prim) {
  const Prim parent = prim.parent();
  return parent.valid() ? LocalToWorld(context, parent) : Matrix4d::Identity();
}

}  // namespace stagedoor
