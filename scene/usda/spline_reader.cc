#include "scene/usda/spline_reader.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "scene/usda/element_reader.h"
#include "scene/values/spline_evaluation.h"

namespace stagedoor::usda {
namespace {

class SplineReader {
 public:
  SplineReader(ParseContext* context, ValueReader* values, Spline* spline)
      : cursor_(context->cursor), values_(values), spline_(spline) {}

  bool Read() {
    if (!cursor_.Expect('{', "to open a spline")) return false;
    if (!ParseList(cursor_, '}', /*may_be_empty=*/true, [this] { return ReadItem(); }))
      return false;
    std::vector<SplineKnot>& knots = spline_->knots;
    const auto earlier = [](const SplineKnot& a, const SplineKnot& b) { return a.time < b.time; };
    std::stable_sort(knots.begin(), knots.end(), earlier);
    const auto same = [](const SplineKnot& a, const SplineKnot& b) { return a.time == b.time; };
    knots.erase(std::unique(knots.begin(), knots.end(), same), knots.end());
    UpdateTangents(spline_);
    return true;
  }

 private:
  bool ReadItem() {
    if (cursor_.TakeWord("bezier")) {
      spline_->curve_type = CurveType::kBezier;
      return true;
    }
    if (cursor_.TakeWord("hermite")) {
      spline_->curve_type = CurveType::kHermite;
      return true;
    }
    if (cursor_.TakeWord("pre")) return TakeColon() && ReadExtrapolation(&spline_->pre);
    if (cursor_.TakeWord("post")) return TakeColon() && ReadExtrapolation(&spline_->post);
    if (cursor_.TakeWord("loop")) return TakeColon() && ReadLoop();
    return ReadKnot();
  }

  bool TakeColon() {
    cursor_.SkipInline();
    if (!cursor_.Expect(':', "after a knot time or spline parameter")) return false;
    cursor_.SkipInline();
    return true;
  }
  bool ReadNumber(double* out) {
    Number number;
    if (!cursor_.TakeNumber(&number)) return cursor_.Fail("expected a number");
    *out = ToFloating<double>(number);
    return !cursor_.failed();
  }
  double Rounded(double number) const {
    if (spline_->value_type == ValueType::kFloat) return static_cast<float>(number);
    if (spline_->value_type == ValueType::kHalf) return Half(static_cast<float>(number));
    return number;
  }
  // As in OpenUSD, numbers that a spline cannot hold are ignored: `out` keeps its value.
  bool Set(const char* at, double number, bool valid, const char* expected, double* out) {
    if (valid) {
      *out = number;
    } else {
      cursor_.Warn(at, std::string(expected) + "; the number is ignored");
    }
    return valid;
  }
  // Reads a finite number of the spline's value type; `valid` is false if it is not finite.
  bool ReadValue(double* out, bool* valid) {
    const char* at = cursor_.position();
    double number = 0;
    if (!ReadNumber(&number)) return false;
    number = Rounded(number);
    *valid = Set(at, number, std::isfinite(number), "spline values must be finite", out);
    return true;
  }
  bool ReadInParentheses(double* out) {
    if (!cursor_.Take('(')) return cursor_.Fail("expected '(' before the slope");
    cursor_.SkipInline();
    if (!ReadNumber(out)) return false;
    cursor_.SkipInline();
    return cursor_.Expect(')', "after a number");
  }

  bool ReadExtrapolation(Extrapolation* out) {
    *out = Extrapolation();
    const auto is = [&](std::string_view word, ExtrapolationMode mode) {
      if (!cursor_.TakeWord(word)) return false;
      out->mode = mode;
      return true;
    };
    if (is("none", ExtrapolationMode::kValueBlock) || is("held", ExtrapolationMode::kHeld) ||
        is("linear", ExtrapolationMode::kLinear)) {
      return true;
    }
    if (is("sloped", ExtrapolationMode::kSloped)) {
      cursor_.SkipInline();
      return ReadInParentheses(&out->slope);
    }
    if (!cursor_.TakeWord("loop")) {
      return cursor_.Fail("expected 'none', 'held', 'linear', 'sloped' or 'loop'");
    }
    if (!cursor_.TakeSeparator()) return false;
    if (!is("repeat", ExtrapolationMode::kLoopRepeat) &&
        !is("reset", ExtrapolationMode::kLoopReset) &&
        !is("oscillate", ExtrapolationMode::kLoopOscillate)) {
      return cursor_.Fail("expected 'repeat', 'reset' or 'oscillate'");
    }
    const char* behind = cursor_.position();
    cursor_.SkipInline();
    if (cursor_.Peek() == '(') return ReadInParentheses(&out->loop_boundary.emplace());
    cursor_.MoveTo(behind);
    return true;
  }

  bool ReadLoop() {
    double numbers[5];
    if (!cursor_.Expect('(', "to open the loop parameters")) return false;
    for (int i = 0; i < 5; ++i) {
      cursor_.SkipInline();
      if (!ReadNumber(&numbers[i])) return false;
      cursor_.SkipInline();
      if (!cursor_.Expect(i < 4 ? ',' : ')', "after a loop parameter")) return false;
    }
    // As in OpenUSD, a count that does not fit an int becomes 0.
    const auto count = [](double n) {
      return n >= 0 && n <= 2147483647.0 ? static_cast<int32_t>(n) : 0;
    };
    if (std::trunc(numbers[2]) != numbers[2] || std::trunc(numbers[3]) != numbers[3]) {
      return cursor_.Fail("loop counts must be integers");
    }
    spline_->loop = SplineLoopParams{.proto_start = numbers[0],
                                     .proto_end = numbers[1],
                                     .pre_loops = count(numbers[2]),
                                     .post_loops = count(numbers[3]),
                                     .value_offset = numbers[4]};
    return true;
  }

  bool ReadKnot() {
    SplineKnot knot;
    const char* at = cursor_.position();
    double time = 0;
    if (!ReadNumber(&time)) return false;
    Set(at, time, std::isfinite(time), "knot times must be finite", &knot.time);
    bool valid = true;
    if (!TakeColon() || !ReadValue(&knot.value, &valid)) return false;
    cursor_.SkipInline();
    if (cursor_.Take('&')) {
      cursor_.SkipInline();
      knot.dual_valued = valid;
      knot.pre_value = std::exchange(knot.value, 0);
      if (!ReadValue(&knot.value, &valid)) return false;
      cursor_.SkipInline();
    }
    if (cursor_.TakeStatementEnd() && !ReadKnotParameters(&knot)) return false;
    spline_->knots.push_back(std::move(knot));
    return true;
  }

  bool ReadKnotParameters(SplineKnot* knot) {
    cursor_.SkipInline();
    while (true) {
      if (!ReadKnotParameter(knot)) return false;
      cursor_.SkipSingleLine();
      if (!cursor_.TakeStatementEnd()) return true;
      cursor_.SkipMultiLine();
      if (cursor_.Peek() != 'p' && cursor_.Peek() != '{') break;
    }
    return cursor_.Peek() != ';' || cursor_.Fail("expected a knot parameter");
  }

  bool ReadKnotParameter(SplineKnot* knot) {
    // A dictionary is kept only if it is the last parameter.
    knot->custom_data = Dictionary();
    if (cursor_.Peek() == '{') return values_->ReadDictionary(&knot->custom_data);
    if (cursor_.TakeWord("pre")) {
      return cursor_.TakeSeparator() &&
             ReadTangent(&knot->pre_tangent_width, &knot->pre_tangent_slope,
                         &knot->pre_tangent_algorithm);
    }
    if (!cursor_.TakeWord("post")) return cursor_.Fail("expected 'pre', 'post' or a dictionary");
    if (!cursor_.TakeSeparator() || !ReadInterpolation(&knot->next)) return false;
    const char* behind = cursor_.position();
    cursor_.SkipInline();
    if (cursor_.Peek() == '(' && cursor_.position() != behind) {
      return ReadTangent(&knot->post_tangent_width, &knot->post_tangent_slope,
                         &knot->post_tangent_algorithm);
    }
    cursor_.MoveTo(behind);
    return true;
  }

  bool ReadInterpolation(KnotInterpolation* out) {
    const auto is = [&](std::string_view word, KnotInterpolation mode) {
      if (!cursor_.TakeWord(word)) return false;
      *out = mode;
      return true;
    };
    return is("none", KnotInterpolation::kValueBlock) || is("held", KnotInterpolation::kHeld) ||
           is("linear", KnotInterpolation::kLinear) || is("curve", KnotInterpolation::kCurve) ||
           cursor_.Fail("expected 'none', 'held', 'linear' or 'curve'");
  }

  // Reads `(width, slope)` or `(slope)`, each optionally followed by an algorithm.
  bool ReadTangent(double* width, double* slope, TangentAlgorithm* algorithm) {
    *algorithm = TangentAlgorithm::kNone;
    if (!cursor_.Expect('(', "to open a tangent")) return false;
    cursor_.SkipInline();
    const char* at = cursor_.position();
    double number = 0;
    if (!ReadNumber(&number)) return false;
    const double old_width = std::exchange(*width, 0);
    cursor_.SkipInline();
    if (cursor_.Take(',')) {
      cursor_.SkipInline();
      if (!ReadAlgorithm(algorithm)) {
        *width = old_width;
        Set(at, number, std::isfinite(number) && !(number < 0),
            "tangent widths must be finite and not negative", width);
        at = cursor_.position();
        if (!ReadNumber(&number)) return false;
        cursor_.SkipInline();
        if (cursor_.Take(',')) {
          cursor_.SkipInline();
          if (!ReadAlgorithm(algorithm)) return cursor_.Fail("expected 'custom' or 'autoEase'");
        }
      }
      cursor_.SkipInline();
    }
    number = Rounded(number);
    Set(at, number, std::isfinite(number), "tangent slopes must be finite", slope);
    return cursor_.Expect(')', "to close a tangent");
  }
  bool ReadAlgorithm(TangentAlgorithm* out) {
    if (cursor_.TakeWord("custom")) {
      *out = TangentAlgorithm::kCustom;
    } else if (cursor_.TakeWord("autoEase")) {
      *out = TangentAlgorithm::kAutoEase;
    } else {
      return false;
    }
    return true;
  }

  TextCursor& cursor_;
  ValueReader* const values_;
  Spline* const spline_;
};

}  // namespace

bool ReadSpline(ParseContext* context, ValueReader* values, const ValueTypeName* type,
                Spline* spline) {
  const ValueType element = type && !type->is_array ? type->type : ValueType::kEmpty;
  spline->time_valued = element == ValueType::kTimeCode || element == ValueType::kDuration;
  switch (element) {
    case ValueType::kTimeCode:
      spline->value_type = ValueType::kDouble;
      break;
    case ValueType::kDouble:
    case ValueType::kFloat:
    case ValueType::kHalf:
    case ValueType::kDuration:
      spline->value_type = element;
      break;
    default:
      return context->cursor.Fail("attributes of this type cannot have splines");
  }
  return SplineReader(context, values, spline).Read();
}

}  // namespace stagedoor::usda
