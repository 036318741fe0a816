#ifndef STAGEDOOR_SERVER_CONVERTERS_SPLINE_PARSER_H_
#define STAGEDOOR_SERVER_CONVERTERS_SPLINE_PARSER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/values/spline.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// The spline of a message of a client. Custom data of knots is not kept. INVALID_ARGUMENT
// (INVALID_FIELD) unless all numbers are finite and the knots are in ascending order of time; for
// negative widths and numbers of loops, an empty loop, and an unknown type of values.
absl::StatusOr<Spline> ParseSpline(RequestContext& context, const v1::Spline& spline);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_SPLINE_PARSER_H_
