#ifndef STAGEDOOR_SCENE_USDC_SPARSE_SOURCE_H_
#define STAGEDOOR_SCENE_USDC_SPARSE_SOURCE_H_

#include <utility>

#include "resolver/sparse_bytes.h"
#include "scene/values/array_owner.h"

namespace stagedoor {

// The owner of arrays that are views of an asset of which parts are fetched on demand.
//
// Thread-safe.
class SparseSource final : public AssetArrayOwner {
 public:
  SparseSource(SparseView view, const Origin& origin)
      : AssetArrayOwner(origin), view_(std::move(view)) {}

  const SparseView& view() const { return view_; }

 private:
  const SparseView view_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_SPARSE_SOURCE_H_
