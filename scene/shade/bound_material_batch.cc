#include "scene/shade/bound_material_batch.h"

#include <algorithm>
#include <unordered_set>

#include "base/pacer.h"
#include "scene/paths/path.h"

namespace stagedoor {
namespace {

constexpr size_t kMinPiece = 512;  // prims; each piece evaluates the prims above its own
constexpr size_t kPiecesPerThread = 4;
constexpr size_t kAhead = 8;  // prims; far enough for the prefetch to complete

}  // namespace

BoundMaterialBatch::BoundMaterialBatch(RequestContext& context, std::span<const Prim> prims,
                                       std::span<const std::string_view> purposes,
                                       Executor* executor)
    : context_(context), reserved_(context) {
  const size_t items = prims.size() * purposes.size();
  const size_t bytes = items * (sizeof(const MaterialBinding*) + sizeof(Path));
  if (!reserved_.Grow(bytes, "material bindings").ok()) return;
  found_.resize(items);
  materials_.resize(items);
  const size_t threads = executor == nullptr ? 1 : static_cast<size_t>(executor->concurrency());
  const size_t most = threads <= 1 ? 1 : kPiecesPerThread * threads;
  const size_t grain = std::max(kMinPiece, (prims.size() + most - 1) / most);
  for (size_t begin = 0; begin < prims.size(); begin += grain) {
    pieces_.push_back(std::make_unique<MaterialBindings>(context));
  }
  const auto find = [&](size_t begin, size_t end) {
    MaterialBindings& bindings = *pieces_[begin / grain];
    for (size_t p = begin; p < end; ++p) {
      if (p + kAhead < end && prims[p + kAhead].valid()) bindings.Prefetch(prims[p + kAhead]);
      if (!prims[p].valid()) continue;
      for (size_t q = 0; q < purposes.size(); ++q) {
        const MaterialBinding* found = bindings.Find(prims[p], purposes[q]);
        if (found == nullptr) continue;
        found_[p * purposes.size() + q] = found;
        materials_[p * purposes.size() + q] = found->material;
      }
    }
  };
  if (pieces_.size() > 1) {
    ParallelFor(*executor, prims.size(), grain, find);
  } else if (!pieces_.empty()) {
    find(0, prims.size());
  }
}

std::vector<BrokenBinding> BoundMaterialBatch::Broken() const {
  std::vector<BrokenBinding> all;
  std::unordered_set<Path> known;
  Pacer pacer(context_);
  for (const auto& piece : pieces_) {
    for (const BrokenBinding& broken : piece->broken()) {
      if (all.size() == MaterialBindings::kMaxBroken || !pacer.Go()) return all;
      if (known.insert(broken.relationship).second) all.push_back(broken);
    }
  }
  return all;
}

}  // namespace stagedoor
