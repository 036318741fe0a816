#ifndef STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_

namespace stagedoor {

class ReplyBudget;
class Spline;

namespace v1 {
class Spline;
}  // namespace v1

// An animation curve as a message, charged as in value_converter.h.
void FillSpline(const Spline& spline, ReplyBudget& budget, v1::Spline* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
