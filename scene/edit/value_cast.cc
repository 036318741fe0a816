#include "scene/edit/value_cast.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scene/values/list_op.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/unregistered_value.h"

namespace stagedoor {
namespace {

template <typename T>
inline constexpr bool kIsFloating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, float>;
template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_same_v<T, Half>;

template <typename T>
struct VecTraits {
  static constexpr int kSize = 0;
  using Scalar = void;
};
template <typename T, int N>
struct VecTraits<Vec<T, N>> {
  static constexpr int kSize = N;
  using Scalar = T;
};

// To a floating-point number; what is too large becomes infinite.
template <typename To, typename From>
To ToFloating(From from) {
  if constexpr (std::is_same_v<To, Half>) {
    return Half(static_cast<float>(from));
  } else {
    return static_cast<To>(from);
  }
}

// Whether an integer of type To holds the whole part of `from`.
template <typename To>
bool FitsInteger(double from) {
  // Both bounds are powers of two, hence exact as doubles.
  constexpr double kLow = static_cast<double>(std::numeric_limits<To>::min());
  const double high = std::ldexp(1.0, std::numeric_limits<To>::digits);
  const bool above = kLow - 1 == kLow ? from >= kLow : from > kLow - 1;
  return above && from < high;
}

template <typename To, typename From>
Value CastNumber(From from) {
  if constexpr (std::is_same_v<To, bool>) {
    return Value(from != From(0));
  } else if constexpr (kIsFloating<To>) {
    return Value(ToFloating<To>(from));
  } else if constexpr (kIsFloating<From>) {
    const double wide = static_cast<double>(from);
    if (!FitsInteger<To>(wide)) return Value();  // also for NaN
    return Value(static_cast<To>(wide));
  } else if constexpr (std::is_same_v<From, bool>) {
    return Value(static_cast<To>(from));
  } else {
    return std::in_range<To>(from) ? Value(static_cast<To>(from)) : Value();
  }
}

template <typename To, typename From>
inline constexpr bool kVecConverts =
    VecTraits<To>::kSize != 0 &&
    VecTraits<To>::kSize == VecTraits<From>::kSize&& kIsFloating<typename VecTraits<To>::Scalar>;

template <typename To, typename From>
To CastVec(const From& from) {
  To to;
  for (int i = 0; i < VecTraits<To>::kSize; ++i) {
    to.v[i] = ToFloating<typename VecTraits<To>::Scalar>(from.v[i]);
  }
  return to;
}

template <typename To, typename From>
Value CastScalar(const From& from) {
  if constexpr (kIsNumber<To> && kIsNumber<From>) {
    return CastNumber<To>(from);
  } else if constexpr (kVecConverts<To, From>) {
    return Value(CastVec<To>(from));
  } else if constexpr (std::is_same_v<To, TimeCodeValue> || std::is_same_v<To, Duration>) {
    if constexpr (std::is_same_v<From, double>) return Value(To{from});
    return Value();
  } else if constexpr (std::is_same_v<To, double> &&
                       (std::is_same_v<From, TimeCodeValue> || std::is_same_v<From, Duration>)) {
    return Value(from.value);
  } else if constexpr (std::is_same_v<To, std::string> && std::is_same_v<From, Token>) {
    return Value(from.str());
  } else if constexpr (std::is_same_v<To, Token> && std::is_same_v<From, std::string>) {
    return Value(Token(from));
  } else if constexpr (std::is_same_v<To, AssetPath> && std::is_same_v<From, std::string>) {
    return Value(AssetPath{.authored = from});
  } else {
    return Value();
  }
}

template <typename To, typename From>
Value CastArray(const Array<From>& from) {
  constexpr bool kNumbers =
      kIsNumber<To> && kIsNumber<From> && kIsFloating<To> && kIsFloating<From>;
  constexpr bool kTimes = std::is_same_v<From, double> &&
                          (std::is_same_v<To, TimeCodeValue> || std::is_same_v<To, Duration>);
  constexpr bool kVecs = [] {
    if constexpr (kVecConverts<To, From>) {
      return kIsFloating<typename VecTraits<From>::Scalar>;
    } else {
      return false;
    }
  }();
  if constexpr (kNumbers || kTimes || kVecs) {
    To* to;
    Array<To> result = Array<To>::Uninitialized(from.size(), &to);
    for (size_t i = 0; i < from.size(); ++i) {
      if constexpr (kNumbers) {
        to[i] = ToFloating<To>(from[i]);
      } else if constexpr (kTimes) {
        to[i] = To{from[i]};
      } else {
        to[i] = CastVec<To>(from[i]);
      }
    }
    return Value(std::move(result));
  } else {
    return Value();
  }
}

// To an element type, or an array of it.
template <typename To>
Value CastToElement(const Value& value, bool is_array) {
  if (value.is_array() != is_array) return Value();
  switch (value.type()) {
#define X(name, From, text) \
  case ValueType::name:     \
    return is_array ? CastArray<To>(*value.Get<Array<From>>()) : CastScalar<To>(*value.Get<From>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return Value();
  }
}

Token NameAs(const std::string& text, Token*) { return Token(text); }
std::string NameAs(Token token, std::string*) { return token.str(); }

template <typename To, typename From>
std::vector<To> CastNames(const std::vector<From>& from) {
  std::vector<To> to;
  to.reserve(from.size());
  for (const From& name : from) to.push_back(NameAs(name, static_cast<To*>(nullptr)));
  return to;
}

template <typename To, typename From>
ListOp<To> CastNameOp(const ListOp<From>& from) {
  ListOp<To> to;
  to.is_explicit = from.is_explicit;
  to.explicit_items = CastNames<To>(from.explicit_items);
  to.prepended = CastNames<To>(from.prepended);
  to.appended = CastNames<To>(from.appended);
  to.deleted = CastNames<To>(from.deleted);
  to.added = CastNames<To>(from.added);
  to.ordered = CastNames<To>(from.ordered);
  return to;
}

template <typename T>
bool IsEmptyOp(const Value& value, bool* is_explicit) {
  const auto* op = value.Get<ListOp<T>>();
  if (op == nullptr || op->size() != 0) return false;
  *is_explicit = op->is_explicit;
  return true;
}

template <typename T>
Value EmptyOp(bool is_explicit) {
  ListOp<T> op;
  op.is_explicit = is_explicit;
  return Value(std::move(op));
}

// An empty list edit says nothing about the type of its items.
Value CastEmptyOp(const Value& value, ValueType type) {
  bool is_explicit = false;
  const bool empty = IsEmptyOp<Token>(value, &is_explicit) ||
                     IsEmptyOp<std::string>(value, &is_explicit) ||
                     IsEmptyOp<Path>(value, &is_explicit);
  if (!empty) return Value();
  switch (type) {
#define OP(name, T)     \
  case ValueType::name: \
    return EmptyOp<T>(is_explicit);
    OP(kTokenListOp, Token)
    OP(kStringListOp, std::string)
    OP(kPathListOp, Path)
    OP(kReferenceListOp, Reference)
    OP(kPayloadListOp, Payload)
    OP(kIntListOp, int32_t)
    OP(kUIntListOp, uint32_t)
    OP(kInt64ListOp, int64_t)
    OP(kUInt64ListOp, uint64_t)
#undef OP
    default:
      return Value();
  }
}

template <typename T>
std::vector<T> VectorOf(const Array<T>& array) {
  return std::vector<T>(array.begin(), array.end());
}

// To the types of fields that attributes do not have.
Value CastToComposite(const Value& value, ValueType type) {
  const auto* strings = value.Get<Array<std::string>>();
  const auto* tokens = value.Get<Array<Token>>();
  if (type == ValueType::kStringVector) {
    if (strings != nullptr) return Value(VectorOf(*strings));
    if (tokens != nullptr) return Value(CastNames<std::string>(VectorOf(*tokens)));
  }
  if (type == ValueType::kTokenVector) {
    if (tokens != nullptr) return Value(VectorOf(*tokens));
    if (strings != nullptr) return Value(CastNames<Token>(VectorOf(*strings)));
  }
  if (const auto* op = value.Get<ListOp<std::string>>(); op && type == ValueType::kTokenListOp) {
    return Value(CastNameOp<Token>(*op));
  }
  if (const auto* op = value.Get<ListOp<Token>>(); op && type == ValueType::kStringListOp) {
    return Value(CastNameOp<std::string>(*op));
  }
  return CastEmptyOp(value, type);
}

}  // namespace

Value CastValue(const Value& value, ValueType type, bool is_array) {
  if (value.type() == type && value.is_array() == is_array) return value;
  switch (type) {
#define X(name, To, text) \
  case ValueType::name:   \
    return CastToElement<To>(value, is_array);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return is_array ? Value() : CastToComposite(value, type);
  }
}

}  // namespace stagedoor
