#ifndef STAGEDOOR_SCENE_USDA_ELEMENT_READER_H_
#define STAGEDOOR_SCENE_USDA_ELEMENT_READER_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "scene/usda/parse_context.h"
#include "scene/values/asset_path.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor::usda {

// Converts a number to an integer by truncation; false if it is out of range or not finite.
template <typename T>
bool ConvertNumber(const Number& number, T* out) {
  using Limits = std::numeric_limits<T>;
  switch (number.kind) {
    case Number::Kind::kUnsigned:
      if (number.u > static_cast<uint64_t>(Limits::max())) return false;
      *out = static_cast<T>(number.u);
      return true;
    case Number::Kind::kNegative:
      if (std::is_unsigned_v<T> ? number.i < 0
                                : number.i < static_cast<int64_t>(Limits::lowest())) {
        return false;
      }
      *out = static_cast<T>(number.i);
      return true;
    case Number::Kind::kDouble: {
      // Both are exact: powers of two are representable as doubles.
      const double top = std::ldexp(1.0, Limits::digits);
      const double bottom = std::is_unsigned_v<T> ? -1.0 : -top - 1.0;
      if (!(number.d < top) || !(number.d > bottom)) return false;
      *out = static_cast<T>(number.d);
      return true;
    }
  }
  return false;
}

// Converts any number to a floating-point type; integers are rounded once.
template <typename F>
F ToFloating(const Number& number) {
  switch (number.kind) {
    case Number::Kind::kUnsigned:
      return static_cast<F>(number.u);
    case Number::Kind::kNegative:
      return static_cast<F>(number.i);
    case Number::Kind::kDouble:
      break;
  }
  return static_cast<F>(number.d);
}

// Accepts true, false, yes, no, 1 and 0, ignoring case; false for any other word.
inline bool ParseBoolWord(std::string_view word, bool* out) {
  std::string lower(word.substr(0, 6));
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  *out = lower == "true" || lower == "yes" || lower == "1";
  return *out || lower == "false" || lower == "no" || lower == "0";
}

// Reads one element of a value, i.e. a scalar, a tuple or a tuple of tuples (Core Specification,
// 16.2.11 Values).
//
// Each Read returns false after recording an error with the cursor. Borrows the context.
class ElementReader {
 public:
  explicit ElementReader(ParseContext* context)
      : cursor_(context->cursor), words_(context->words) {}

  template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) bool Read(T* out) {
    Number number;
    const char* at = cursor_.position();
    if (!cursor_.TakeNumber(&number)) return Expected("an integer");
    if (cursor_.failed()) return false;
    return ConvertNumber(number, out) ||
           cursor_.FailAt(at, "the number is out of range for its type");
  }
  bool Read(double* out) { return ReadFloating(out); }
  bool Read(float* out) { return ReadFloating(out); }
  bool Read(Half* out) {
    float value;
    if (!ReadFloating(&value)) return false;
    *out = Half(value);
    return true;
  }
  bool Read(TimeCodeValue* out) { return ReadFloating(&out->value); }
  bool Read(Duration* out) { return ReadFloating(&out->value); }
  bool Read(bool* out);
  bool Read(std::string* out) {
    return cursor_.AtQuote() ? cursor_.TakeString(out) : Expected("a quoted string");
  }
  bool Read(Token* out);
  bool Read(AssetPath* out);
  bool Read(PathExpressionValue* out);

  template <typename T, int N>
  bool Read(Vec<T, N>* out) {
    return ReadTuple<N>([&](int i) { return Read(&out->v[i]); });
  }
  template <typename T>
  bool Read(Quat<T>* out) {
    return ReadTuple<4>(
        [&](int i) { return Read(i == 0 ? &out->real : &out->imaginary.v[i - 1]); });
  }
  template <int N>
  bool Read(Matrix<N>* out) {
    return ReadTuple<N>([&](int row) {
      return ReadTuple<N>([&](int column) { return Read(&out->m[row][column]); });
    });
  }

 private:
  bool Expected(const char* what) {
    return cursor_.Fail(std::string("expected ") + what + " for a value of this type");
  }

  template <typename F>
  bool ReadFloating(F* out) {
    Number number;
    if (cursor_.TakeNumber(&number)) {
      *out = ToFloating<F>(number);
      return !cursor_.failed();
    }
    return ReadFloatWord(out);
  }
  template <typename F>
  bool ReadFloatWord(F* out) {
    std::string word;
    if (cursor_.failed() || !cursor_.AtQuote()) return Expected("a number");
    const char* at = cursor_.position();
    if (!cursor_.TakeString(&word)) return false;
    if (word == "nan") {
      *out = std::numeric_limits<F>::quiet_NaN();
    } else if (word == "inf" || word == "-inf") {
      *out =
          word[0] == '-' ? -std::numeric_limits<F>::infinity() : std::numeric_limits<F>::infinity();
    } else {
      return cursor_.FailAt(at, "expected a number for a value of this type");
    }
    return true;
  }

  template <int N, typename Item>
  bool ReadTuple(Item item) {
    if (!cursor_.Take('(')) return Expected("a tuple in parentheses");
    cursor_.SkipMultiLine();
    for (int i = 0; i < N; ++i) {
      if (!item(i)) return false;
      cursor_.SkipInline();
      if (cursor_.Take(',')) {
        if (cursor_.Peek() == ' ' && i + 1 < N) cursor_.MoveTo(cursor_.position() + 1);
        SkipToItem();
      } else if (i + 1 < N) {
        return cursor_.Fail("the tuple has too few elements for its type");
      }
    }
    cursor_.SkipMultiLine();
    return cursor_.Take(')') || cursor_.Fail("expected ')' after the last element of the tuple");
  }
  void SkipToItem() {
    const char c = cursor_.Peek();
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '#' || c == '/') {
      cursor_.SkipMultiLine();
    }
  }

  TextCursor& cursor_;
  TokenCache& words_;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ELEMENT_READER_H_
