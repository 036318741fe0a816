#include "server/queries/instance_indices.h"

#include <span>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

// The elements of `all` at `indices`.
template <typename To, typename From>
Array<To> Picked(const Array<From>& all, std::span<const uint32_t> indices) {
  To* out;
  auto picked = Array<To>::Uninitialized(indices.size(), &out);
  for (size_t i = 0; i < indices.size(); ++i) out[i] = static_cast<To>(all[indices[i]]);
  return picked;
}

}  // namespace

absl::StatusOr<InstanceIndices> FindInstanceIndices(RequestContext& context,
                                                    const InstanceTransforms& instances,
                                                    bool drop_masked) {
  const size_t count = instances.proto_indices.size();
  const bool drops = drop_masked && !instances.mask.empty();
  InstanceIndices found;
  found.reserved = Reservation(context);
  SD_RETURN_IF_ERROR(
      found.reserved.Grow(count * (2 * sizeof(uint32_t) + sizeof(int64_t)), "indices"));
  std::vector<uint32_t> kept;
  kept.reserve(count);
  Pacer pacer(context);
  for (size_t i = 0; i < count; ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!drops || instances.mask[i]) kept.push_back(static_cast<uint32_t>(i));
  }
  found.prototypes = Picked<uint32_t>(instances.proto_indices, kept);
  // As OpenUSD's mask, ids that do not match the instances in number are not those of instances.
  if (!instances.ids.empty() && instances.ids.size() == count) {
    found.ids = Picked<int64_t>(instances.ids, kept);
  }
  found.instances = Array<uint32_t>::FromVector(std::move(kept));
  return found;
}

}  // namespace stagedoor::server
