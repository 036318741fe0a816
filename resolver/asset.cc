#include "resolver/asset.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {

absl::StatusOr<PinnedBytes> ReadAll(RequestContext& context, const Asset& asset,
                                    uint64_t max_bytes) {
  if (asset.size() > max_bytes) {
    return ResourceExhaustedError(Quoted(asset.name()), " has ", asset.size(), " bytes; at most ",
                                  max_bytes, " are allowed");
  }
  if (auto mapping = asset.GetBuffer()) return *std::move(mapping);
  if (const auto sparse = asset.GetSparseBuffer()) {
    if (sparse->size() > 0) SD_RETURN_IF_ERROR(sparse->Ensure(context, {{0, sparse->size()}}));
    return PinnedBytes{sparse->bytes(), sparse->whole()};
  }
  auto copy = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(asset.size()));
  size_t done = 0;
  while (done < copy->size()) {
    SD_RETURN_IF_ERROR(context.Check());
    SD_ASSIGN_OR_RETURN(const size_t count,
                        asset.Read(context, done, std::span(*copy).subspan(done)));
    if (count == 0)
      return DataLossError(Quoted(asset.name()), " is truncated: it ended after ", done, " bytes");
    done += count;
  }
  return PinnedBytes{std::span<const std::byte>(*copy), copy};
}

std::shared_ptr<const Asset> InMemoryAsset::FromString(std::string name, AssetVersion version,
                                                       std::string content) {
  const auto owner = std::make_shared<const std::string>(std::move(content));
  const PinnedBytes bytes{std::as_bytes(std::span(owner->data(), owner->size())), owner};
  return std::make_shared<InMemoryAsset>(std::move(name), std::move(version), bytes);
}

absl::StatusOr<size_t> InMemoryAsset::Read(RequestContext&, uint64_t offset,
                                           std::span<std::byte> out) const {
  if (offset >= size()) return size_t{0};
  const size_t count = std::min(out.size(), content_.bytes.size() - static_cast<size_t>(offset));
  if (count != 0) std::memcpy(out.data(), content_.bytes.data() + offset, count);
  SD_RETURN_IF_ERROR(Check());
  return count;
}

}  // namespace stagedoor
