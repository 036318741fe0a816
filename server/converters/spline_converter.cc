#include "server/converters/spline_converter.h"

#include <string>

#include "scene/values/spline.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"
#include "server/converters/reply_budget.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {
namespace {

// Wire enumerators are those of the engine plus one, since UNSPECIFIED is 0.
template <typename WireEnum, typename Enum>
WireEnum EnumToProto(Enum value) {
  return static_cast<WireEnum>(static_cast<int>(value) + 1);
}
static_assert(static_cast<int>(CurveType::kHermite) + 1 == v1::Spline::CURVE_TYPE_HERMITE);
static_assert(static_cast<int>(KnotInterpolation::kCurve) + 1 == v1::Spline::SEGMENT_CURVE);
static_assert(static_cast<int>(ExtrapolationMode::kLoopOscillate) + 1 ==
              v1::Spline::EXTRAPOLATION_MODE_LOOP_OSCILLATE);
// TangentAlgorithm has a zero value of its own, so its numbers are the same.
static_assert(static_cast<int>(TangentAlgorithm::kAutoEase) ==
              v1::Spline::TANGENT_ALGORITHM_AUTO_EASE);

void FillExtrapolation(const Extrapolation& extrapolation, v1::Spline::Extrapolation* out) {
  out->set_mode(EnumToProto<v1::Spline::ExtrapolationMode>(extrapolation.mode));
  if (extrapolation.mode == ExtrapolationMode::kSloped) out->set_slope(extrapolation.slope);
}

void FillTangent(double width, double slope, TangentAlgorithm algorithm, v1::Spline::Tangent* out) {
  out->set_width(width);
  out->set_slope(slope);
  out->set_algorithm(static_cast<v1::Spline::TangentAlgorithm>(algorithm));
}

void FillKnot(const SplineKnot& knot, ValueFiller fill_value, ReplyBudget& budget,
              v1::Spline::Knot* out) {
  budget.Charge(2 * sizeof(v1::Spline::Tangent));
  out->set_time(knot.time);
  out->set_value(knot.value);
  if (knot.dual_valued) out->set_pre_value(knot.pre_value);
  out->set_next(EnumToProto<v1::Spline::Segment>(knot.next));
  FillTangent(knot.pre_tangent_width, knot.pre_tangent_slope, knot.pre_tangent_algorithm,
              out->mutable_pre_tangent());
  FillTangent(knot.post_tangent_width, knot.post_tangent_slope, knot.post_tangent_algorithm,
              out->mutable_post_tangent());
  if (!knot.custom_data.empty()) {
    v1::Value custom_data;
    fill_value(Value(knot.custom_data), budget, &custom_data);
    out->mutable_custom_data()->Swap(custom_data.mutable_dictionary_value());
  }
}

}  // namespace

void FillSpline(const Spline& spline, ValueFiller fill_value, ReplyBudget& budget,
                v1::Spline* out) {
  budget.Charge(sizeof(v1::Spline) + 2 * sizeof(v1::Spline::Extrapolation) +
                sizeof(v1::Spline::InnerLoop));
  out->set_curve_type(EnumToProto<v1::Spline::CurveType>(spline.curve_type));
  const bool timecode = spline.time_valued && spline.value_type == ValueType::kDouble;
  out->set_value_type(
      std::string(ValueTypeKeyword(timecode ? ValueType::kTimeCode : spline.value_type)));
  out->set_time_valued(spline.time_valued);
  FillExtrapolation(spline.pre, out->mutable_pre_extrapolation());
  FillExtrapolation(spline.post, out->mutable_post_extrapolation());
  if (spline.loop.has_value()) {
    v1::Spline::InnerLoop* loop = out->mutable_inner_loop();
    loop->set_proto_start(spline.loop->proto_start);
    loop->set_proto_end(spline.loop->proto_end);
    loop->set_num_pre_loops(spline.loop->pre_loops);
    loop->set_num_post_loops(spline.loop->post_loops);
    loop->set_value_offset(spline.loop->value_offset);
  }
  for (const SplineKnot& knot : spline.knots) {
    if (!budget.ok()) return;
    FillKnot(knot, fill_value, budget, budget.Add(out->mutable_knots()));
  }
}

}  // namespace stagedoor::server
