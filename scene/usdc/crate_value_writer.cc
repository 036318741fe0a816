#include "scene/usdc/crate_value_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "base/status.h"
#include "scene/usdc/crate_compression.h"
#include "scene/usdc/crate_spline.h"
#include "scene/values/asset_path.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/refused_value.h"
#include "scene/values/time_code_value.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

template <typename T>
constexpr CrateType CrateTypeOf() {
#define X(name, number, type) \
  if constexpr (std::is_same_v<T, type>) return CrateType::name;
  STAGEDOOR_CRATE_ELEMENT_TYPES(X)
#undef X
  return CrateType::kInvalid;
}

template <typename T>
inline constexpr bool kBitwise =
    std::is_trivially_copyable_v<T> && !std::is_same_v<T, Token> && !std::is_same_v<T, Path>;

template <typename T>
bool SameBits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// `number` as an Int if that is exactly the same number, including the sign of zero.
template <typename Int, typename T>
std::optional<Int> AsInt(T number) {
  if constexpr (std::is_integral_v<T>) {
    if (static_cast<T>(static_cast<Int>(number)) != number) return std::nullopt;
    return static_cast<Int>(number);
  } else {
    const double wide = static_cast<double>(
        static_cast<std::conditional_t<std::is_same_v<T, Half>, float, T>>(number));
    if (!(wide >= std::numeric_limits<Int>::min() && wide <= std::numeric_limits<Int>::max())) {
      return std::nullopt;
    }
    const Int result = static_cast<Int>(wide);
    return SameBits(static_cast<double>(result), wide) ? std::optional<Int>(result) : std::nullopt;
  }
}

template <typename S, int N>
std::optional<uint32_t> InlineBits(const Vec<S, N>& v) {
  uint32_t bits = 0;
  for (int i = 0; i < N; ++i) {
    const auto part = AsInt<int8_t>(v[i]);
    if (!part) return std::nullopt;
    bits |= uint32_t{static_cast<uint8_t>(*part)} << (8 * i);
  }
  return bits;
}

template <int N>
std::optional<uint32_t> InlineBits(const Matrix<N>& m) {
  uint32_t bits = 0;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      const auto part = AsInt<int8_t>(m[i][j]);
      if (!part || (i != j && *part != 0)) return std::nullopt;
      if (i == j) bits |= uint32_t{static_cast<uint8_t>(*part)} << (8 * i);
    }
  }
  return bits;
}

std::optional<uint32_t> InlineBits(double number) {
  const float narrow = static_cast<float>(number);
  if (!SameBits(static_cast<double>(narrow), number)) return std::nullopt;
  return std::bit_cast<uint32_t>(narrow);
}

std::optional<uint32_t> InlineBits(int64_t number) {
  const auto narrow = AsInt<int32_t>(number);
  return narrow ? std::optional(static_cast<uint32_t>(*narrow)) : std::nullopt;
}

std::optional<uint32_t> InlineBits(uint64_t number) { return AsInt<uint32_t>(number); }

template <typename T>
std::optional<uint32_t> InlineBits(const T&) {
  return std::nullopt;
}

}  // namespace

template <typename T>
void CrateValueWriter::Append(const T& item, std::string* body) {
  if constexpr (std::is_same_v<T, std::string>) {
    Append(tables_.AddString(item), body);
  } else if constexpr (std::is_same_v<T, AssetPath>) {
    Append(tables_.AddString(item.authored), body);
  } else if constexpr (std::is_same_v<T, PathExpressionValue>) {
    Require({0, 10, 0});
    Append(tables_.AddString(item.text), body);
  } else if constexpr (std::is_same_v<T, Token>) {
    Append(tables_.AddToken(item), body);
  } else if constexpr (std::is_same_v<T, Path>) {
    Append(tables_.AddPath(item), body);
  } else if constexpr (std::is_same_v<T, Dictionary>) {
    Append(uint64_t{item.size()}, body);
    for (const auto& [key, value] : item) {
      Append(key, body);
      AppendNested(value, body);
    }
  } else if constexpr (std::is_same_v<T, Reference>) {
    Append(item.asset, body);
    Append(item.prim_path, body);
    Append(item.offset, body);
    Append(item.custom_data, body);
  } else if constexpr (std::is_same_v<T, Payload>) {
    Append(item.asset, body);
    Append(item.prim_path, body);
    Append(item.offset, body);
  } else if constexpr (std::is_same_v<T, UnregisteredValue>) {
    AppendNested(item.held, body);
  } else {
    static_assert(kBitwise<T>);
    if constexpr (std::is_same_v<T, TimeCodeValue>) Require({0, 9, 0});
    if constexpr (std::is_same_v<T, Duration>) Require({0, 16, 0});
    body->append(reinterpret_cast<const char*>(&item), sizeof(T));
  }
}

void CrateValueWriter::AppendNested(const Value& value, std::string* body) {
  // The distance to the representation, which follows immediately.
  const CrateValueRep rep = Pack(value);
  Append(int64_t{sizeof(int64_t)}, body);
  Append(rep, body);
}

template <typename T>
void CrateValueWriter::AppendItems(const std::vector<T>& items, std::string* body) {
  Append(uint64_t{items.size()}, body);
  for (const T& item : items) Append(item, body);
}

template <typename T>
void CrateValueWriter::AppendListOp(const ListOp<T>& op, std::string* body) {
  const std::pair<uint8_t, const std::vector<T>*> lists[] = {
      {kCrateExplicitItems, &op.explicit_items},
      {kCrateAdded, &op.added},
      {kCratePrepended, &op.prepended},
      {kCrateAppended, &op.appended},
      {kCrateDeleted, &op.deleted},
      {kCrateOrdered, &op.ordered}};
  uint8_t bits = op.is_explicit ? kCrateExplicit : 0;
  for (const auto& [bit, items] : lists) bits |= items->empty() ? 0 : bit;
  Append(bits, body);
  for (const auto& [bit, items] : lists) {
    if (!items->empty()) AppendItems(*items, body);
  }
}

template <typename T>
CrateValueRep CrateValueWriter::PackScalar(const T& value) {
  constexpr CrateType kType = CrateTypeOf<T>();
  const auto inlined = [&](uint32_t bits) {
    return CrateValueRep(kType, CrateValueRep::kInlined, bits);
  };
  if constexpr (std::is_same_v<T, std::string>) {
    return inlined(tables_.AddString(value));
  } else if constexpr (std::is_same_v<T, Token>) {
    return inlined(tables_.AddToken(value));
  } else if constexpr (std::is_same_v<T, AssetPath>) {
    return inlined(tables_.AddToken(value.authored));
  } else if constexpr (kBitwise<T> && sizeof(T) <= sizeof(uint32_t)) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return inlined(bits);
  } else {
    if (const auto bits = InlineBits(value)) return inlined(*bits);
    std::string body;
    Append(value, &body);
    return Place(kType, 0, body);
  }
}

template <typename T>
CrateValueRep CrateValueWriter::PackFloats(const Array<T>& array) {
  std::string body;
  Append(uint64_t{array.size()}, &body);
  std::vector<uint32_t> numbers;
  numbers.reserve(array.size());
  for (const T number : array) {
    const auto whole = AsInt<int32_t>(number);
    if (!whole) break;
    numbers.push_back(static_cast<uint32_t>(*whole));
  }
  const auto finish = [&] {
    const std::string packed = EncodeInts(numbers);
    Append(uint64_t{packed.size()}, &body);
    body += packed;
    return Place(CrateTypeOf<T>(), CrateValueRep::kArray | CrateValueRep::kCompressed, body);
  };
  if (numbers.size() == array.size()) {
    body.push_back('i');
    return finish();
  }
  // A lookup table pays off if there are few distinct numbers.
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  const size_t most = std::min<size_t>(array.size() / 4, 1024);
  std::unordered_map<Bits, uint32_t> index;
  std::vector<T> table;
  numbers.clear();
  for (const T number : array) {
    const auto [it, added] =
        index.try_emplace(std::bit_cast<Bits>(number), static_cast<uint32_t>(table.size()));
    if (added && table.size() == most) return CrateValueRep();
    if (added) table.push_back(number);
    numbers.push_back(it->second);
  }
  body.push_back('t');
  Append(static_cast<uint32_t>(table.size()), &body);
  body.append(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(T));
  return finish();
}

template <typename T>
CrateValueRep CrateValueWriter::PackArray(const Array<T>& array) {
  constexpr CrateType kType = CrateTypeOf<T>();
  if (array.empty()) return CrateValueRep(kType, CrateValueRep::kArray, 0);
  constexpr bool kInts = std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t> ||
                         std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>;
  constexpr bool kFloats =
      std::is_same_v<T, Half> || std::is_same_v<T, float> || std::is_same_v<T, double>;
  std::string body;
  if constexpr (kInts) {
    if (array.size() >= kCrateMinCompressed) {
      using Bits = std::make_unsigned_t<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
      const auto packed =
          EncodeInts(std::span(reinterpret_cast<const Bits*>(array.data()), array.size()));
      Append(uint64_t{array.size()}, &body);
      Append(uint64_t{packed.size()}, &body);
      body += packed;
      return Place(kType, CrateValueRep::kArray | CrateValueRep::kCompressed, body);
    }
  }
  if constexpr (kFloats) {
    if (array.size() >= kCrateMinCompressed) {
      const CrateValueRep packed = PackFloats(array);
      if (packed != CrateValueRep()) return packed;
    }
  }
  Append(uint64_t{array.size()}, &body);
  std::string_view bulk;
  if constexpr (kBitwise<T>) {
    Append(T(array[0]), &body);  // also raises the version if the type needs it
    bulk = {reinterpret_cast<const char*>(array.data() + 1), (array.size() - 1) * sizeof(T)};
  } else {
    for (const T& item : array) Append(item, &body);
  }
  return placement_->Place(kType, CrateValueRep::kArray, body, bulk, /*aligned=*/true);
}

CrateValueRep CrateValueWriter::PackTimes(const TimeSamples& samples) {
  std::string times;
  Append(uint64_t{samples.size()}, &times);
  times.append(reinterpret_cast<const char*>(samples.times().data()),
               samples.size() * sizeof(double));
  return Place(CrateType::kDoubleVector, 0, times, /*aligned=*/true);
}

CrateValueRep CrateValueWriter::PackSamples(CrateValueRep times,
                                            const std::vector<CrateValueRep>& values) {
  std::string body;
  Append(int64_t{sizeof(int64_t)}, &body);
  Append(times, &body);
  Append(int64_t{sizeof(int64_t)}, &body);
  Append(uint64_t{values.size()}, &body);
  for (const CrateValueRep value : values) Append(value, &body);
  return Place(CrateType::kTimeSamples, 0, body);
}

CrateValueRep CrateValueWriter::PackTimeSamples(const TimeSamples& samples) {
  const CrateValueRep times = PackTimes(samples);
  std::vector<CrateValueRep> values;
  values.reserve(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) values.push_back(Pack(samples.At(i)));
  return PackSamples(times, values);
}

CrateValueRep CrateValueWriter::PackSpline(const Spline& spline) {
  CrateVersion version = version_;
  const std::string blob = EncodeCrateSpline(spline, &version);
  Require(version);
  std::string body;
  Append(uint64_t{blob.size()}, &body);
  body += blob;
  const auto has_data = [](const SplineKnot& knot) { return !knot.custom_data.empty(); };
  Append(static_cast<uint64_t>(std::count_if(spline.knots.begin(), spline.knots.end(), has_data)),
         &body);
  for (const SplineKnot& knot : spline.knots) {
    if (!has_data(knot)) continue;
    Append(knot.time, &body);
    Append(knot.custom_data, &body);
  }
  return Place(CrateType::kSpline, 0, body);
}

template <typename T>
CrateValueRep CrateValueWriter::PackArrayEdit(const ArrayEdit& edit) {
  constexpr CrateType kType = CrateTypeOf<T>();
  if (edit.steps.empty()) return CrateValueRep(kType, CrateValueRep::kArrayEdit, 0);
  using Kind = ArrayEditStep::Kind;
  using Op = CrateEditOp;
  std::vector<T> literals;
  std::vector<int64_t> code;
  size_t run = 0;  // index in `code` where the current run of one operation begins
  CrateEditOp run_op = CrateEditOp::kEnd;
  const auto step = [&](CrateEditOp op, std::initializer_list<int64_t> arguments) {
    if (op != run_op) {
      run = code.size();
      run_op = op;
      code.push_back(static_cast<int64_t>(op) << kCrateEditOpShift);
    }
    ++code[run];
    code.insert(code.end(), arguments);
  };
  for (const ArrayEditStep& s : edit.steps) {
    const T* literal = s.literal.Get<T>();
    const bool from_literal = !s.source;
    if (literal) literals.push_back(*literal);
    const int64_t item = s.source.value_or(static_cast<int64_t>(literals.size()) - 1);
    const bool has_item = literal || s.source;
    switch (s.kind) {
      case Kind::kWrite:
        if (has_item) step(from_literal ? Op::kWriteLiteral : Op::kWriteElement, {item, s.index});
        break;
      case Kind::kInsert:
      case Kind::kPrepend:
      case Kind::kAppend: {
        const int64_t at = s.kind == Kind::kInsert    ? s.index
                           : s.kind == Kind::kPrepend ? 0
                                                      : kCrateEditEnd;
        if (has_item) step(from_literal ? Op::kInsertLiteral : Op::kInsertElement, {item, at});
        break;
      }
      case Kind::kErase:
        step(Op::kErase, {s.index});
        break;
      case Kind::kMinSize:
        literal ? step(Op::kMinSizeFill, {s.size, item}) : step(Op::kMinSize, {s.size});
        break;
      case Kind::kResize:
        literal ? step(Op::kResizeFill, {s.size, item}) : step(Op::kResize, {s.size});
        break;
      case Kind::kMaxSize:
        step(Op::kMaxSize, {s.size});
        break;
    }
  }
  T* copies = nullptr;
  const Array<T> shared = Array<T>::Uninitialized(literals.size(), &copies);
  std::copy(literals.begin(), literals.end(), copies);
  std::string body;
  Append(PackArray(shared), &body);
  Append(PackArray(Array<int64_t>::FromVector(std::move(code))), &body);
  Append(uint8_t{0}, &body);
  return Place(kType, CrateValueRep::kArrayEdit, body);
}

CrateValueRep CrateValueWriter::PackArrayEdit(const ArrayEdit& edit) {
  Require({0, 14, 0});
  switch (edit.element) {
#define X(name, type, text) \
  case ValueType::name:     \
    return PackArrayEdit<type>(edit);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      Fail(InvalidArgumentError("array edit without an element type"));
      return CrateValueRep();
  }
}

CrateValueRep CrateValueWriter::Pack(const Value& value) {
  std::string body;
  const auto inlined = [](CrateType type, auto number) {
    return CrateValueRep(type, CrateValueRep::kInlined, static_cast<uint32_t>(number));
  };
  switch (value.type()) {
#define X(name, type, text) \
  case ValueType::name:     \
    return value.is_array() ? PackArray(*value.Get<Array<type>>()) : PackScalar(*value.Get<type>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, number, type)                        \
  case ValueType::name:                              \
    AppendListOp(*value.Get<ListOp<type>>(), &body); \
    return Place(CrateType::name, 0, body);
    STAGEDOOR_CRATE_LIST_OP_TYPES(X)
#undef X
#define X(name, number, type)                            \
  case ValueType::name:                                  \
    AppendItems(*value.Get<std::vector<type>>(), &body); \
    return Place(CrateType::name, 0, body);
    STAGEDOOR_CRATE_VECTOR_TYPES(X)
#undef X
    case ValueType::kDictionary:
      if (value.Get<Dictionary>()->empty()) return inlined(CrateType::kDictionary, 0);
      Append(*value.Get<Dictionary>(), &body);
      return Place(CrateType::kDictionary, 0, body);
    case ValueType::kPayload:
      Append(*value.Get<Payload>(), &body);
      return Place(CrateType::kPayload, 0, body);
    case ValueType::kUnregistered:
      Append(*value.Get<UnregisteredValue>(), &body);
      return Place(CrateType::kUnregisteredValue, 0, body);
    case ValueType::kVariantSelections:
      Append(uint64_t{value.Get<VariantSelections>()->size()}, &body);
      for (const auto& [set, variant] : *value.Get<VariantSelections>()) {
        Append(set, &body);
        Append(variant, &body);
      }
      return Place(CrateType::kVariantSelectionMap, 0, body);
    case ValueType::kRelocates:
      Require({0, 11, 0});
      Append(uint64_t{value.Get<Relocates>()->size()}, &body);
      for (const auto& [source, target] : *value.Get<Relocates>()) {
        Append(source, &body);
        Append(target, &body);
      }
      return Place(CrateType::kRelocates, 0, body);
    case ValueType::kSpecifier:
      return inlined(CrateType::kSpecifier, *value.Get<Specifier>());
    case ValueType::kPermission:
      return inlined(CrateType::kPermission, *value.Get<Permission>());
    case ValueType::kVariability:
      return inlined(CrateType::kVariability, *value.Get<Variability>());
    case ValueType::kValueBlock:
      return inlined(CrateType::kValueBlock, 0);
    case ValueType::kAnimationBlock:
      return inlined(CrateType::kAnimationBlock, 0);
    case ValueType::kPath:  // as a token: crates can hold only lists of paths
      return PackScalar(Token(value.Get<Path>()->ToString()));
    case ValueType::kTimeSamples:
      return PackTimeSamples(*value.samples());
    case ValueType::kSpline:
      return PackSpline(*value.Get<Spline>());
    case ValueType::kArrayEdit:
      return PackArrayEdit(*value.Get<ArrayEdit>());
    case ValueType::kInvalid:
      Fail(IsRefused(value) ? ResourceExhaustedError(value.invalid_reason())
                            : DataLossError(value.invalid_reason()));
      return CrateValueRep();
    default:
      return CrateValueRep();
  }
}

}  // namespace stagedoor
