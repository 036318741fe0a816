#ifndef STAGEDOOR_SERVER_CONVERTERS_PRIM_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_PRIM_CONVERTER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/value_resolution/explanation.h"
#include "scene/value_resolution/time_code.h"
#include "server/converters/prim_mask.h"
#include "server/converters/reply_budget.h"
#include "stagedoor/v1/prims.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

// The fields of prims that a reply has, and the times of values and property stacks.
struct PrimView {
  PrimMask mask;
  PrimFlagsPredicate predicate;
  std::vector<TimeCode> times;
  Interpolation interpolation = Interpolation::kLinear;
  // The names of the properties to fill, sorted; if not set, all.
  std::optional<std::vector<Token>> property_names;

  bool Wants(Token property) const;
};

// The names of a request as PrimView::property_names. Names that no layer uses are left out.
// RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) for more than 10,000.
absl::StatusOr<std::optional<std::vector<Token>>> ParsePropertyNames(
    const google::protobuf::RepeatedPtrField<std::string>& names);

// The predicate of a request; `preset` applies if the request specifies none. INVALID_ARGUMENT
// (INVALID_FIELD) for unknown flags.
absl::StatusOr<PrimFlagsPredicate> ParsePredicate(const v1::PrimPredicate& predicate,
                                                  v1::PrimPredicate::Preset preset);

// The functions below fill empty messages. They charge the budget before they fill a field, and
// stop when it is used up.

void FillPrim(const Prim& prim, const PrimView& view, ReplyBudget& budget, v1::Prim* out);
void FillProperty(const Property& property, const PrimView& view, ReplyBudget& budget,
                  v1::Property* out);

// Fills the composed metadata, without the fields that have fields of their own in v1::Prim.
void FillPrimMetadata(const Prim& prim, ReplyBudget& budget,
                      google::protobuf::RepeatedPtrField<v1::Field>* out);

// Fills the sites of a prim's specs, strongest first.
void FillPrimStack(const Prim& prim, ReplyBudget& budget,
                   google::protobuf::RepeatedPtrField<v1::Site>* out);
void FillPropertyStackEntry(const PropertyStackEntry& entry, ReplyBudget& budget, v1::Site* out);

v1::ValueSource ToProto(ResolveInfoSource kind);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_PRIM_CONVERTER_H_
