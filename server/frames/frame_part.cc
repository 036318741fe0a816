#include "server/frames/frame_part.h"

#include <cstddef>
#include <string>

#include "base/reservation.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/values/array_digest.h"
#include "scene/values/digest_of.h"
#include "server/converters/packed_values.h"

namespace stagedoor::server {
namespace {

// Bytes between two looks at the deadline.
constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

void FramePart::FillArrays(ReplyBudget& budget) const {
  for (const PartArray& part : arrays_) {
    if (!budget.ok()) return;
    FillPackedArray(part.type, *part.array, budget, part.out);
  }
}

absl::Status FramePart::VisitBytes(RequestContext& context, bool by_place, const Take& take) const {
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(reserved.Grow(message_.ByteSizeLong(), "a part of a frame"));
  take(Concat(id_.object, " ", static_cast<int>(id_.kind)));
  take(id_.name);
  take(message_.SerializeAsString());
  for (const PartArray& part : arrays_) {
    const size_t element_bytes = PackingOf(part.type).bytes;
    take(Concat(ValueTypeKeyword(part.type), " ", part.array->size()));
    if (by_place) {
      SD_ASSIGN_OR_RETURN(const auto digest,
                          DigestOf(context, part.type, *part.array, element_bytes));
      take(digest ? digest->bytes() : std::string_view());
      if (digest) continue;
    }
    const std::string_view bytes(static_cast<const char*>(part.array->raw_data()),
                                 part.array->size() * element_bytes);
    for (size_t at = 0; at < bytes.size(); at += kPieceBytes) {
      SD_RETURN_IF_ERROR(context.Check());
      take(bytes.substr(at, kPieceBytes));
    }
  }
  return context.Check();
}

absl::StatusOr<bool> FramePart::VisitIdentity(RequestContext& context, const Take& take) const {
  take(Concat(static_cast<int>(id_.kind)));
  take(id_.name);
  take(message_.SerializeAsString());
  for (const PartArray& part : arrays_) {
    const size_t bytes = part.array->size() * PackingOf(part.type).bytes;
    take(Concat(ValueTypeKeyword(part.type), " ", part.array->size()));
    SD_ASSIGN_OR_RETURN(const auto digest,
                        DigestOf(context, part.type, *part.array, PackingOf(part.type).bytes));
    if (!digest && bytes >= kMinDigestedBytes) return false;
    take(digest ? digest->bytes()
                : std::string_view(static_cast<const char*>(part.array->raw_data()), bytes));
  }
  return true;
}

}  // namespace stagedoor::server
