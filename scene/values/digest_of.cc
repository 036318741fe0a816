#include "scene/values/digest_of.h"

#include <cstdint>
#include <string_view>

#include "base/fingerprinter.h"
#include "base/status_macros.h"
#include "scene/values/array_owner.h"

namespace stagedoor {
namespace {

// Bytes between two looks at the deadline.
constexpr size_t kPiece = size_t{1} << 20;

absl::StatusOr<ArrayDigest> DigestOfContents(RequestContext& context, ValueType type,
                                             std::string_view bytes, uint64_t count) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(ValueTypeKeyword(type));
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    SD_RETURN_IF_ERROR(context.Check());
    fingerprinter.Add(bytes.substr(at, kPiece));
  }
  return ArrayDigest::OfContents(fingerprinter.FinishWords(), count);
}

}  // namespace

absl::StatusOr<std::optional<ArrayDigest>> DigestOf(RequestContext& context, ValueType type,
                                                    const ArrayBase& array, size_t element_bytes) {
  const std::string_view bytes(static_cast<const char*>(array.raw_data()),
                               array.size() * element_bytes);
  if (bytes.size() < kMinDigestedBytes || !array.owner()) return std::nullopt;
  if (const auto* asset = dynamic_cast<const AssetArrayOwner*>(array.owner().get())) {
    if (!asset->has_origin()) return std::nullopt;
    return asset->DigestOf(bytes.data(), static_cast<uint8_t>(type), array.size());
  }
  const auto* heap = dynamic_cast<const HeapArrayOwner*>(array.owner().get());
  if (heap == nullptr) return std::nullopt;
  if (const ArrayDigest* known = heap->Find(bytes.data(), array.size())) return *known;
  if (heap->Unique() || heap->remembers()) return std::nullopt;
  SD_ASSIGN_OR_RETURN(const ArrayDigest digest,
                      DigestOfContents(context, type, bytes, array.size()));
  heap->Remember(bytes.data(), array.size(), digest);
  return digest;
}

}  // namespace stagedoor
