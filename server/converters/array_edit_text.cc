#include "server/converters/array_edit_text.h"

#include <string_view>

#include "base/strings.h"
#include "scene/values/array_edit.h"

namespace stagedoor {
namespace {

std::string QuotedText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (c == '\n') {
      out.append("\\n");
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

// A scalar as usda writes it.
struct Literal {
  std::string operator()(bool v) { return v ? "1" : "0"; }
  std::string operator()(uint8_t v) { return Concat(static_cast<int>(v)); }
  std::string operator()(Half v) { return Concat(static_cast<float>(v)); }
  std::string operator()(TimeCode v) { return Concat(v.value); }
  std::string operator()(const std::string& v) { return QuotedText(v); }
  std::string operator()(Token v) { return QuotedText(v.text()); }
  std::string operator()(const AssetPath& v) { return Concat('@', v.authored, '@'); }
  std::string operator()(const PathExpression& v) { return QuotedText(v.text); }
  template <typename T>
  requires(std::integral<T> || std::floating_point<T>) std::string operator()(T v) {
    return Concat(v);
  }
  template <typename T, int N>
  std::string operator()(const Vec<T, N>& v) {
    std::string out = "(";
    for (int i = 0; i < N; ++i) out.append(i != 0 ? ", " : "").append((*this)(v[i]));
    return out + ")";
  }
  template <typename T>
  std::string operator()(const Quat<T>& q) {
    return (*this)(Vec<T, 4>{{q.real, q.imaginary[0], q.imaginary[1], q.imaginary[2]}});
  }
  template <int N>
  std::string operator()(const Matrix<N>& matrix) {
    std::string out = "( ";
    for (int row = 0; row < N; ++row) {
      Vec<double, N> values;
      for (int column = 0; column < N; ++column) values[column] = matrix[row][column];
      out.append(row != 0 ? ", " : "").append((*this)(values));
    }
    return out + " )";
  }
};

std::string LiteralText(const Value& value) {
  switch (value.type()) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return Literal()(*value.Get<cpp>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return "None";
  }
}

std::string ItemText(const ArrayEditStep& step) {
  return step.source.has_value() ? Concat('[', *step.source, ']') : LiteralText(step.literal);
}

std::string SizeText(std::string_view word, const ArrayEditStep& step) {
  if (step.literal.empty()) return Concat(word, ' ', step.size);
  return Concat(word, ' ', step.size, " fill ", LiteralText(step.literal));
}

std::string StepText(const ArrayEditStep& step) {
  using Kind = ArrayEditStep::Kind;
  switch (step.kind) {
    case Kind::kWrite:
      return Concat("write ", ItemText(step), " to [", step.index, ']');
    case Kind::kInsert:
      return Concat("insert ", ItemText(step), " at [", step.index, ']');
    case Kind::kPrepend:
      return Concat("prepend ", ItemText(step));
    case Kind::kAppend:
      return Concat("append ", ItemText(step));
    case Kind::kErase:
      return Concat("erase [", step.index, ']');
    case Kind::kMinSize:
      return SizeText("minsize", step);
    case Kind::kMaxSize:
      return SizeText("maxsize", step);
    case Kind::kResize:
      return SizeText("resize", step);
  }
  return {};
}

}  // namespace

std::string ArrayEditText(const ArrayEdit& edit) {
  std::string out = "[";
  for (const ArrayEditStep& step : edit.steps) {
    out.append(out.size() > 1 ? "; " : "").append(StepText(step));
  }
  return out + "]";
}

}  // namespace stagedoor
