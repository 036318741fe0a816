#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_PART_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_PART_H_

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/values/array.h"
#include "scene/values/value_type.h"
#include "server/converters/reply_budget.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// The kinds of parts by which frames are compared: see frame.proto. The numbers are part of
// fingerprints, so they must not change.
enum class FramePartKind : uint8_t {
  kCamera = 0,    // the object is 0
  kSettings = 1,  // the object is 0
  kMaterial = 2,
  kLight = 3,
  kLightSet = 4,
  kRow = 5,
  kVisibility = 6,
  kTransform = 7,
  kAttributes = 8,  // which values a geometry may have, and what it is
  kValue = 9,       // one of them, by its name
  kFields = 10,
  kInstances = 11,
  kSubset = 12,
};

struct FramePartId {
  FrameId object = 0;
  FramePartKind kind = FramePartKind::kCamera;
  std::string_view name = {};
};

// A part of a frame while it is made: a message, and the arrays that belong into it. These are
// added to the message only once it is known to be sent. Refers to the message and to the arrays.
// Not thread-safe.
class FramePart {
 public:
  FramePart(const FramePartId& id, const google::protobuf::MessageLite& message)
      : id_(id), message_(message) {}

  const FramePartId& id() const { return id_; }

  // `out` is a field of the message.
  void AddArray(ValueType type, const ArrayBase& array, v1::PackedValues* out) {
    arrays_.push_back({type, &array, out});
  }
  // Fills the fields of the arrays. Stops when the budget is used up.
  void FillArrays(ReplyBudget& budget) const;

  // Calls take(bytes) with pieces of bytes that two parts have in common only if they are equal.
  // Where `by_place`, an array may be represented by its digest (DigestOf), which takes no reading
  // if it is stored in a file. Errors: those of the context.
  using Take = std::function<void(std::string_view)>;
  absl::Status VisitBytes(RequestContext& context, bool by_place, const Take& take) const;
  // Calls take(bytes) with pieces of bytes that parts of any objects have in common only if they
  // are equal but for the object. False if that would take reading a large array that is not
  // stored, which no other part is likely to have. Errors: those of the context.
  absl::StatusOr<bool> VisitIdentity(RequestContext& context, const Take& take) const;

 private:
  struct PartArray {
    ValueType type;
    const ArrayBase* array;
    v1::PackedValues* out;
  };

  const FramePartId id_;
  const google::protobuf::MessageLite& message_;
  std::vector<PartArray> arrays_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_PART_H_
