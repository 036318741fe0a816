#ifndef STAGEDOOR_SERVER_CONVERTERS_PRIM_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_PRIM_CONVERTER_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/value_resolution/explanation.h"
#include "scene/value_resolution/time_code.h"
#include "server/converters/reply_budget.h"
#include "stagedoor/v1/prims.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// Which details of prims a reply holds, and at which times.
struct PrimView {
  uint32_t details = 0;  // bit (1 << PrimDetail)
  PrimFlagsPredicate predicate;
  std::vector<TimeCode> times;
  Interpolation interpolation = Interpolation::kLinear;

  bool Has(v1::PrimDetail detail) const { return (details & (1u << detail)) != 0; }
  bool NeedsTimes() const { return Has(v1::PRIM_DETAIL_VALUES) || Has(v1::PRIM_DETAIL_STACKS); }
};

// INVALID_ARGUMENT (INVALID_FIELD) for unknown details.
absl::StatusOr<uint32_t> ParseDetails(const google::protobuf::RepeatedField<int>& details,
                                      std::initializer_list<v1::PrimDetail> otherwise);

// INVALID_ARGUMENT (INVALID_FIELD) for unknown flags. `preset` is what an unspecified one means.
absl::StatusOr<PrimFlagsPredicate> ParsePredicate(const v1::PrimPredicate& predicate,
                                                  v1::PrimPredicate::Preset preset);

// These fill an empty message. They charge before they fill in, and stop at the first charge that
// does not fit.
void FillPrim(const Prim& prim, const PrimView& view, ReplyBudget& budget, v1::Prim* out);
void FillProperty(const Property& property, const PrimView& view, ReplyBudget& budget,
                  v1::Property* out);

// All composed fields but those that the message has elsewhere.
void FillPrimMetadata(const Prim& prim, ReplyBudget& budget,
                      google::protobuf::RepeatedPtrField<v1::Field>* out);

// Where a prim's opinions stand, strongest first.
void FillPrimStack(const Prim& prim, ReplyBudget& budget,
                   google::protobuf::RepeatedPtrField<v1::Site>* out);
void FillPropertyStackEntry(const PropertyStackEntry& entry, ReplyBudget& budget, v1::Site* out);

v1::ValueSource ToProto(ResolveInfoSource kind);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_PRIM_CONVERTER_H_
