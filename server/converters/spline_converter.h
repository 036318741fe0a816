#ifndef STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_

namespace stagedoor {

class ReplyBudget;
class Spline;

namespace v1 {
class Spline;
}  // namespace v1

// Fills an empty message with a spline, charging the budget as the functions of value_converter.h
// do.
void FillSpline(const Spline& spline, ReplyBudget& budget, v1::Spline* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
