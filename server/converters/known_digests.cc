#include "server/converters/known_digests.h"

#include <string>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "server/check_count.h"

namespace stagedoor::server {

absl::StatusOr<KnownDigests> KnownDigests::Parse(RequestContext& context,
                                                 const v1::DigestOptions& options) {
  const auto count = static_cast<size_t>(options.known_size());
  SD_RETURN_IF_ERROR(CheckCount(count, kMost, "known digests"));
  // A flat_hash_set doubles when it is 7/8 full, and has one byte more for each place.
  SD_RETURN_IF_ERROR(context.Reserve(3 * count * ArrayDigest::kBytes, "the known digests"));
  KnownDigests known;
  known.digests_.reserve(count);
  Pacer pacer(context);
  for (const std::string& bytes : options.known()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (const auto digest = ArrayDigest::FromBytes(bytes)) known.digests_.insert(*digest);
  }
  return known;
}

}  // namespace stagedoor::server
