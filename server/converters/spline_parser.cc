#include "server/converters/spline_parser.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "base/status_macros.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

absl::Status Malformed(std::string_view why) { return InvalidFieldError("spline", "", why); }

bool AllFinite(std::initializer_list<double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double n) { return std::isfinite(n); });
}

// Enumerators on the wire are those of the engine plus one; unspecified ones mean `otherwise`.
template <typename Enum>
Enum FromProto(int number, Enum otherwise) {
  return number == 0 ? otherwise : static_cast<Enum>(number - 1);
}

absl::Status ParseValueType(const v1::Spline& spline, Spline* out) {
  const std::string_view name = spline.value_type();
  out->time_valued = name == "timecode" || name == "duration";
  if (name == "double" || name == "timecode") {
    out->value_type = ValueType::kDouble;
  } else if (name == "float") {
    out->value_type = ValueType::kFloat;
  } else if (name == "half") {
    out->value_type = ValueType::kHalf;
  } else if (name == "duration") {
    out->value_type = ValueType::kDuration;
  } else {
    return Malformed("the type of its values must be double, float, half, timecode or duration");
  }
  return absl::OkStatus();
}

absl::Status ParseExtrapolation(const v1::Spline::Extrapolation& message, Extrapolation* out) {
  if (!std::isfinite(message.slope())) return Malformed("a slope is not finite");
  out->mode = FromProto(message.mode(), ExtrapolationMode::kHeld);
  if (out->mode == ExtrapolationMode::kSloped) out->slope = message.slope();
  return absl::OkStatus();
}

absl::Status ParseLoop(const v1::Spline::InnerLoop& message, Spline* out) {
  if (!AllFinite({message.proto_start(), message.proto_end(), message.value_offset()})) {
    return Malformed("a number of its inner loops is not finite");
  }
  const bool valid = message.proto_start() < message.proto_end() && message.num_pre_loops() >= 0 &&
                     message.num_post_loops() >= 0;
  if (!valid) return Malformed("its inner loops are empty, or their number is negative");
  out->loop = SplineLoopParams{.proto_start = message.proto_start(),
                               .proto_end = message.proto_end(),
                               .pre_loops = message.num_pre_loops(),
                               .post_loops = message.num_post_loops(),
                               .value_offset = message.value_offset()};
  return absl::OkStatus();
}

absl::StatusOr<SplineKnot> ParseKnot(const v1::Spline::Knot& message) {
  const v1::Spline::Tangent& pre = message.pre_tangent();
  const v1::Spline::Tangent& post = message.post_tangent();
  if (!AllFinite({message.time(), message.value(), message.pre_value(), pre.width(), pre.slope(),
                  post.width(), post.slope()})) {
    return Malformed("a number of a knot is not finite");
  }
  if (pre.width() < 0 || post.width() < 0) return Malformed("the width of a tangent is negative");
  return SplineKnot{.time = message.time(),
                    .value = message.value(),
                    .pre_value = message.pre_value(),
                    .dual_valued = message.has_pre_value(),
                    .next = FromProto(message.next(), KnotInterpolation::kHeld),
                    .pre_tangent_width = pre.width(),
                    .pre_tangent_slope = pre.slope(),
                    .post_tangent_width = post.width(),
                    .post_tangent_slope = post.slope(),
                    .pre_tangent_algorithm = static_cast<TangentAlgorithm>(pre.algorithm()),
                    .post_tangent_algorithm = static_cast<TangentAlgorithm>(post.algorithm())};
}

}  // namespace

absl::StatusOr<Spline> ParseSpline(RequestContext& context, const v1::Spline& message) {
  Spline spline;
  spline.curve_type = FromProto(message.curve_type(), CurveType::kBezier);
  SD_RETURN_IF_ERROR(ParseValueType(message, &spline));
  SD_RETURN_IF_ERROR(ParseExtrapolation(message.pre_extrapolation(), &spline.pre));
  SD_RETURN_IF_ERROR(ParseExtrapolation(message.post_extrapolation(), &spline.post));
  if (message.has_inner_loop()) SD_RETURN_IF_ERROR(ParseLoop(message.inner_loop(), &spline));
  const auto count = static_cast<size_t>(message.knots_size());
  SD_RETURN_IF_ERROR(context.Reserve(count * sizeof(SplineKnot), "the knots of a spline"));
  SD_RETURN_IF_ERROR(context.Spend(count));
  spline.knots.reserve(count);
  double last = -std::numeric_limits<double>::infinity();
  for (const v1::Spline::Knot& knot : message.knots()) {
    SD_ASSIGN_OR_RETURN(SplineKnot parsed, ParseKnot(knot));
    if (!(parsed.time > last)) return Malformed("its knots are not in ascending order of time");
    last = parsed.time;
    spline.knots.push_back(std::move(parsed));
  }
  SetHermiteWidths(&spline);
  return spline;
}

}  // namespace stagedoor::server
