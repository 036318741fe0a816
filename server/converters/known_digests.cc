#include "server/converters/known_digests.h"

#include <functional>
#include <string>

#include "base/paced_sort.h"
#include "base/status_macros.h"
#include "server/check_count.h"

namespace stagedoor::server {

absl::StatusOr<KnownDigests> KnownDigests::Parse(RequestContext& context,
                                                 const v1::DigestOptions& options) {
  const auto count = static_cast<size_t>(options.known_size());
  SD_RETURN_IF_ERROR(CheckCount(count, kMost, "known digests"));
  // Sorting takes as many bytes again.
  SD_RETURN_IF_ERROR(context.Reserve(2 * count * ArrayDigest::kBytes, "the known digests"));
  KnownDigests known;
  known.digests_.reserve(count);
  Pacer pacer(context);
  for (const std::string& bytes : options.known()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (const auto digest = ArrayDigest::FromBytes(bytes)) known.digests_.push_back(*digest);
  }
  SD_RETURN_IF_ERROR(
      PacedStableSort(pacer, known.digests_.begin(), known.digests_.end(), std::less<>()));
  return known;
}

}  // namespace stagedoor::server
