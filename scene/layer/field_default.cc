#include "scene/layer/field_default.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "scene/values/array.h"
#include "scene/values/asset_path.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// Reads elements from the front of a list of parts. Take() returns false if the next part has the
// wrong type or there is none.
class PartReader {
 public:
  explicit PartReader(std::span<const DefaultPart> parts) : parts_(parts) {}

  bool done() const { return parts_.empty(); }
  // Whether the last Take() failed because no part was left.
  bool ran_out() const { return ran_out_; }

  template <typename T>
  requires std::is_arithmetic_v<T>
  bool Take(T* out) {
    const DefaultPart* part = Next();
    if (!part) return false;
    if (const auto* text = std::get_if<std::string>(part)) return FromWord(*text, out);
    if (const auto* whole = std::get_if<int32_t>(part)) return FromNumber(*whole, out);
    const auto* number = std::get_if<double>(part);
    return number && FromNumber(*number, out);
  }
  bool Take(Half* out) {
    float value;
    if (!Take(&value)) return false;
    *out = Half(value);
    return true;
  }
  bool Take(TimeCodeValue* out) { return Take(&out->value); }
  bool Take(Duration* out) { return Take(&out->value); }
  bool Take(std::string* out) {
    const DefaultPart* part = Next();
    const auto* text = part ? std::get_if<std::string>(part) : nullptr;
    if (text) *out = *text;
    return text != nullptr;
  }
  bool Take(Token* out) {
    std::string text;
    if (!Take(&text)) return false;
    *out = Token(text);
    return true;
  }
  bool Take(AssetPath* out) { return Take(&out->authored); }
  bool Take(PathExpressionValue* out) { return Take(&out->text); }
  template <typename T, int N>
  bool Take(Vec<T, N>* out) {
    return std::all_of(std::begin(out->v), std::end(out->v), [&](T& v) { return Take(&v); });
  }
  template <typename T>
  bool Take(Quat<T>* out) {
    return Take(&out->real) && Take(&out->imaginary);
  }
  template <int N>
  bool Take(Matrix<N>* out) {
    for (auto& row : out->m) {
      for (double& number : row) {
        if (!Take(&number)) return false;
      }
    }
    return true;
  }

 private:
  const DefaultPart* Next() {
    ran_out_ = done();
    if (ran_out_) return nullptr;
    const DefaultPart* part = &parts_.front();
    parts_ = parts_.subspan(1);
    return part;
  }

  template <typename T>
  static bool FromNumber(double number, T* out) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const double top = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const double whole = std::trunc(number);
      if (!(whole < top) || !(whole >= static_cast<double>(std::numeric_limits<T>::min()))) {
        return false;
      }
    }
    *out = static_cast<T>(number);
    return true;
  }

  template <typename T>
  // NOLINTNEXTLINE(performance-unnecessary-value-param): changed for bool.
  static bool FromWord(std::string word, T* out) {
    if constexpr (std::is_same_v<T, bool>) {
      for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      *out = word == "true" || word == "yes" || word == "1";
      return *out || word == "false" || word == "no" || word == "0";
    } else if constexpr (std::is_floating_point_v<T>) {
      using Limits = std::numeric_limits<T>;
      *out = word == "nan" ? Limits::quiet_NaN() : Limits::infinity();
      if (word == "-inf") *out = -*out;
      return word == "nan" || word == "inf" || word == "-inf";
    } else {
      return false;
    }
  }

  std::span<const DefaultPart> parts_;
  bool ran_out_ = false;
};

template <typename T>
std::optional<Value> Read(bool is_array, PartReader parts) {
  T element{};
  if (!is_array) {
    if (!parts.Take(&element)) return std::nullopt;
    return Value(std::move(element));
  }
  std::vector<T> elements;
  while (parts.Take(&element)) elements.push_back(element);
  if (!parts.ran_out()) return std::nullopt;
  T* out;
  Array<T> array = Array<T>::Uninitialized(elements.size(), &out);
  std::copy(elements.begin(), elements.end(), out);
  return Value(std::move(array));
}

}  // namespace

std::optional<Value> MakeFieldDefault(ValueType type, bool is_array,
                                      std::span<const DefaultPart> parts) {
  switch (type) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return Read<cpp>(is_array, PartReader(parts));
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return std::nullopt;
  }
}

}  // namespace stagedoor
