#include "server/query_socket/reply_answer.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/rpc/message_serialization.h"

namespace stagedoor::server {
namespace {

void MoveToPlace(ArrayPlacer& placer, v1::PackedValues* array) {
  if (!array->has_data() || array->data().size() < ArrayPlacer::kMinBytes) return;
  v1::SharedSegment segment;
  char* const place = placer.Place(array->data().size(), &segment);
  if (place == nullptr) return;
  array->data().copy(place, array->data().size());
  *array->mutable_segment() = std::move(segment);  // frees the data
}

}  // namespace

absl::Status ReadReply(RequestContext& context, grpc::ByteBuffer* bytes, ArrayPlacer* placer,
                       v1::BatchGetValuesResponse* out) {
  SD_RETURN_IF_ERROR(context.Reserve(bytes->Length(), "the reply"));
  if (!ParseMessage(bytes, out).ok()) {
    return InternalError("the reply of the upstream daemon cannot be decoded");
  }
  if (placer == nullptr) return absl::OkStatus();
  for (v1::ValueColumn& column : *out->mutable_columns()) {
    for (v1::Value& value : *column.mutable_values()) {
      if (value.has_array_value()) MoveToPlace(*placer, value.mutable_array_value());
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server
