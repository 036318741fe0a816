#ifndef STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_

namespace stagedoor {

class Spline;

namespace v1 {
class Spline;
}  // namespace v1

// An animation curve as a message.
void FillSpline(const Spline& spline, v1::Spline* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_SPLINE_CONVERTER_H_
