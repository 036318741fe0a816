#ifndef STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_

namespace stagedoor {

class Spline;
class Value;

namespace v1 {
class Spline;
class Value;
}  // namespace v1

}  // namespace stagedoor

namespace stagedoor::server {

class ReplyBudget;

// Fills an empty message with a spline, charging the budget as the functions of value_converter.h
// do. `fill_value` is FillValue, which calls this function in turn.
using ValueFiller = void (*)(const Value& value, ReplyBudget& budget, v1::Value* out);
void FillSpline(const Spline& spline, ValueFiller fill_value, ReplyBudget& budget, v1::Spline* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
