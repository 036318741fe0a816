#include "scene/usdc/crate_value_reader.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/status.h"
#include "scene/usdc/charged_array.h"
#include "scene/usdc/crate_compression.h"
#include "scene/usdc/crate_value_reader_inl.h"
#include "scene/values/array_digest.h"
#include "scene/values/array_owner.h"
#include "scene/values/asset_path.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/refused_value.h"
#include "scene/values/time_code_value.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

constexpr int kMaxNesting = 256;  // the same as in the text format

// Smaller arrays of files that may change are copied, which costs less than checking for changes.
constexpr size_t kMinViewBytes = 2048;

template <typename T>
inline constexpr bool kCompressedAsInts =
    std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, int64_t> ||
    std::is_same_v<T, uint64_t>;
template <typename T>
inline constexpr bool kCompressedAsFloats =
    std::is_same_v<T, Half> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <typename T>
T FromInt(int32_t value) {
  if constexpr (std::is_same_v<T, Half>) {
    return Half(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// Vectors and diagonal matrices are inlined with one byte for each component (16.3.9.1 Inlined
// Value Representation).
template <typename T>
struct Components {
  static constexpr int kCount = 0;
};
template <typename S, int N>
struct Components<Vec<S, N>> {
  static constexpr int kCount = N;
  static void Set(Vec<S, N>& v, int i, int8_t value) { v[i] = FromInt<S>(value); }
};
template <int N>
struct Components<Matrix<N>> {
  static constexpr int kCount = N;
  static void Set(Matrix<N>& m, int i, int8_t value) { m[i][i] = value; }
};

}  // namespace

Value CrateValueReader::Read(CrateValueRep rep) {
  Value value;
  if (!ReadValue(rep, &value)) return Failed();
  if (unchecked_ && !current_) {
    if (absl::Status status = tables_.bytes().Check(); !status.ok()) return Failed();
  }
  return value;
}

Value CrateValueReader::Failed() {
  // Apparent damage may be content that another program has just written to the file.
  if (absl::Status status = tables_.bytes().Check(); !status.ok()) {
    (void)tables_.bytes().NoteUse();
    return Value::Invalid(std::string(status.message()));
  }
  if (tables_.bytes().failures() != failures_) {
    return RefusedValue(Concat(tables_.name(), ": a part of the file could not be fetched"));
  }
  return refused_ ? RefusedValue(error_) : Value::Invalid(std::move(error_));
}

bool CrateValueReader::Fail(uint64_t offset, std::string_view what) {
  if (error_.empty()) error_ = Concat(tables_.name(), ": ", what, " at offset ", offset);
  return false;
}

bool CrateValueReader::Spend(uint64_t offset, uint64_t bytes) {
  if (bytes > budget_) return Fail(offset, "value expands beyond the limit for files of this size");
  budget_ -= bytes;
  return true;
}

template <typename T>
bool CrateValueReader::Allocate(uint64_t offset, uint64_t count, Array<T>* array, T** items) {
  const uint64_t bytes = count * sizeof(T);
  if (bytes <= budget_) {
    budget_ -= bytes;
    *array = Array<T>::Uninitialized(count, items);
    return true;
  }
  if (tables_.expansions() == nullptr) {
    if (bytes > CrateTables::kMaxExpansion) {
      return Fail(offset, Concat("a value of ", bytes, " bytes exceeds the limit of 1 GiB"));
    }
    *array = Array<T>::Uninitialized(count, items);
    return true;
  }
  absl::Status charged = MakeChargedArray(tables_.expansions(), count, array, items);
  if (charged.ok()) return true;
  refused_ = true;
  return Fail(offset, Message(charged));
}

template <typename T>
void CrateValueReader::RememberDigest(uint64_t offset, bool expanded, const Array<T>& array) {
  if (array.size() * sizeof(T) < kMinDigestedBytes) return;
  const auto* file = dynamic_cast<const AssetArrayOwner*>(tables_.owner().get());
  const auto* owner = dynamic_cast<const HeapArrayOwner*>(array.owner().get());
  if (file == nullptr || !file->has_origin() || owner == nullptr) return;
  constexpr auto kType = static_cast<uint8_t>(ValueTypeOf<T>::kType);
  owner->Remember(array.data(), array.size(),
                  file->DigestOf(offset, expanded, kType, array.size()));
}

bool CrateValueReader::ReadValue(CrateValueRep rep, Value* value) {
  switch (rep.type()) {
#define X(name, number, type) \
  case CrateType::name:       \
    return ReadElement<type>(rep, value);
    STAGEDOOR_CRATE_ELEMENT_TYPES(X)
#undef X
    default:
      if (rep.is_array() || rep.is_array_edit()) break;
      return rep.is_inlined() ? ReadInlined(rep, value) : ReadStored(rep, value);
  }
  return Fail(rep.payload(), "values of this type cannot be arrays");
}

bool CrateValueReader::ReadInlined(CrateValueRep rep, Value* value) {
  const uint32_t number = static_cast<uint32_t>(rep.payload());
  switch (rep.type()) {
    case CrateType::kSpecifier:
      if (number > static_cast<uint32_t>(Specifier::kClass)) break;
      *value = Value(static_cast<Specifier>(number));
      return true;
    case CrateType::kPermission:
      if (number > static_cast<uint32_t>(Permission::kPrivate)) break;
      *value = Value(static_cast<Permission>(number));
      return true;
    case CrateType::kVariability:  // 2 is the obsolete "config", which counts as uniform
      if (number > 2) break;
      *value = Value(number == 0 ? Variability::kVarying : Variability::kUniform);
      return true;
    case CrateType::kValueBlock:
      *value = Value(ValueBlock());
      return true;
    case CrateType::kAnimationBlock:
      *value = Value(AnimationBlock());
      return true;
    case CrateType::kDictionary:
      *value = Value(Dictionary());
      return true;
    case CrateType::kSpline:
      *value = Value(Spline());
      return true;
    default:
      break;
  }
  return Fail(rep.payload(), "invalid inlined value");
}

bool CrateValueReader::ReadStored(CrateValueRep rep, Value* value) {
  CrateCursor in = At(rep);
  const auto take = [&](auto object, auto read) {
    if (!(this->*read)(in, &object)) return false;
    *value = Value(std::move(object));
    return true;
  };
  switch (rep.type()) {
#define X(name, number, type) \
  case CrateType::name:       \
    return take(ListOp<type>(), &CrateValueReader::ReadListOp<type>);
    STAGEDOOR_CRATE_LIST_OP_TYPES(X)
#undef X
#define X(name, number, type) \
  case CrateType::name:       \
    return take(std::vector<type>(), &CrateValueReader::ReadItems<type>);
    STAGEDOOR_CRATE_VECTOR_TYPES(X)
#undef X
    case CrateType::kPayload:
      return take(Payload(), &CrateValueReader::ReadItem<Payload>);
    case CrateType::kDictionary:
      return take(Dictionary(), &CrateValueReader::ReadDictionary);
    case CrateType::kVariantSelectionMap:
      return take(VariantSelections(), &CrateValueReader::ReadVariantSelections);
    case CrateType::kRelocates:
      return take(Relocates(), &CrateValueReader::ReadRelocates);
    case CrateType::kUnregisteredValue:
      return take(UnregisteredValue(), &CrateValueReader::ReadUnregistered);
    case CrateType::kSpline:
      return take(Spline(), &CrateValueReader::ReadSpline);
    case CrateType::kTimeSamples:
      return ReadTimeSamples(in, value);
    case CrateType::kValue:
      return ReadNested(in, value);
    case CrateType::kSpecifier:
    case CrateType::kPermission:
    case CrateType::kVariability:
    case CrateType::kValueBlock:
    case CrateType::kAnimationBlock:
      return ReadInlined(rep, value);
    default:
      return Fail(rep.payload(), "unknown value type");
  }
}

template <typename T>
bool CrateValueReader::ReadElement(CrateValueRep rep, Value* value) {
  if (rep.is_array()) {
    Array<T> array;
    if (!ReadArray(rep, &array)) return false;
    *value = Value(std::move(array));
    return true;
  }
  if (rep.is_array_edit()) return ReadArrayEdit<T>(rep, value);
  T scalar{};
  constexpr bool kAlwaysInlined = (std::is_trivially_copyable_v<T> && sizeof(T) <= 4) ||
                                  std::is_same_v<T, Token> || std::is_same_v<T, std::string> ||
                                  std::is_same_v<T, AssetPath>;
  if (kAlwaysInlined || rep.is_inlined()) {
    if (!Uninline(rep, &scalar)) return false;
  } else {
    CrateCursor in = At(rep);
    if (!ReadItem(in, &scalar)) return false;
  }
  *value = Value(std::move(scalar));
  return true;
}

template <typename T>
bool CrateValueReader::Uninline(CrateValueRep rep, T* out) {
  const uint32_t bits = static_cast<uint32_t>(rep.payload());
  if constexpr (std::is_same_v<T, Token>) {
    return tables_.FindToken(bits, out) || Fail(bits, "bad token index");
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, PathExpressionValue>) {
    std::string_view text;
    if (!tables_.FindString(bits, &text)) return Fail(bits, "bad string index");
    if constexpr (std::is_same_v<T, std::string>) {
      *out = text;
    } else {
      out->text = text;
    }
    return true;
  } else if constexpr (std::is_same_v<T, AssetPath>) {
    if (bits >= tables_.token_count()) return Fail(bits, "bad token index");
    out->authored = tables_.TokenText(bits);
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    *out = (bits & 0xff) != 0;
    return true;
  } else if constexpr (sizeof(T) <= sizeof(bits)) {
    std::memcpy(static_cast<void*>(out), &bits, sizeof(T));
    return true;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    *out = static_cast<int32_t>(bits);
    return true;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    *out = bits;
    return true;
  } else if constexpr (std::is_same_v<T, double>) {
    *out = std::bit_cast<float>(bits);
    return true;
  } else if constexpr (std::is_same_v<T, TimeCodeValue> || std::is_same_v<T, Duration>) {
    out->value = std::bit_cast<float>(bits);
    return true;
  } else if constexpr (Components<T>::kCount > 0) {
    for (int i = 0; i < Components<T>::kCount; ++i) {
      Components<T>::Set(*out, i, static_cast<int8_t>(bits >> (8 * i)));
    }
    return true;
  } else {
    return Fail(rep.payload(), "invalid inlined value");
  }
}

bool CrateValueReader::ReadArrayCount(CrateCursor& in, uint64_t* count) {
  const uint64_t at = in.offset();
  const CrateVersion version = tables_.version();
  uint32_t rank = 0;
  if (version < CrateVersion{0, 5, 0} && !in.Read(&rank)) return Fail(at, "array is truncated");
  if (version >= CrateVersion{0, 7, 0}) return in.Read(count) || Fail(at, "array is truncated");
  uint32_t narrow = 0;
  if (!in.Read(&narrow)) return Fail(at, "array is truncated");
  *count = narrow;
  return true;
}

template <typename T>
bool CrateValueReader::ReadArray(CrateValueRep rep, Array<T>* array) {
  if (rep.payload() == 0) return true;
  // Large arrays are read from the current bytes, including their count.
  CrateCursor in = Now(rep);
  uint64_t count = 0;
  if (!ReadArrayCount(in, &count)) return false;
  const bool compressed = rep.is_compressed() && count >= kCrateMinCompressed;
  if constexpr (kCompressedAsInts<T>) {
    if (compressed && tables_.version() >= CrateVersion{0, 5, 0}) {
      if (!ReadCompressedInts(in, count, array)) return false;
      RememberDigest(rep.payload(), /*expanded=*/true, *array);
      return true;
    }
  }
  if constexpr (kCompressedAsFloats<T>) {
    if (compressed && tables_.version() >= CrateVersion{0, 6, 0}) {
      if (!ReadCompressedFloats(in, count, array)) return false;
      RememberDigest(rep.payload(), /*expanded=*/true, *array);
      return true;
    }
  }
  if (kCrateBitwise<T> && count >= kMinViewBytes / sizeof(T)) {
    return ReadPlainArray(in, count, array);
  }
  CrateCursor steady = At(rep);
  return ReadArrayCount(steady, &count) && ReadPlainArray(steady, count, array);
}

template <typename T>
bool CrateValueReader::ReadPlainArray(CrateCursor& in, uint64_t count, Array<T>* array) {
  const uint64_t at = in.offset();
  if (count > in.remaining() / kCrateItemSize<T>) {
    return Fail(at, "array is outside the file");
  }
  if (!in.Require(count * kCrateItemSize<T>)) return Fail(at, "array could not be fetched");
  if constexpr (kCrateBitwise<T>) {
    const std::byte* const data = in.here();
    const bool large = count >= kMinViewBytes / sizeof(T);
    const bool view = tables_.owner() && (large || !tables_.bytes().may_change());
    if (view && reinterpret_cast<uintptr_t>(data) % alignof(T) == 0) {
      if (!tables_.bytes().NoteUse()) return Fail(at, "the file was modified while in use");
      *array = Array<T>::View(reinterpret_cast<const T*>(data), count, tables_.owner());
      return true;
    }
  }
  if (!Spend(at, count * sizeof(T))) return false;
  T* items = nullptr;
  *array = Array<T>::Uninitialized(count, &items);
  if constexpr (kCrateBitwise<T>) {
    if (count < kMinViewBytes / sizeof(T)) {
      CrateCursor from = in;
      return from.Copy(items, count * sizeof(T)) || Fail(at, "cannot read the array");
    }
    unchecked_ = true;
    std::memcpy(static_cast<void*>(items), in.here(), count * sizeof(T));
    RememberDigest(at, /*expanded=*/false, *array);
    return true;
  } else {
    for (uint64_t i = 0; i < count; ++i) {
      if (!ReadItem(in, &items[i])) return false;
    }
    return true;
  }
}

template <typename T>
bool CrateValueReader::ReadCompressedInts(CrateCursor& in, uint64_t count, Array<T>* array) {
  const uint64_t at = in.offset();
  uint64_t size = 0;
  in.Read(&size);
  const auto packed = in.Take(size);
  unchecked_ = true;
  if (!in.ok() || !CanHoldInts(size, count, sizeof(T))) {
    return Fail(at, "compressed array is outside the file");
  }
  T* items = nullptr;
  if (!Allocate(at, count, array, &items)) return false;
  using Bits = std::make_unsigned_t<T>;
  if constexpr (sizeof(T) == 4) {
    const std::span<uint32_t> out(reinterpret_cast<uint32_t*>(items), count);
    return DecodeInts(packed, out) || Fail(at, "corrupt compressed array");
  } else {
    static_assert(sizeof(Bits) == 8);
    const std::span<uint64_t> out(reinterpret_cast<uint64_t*>(items), count);
    return DecodeInts(packed, out) || Fail(at, "corrupt compressed array");
  }
}

template <typename T>
bool CrateValueReader::ReadCompressedFloats(CrateCursor& in, uint64_t count, Array<T>* array) {
  const uint64_t at = in.offset();
  char code = 0;
  in.Read(&code);
  Array<T> table;
  if (code == 't') {
    uint32_t size = 0;
    in.Read(&size);
    if (!in.ok() || !ReadPlainArray(in, size, &table)) return Fail(at, "array has no lookup table");
    in.Take(size * sizeof(T));
  } else if (code != 'i') {
    return Fail(at, "array with an unknown compression code");
  }
  Array<int32_t> numbers;
  T* items = nullptr;
  if (!ReadCompressedInts(in, count, &numbers) || !Allocate(at, count, array, &items)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (code == 'i') {
      items[i] = FromInt<T>(numbers[i]);
    } else {
      const uint32_t index = static_cast<uint32_t>(numbers[i]);
      if (index >= table.size()) return Fail(at, "compressed array has an index outside its table");
      items[i] = table[index];
    }
  }
  return true;
}

template <typename T>
bool CrateValueReader::ReadArrayEdit(CrateValueRep rep, Value* value) {
  ArrayEdit edit;
  edit.element = ValueTypeOf<T>::kType;
  if (rep.payload() == 0) {
    *value = Value(std::move(edit));
    return true;
  }
  CrateCursor in = At(rep);
  uint64_t literals_rep = 0;
  uint64_t code_rep = 0;
  uint8_t dense = 0;
  if (!in.Read(&literals_rep) || !in.Read(&code_rep) || !in.Read(&dense)) {
    return Fail(rep.payload(), "array edit is outside the file");
  }
  Array<T> literals;
  Array<int64_t> code;
  if (!ReadArray(CrateValueRep(literals_rep), &literals)) return false;
  if (dense) {
    *value = Value(std::move(literals));
    return true;
  }
  unchecked_ = true;  // both arrays may be views
  if (!ReadArray(CrateValueRep(code_rep), &code)) return false;
  if (!AddEditSteps(rep.payload(), code, literals, &edit)) return false;
  *value = Value(std::move(edit));
  return true;
}

template <typename T>
bool CrateValueReader::AddEditSteps(uint64_t at, const Array<int64_t>& code,
                                    const Array<T>& literals, ArrayEdit* edit) {
  using Kind = ArrayEditStep::Kind;
  struct Op {
    Kind kind;
    int arguments;
    bool literal;  // one argument is the index of a literal: the second of sizes, else the first
    bool sized;
  };
  // In the order of CrateEditOp.
  static constexpr Op kOps[] = {{Kind::kWrite, 2, true, false},  {Kind::kWrite, 2, false, false},
                                {Kind::kInsert, 2, true, false}, {Kind::kInsert, 2, false, false},
                                {Kind::kErase, 1, false, false}, {Kind::kMinSize, 1, false, true},
                                {Kind::kMinSize, 2, true, true}, {Kind::kResize, 1, false, true},
                                {Kind::kResize, 2, true, true},  {Kind::kMaxSize, 1, false, true}};
  static_assert(std::size(kOps) == static_cast<size_t>(CrateEditOp::kEnd));
  for (size_t i = 0; i < code.size();) {
    const uint64_t head = static_cast<uint64_t>(code[i++]);
    const uint64_t number = head >> kCrateEditOpShift;
    const uint64_t count = head & ((uint64_t{1} << kCrateEditOpShift) - 1);
    if (number >= std::size(kOps)) return Fail(at, "unknown operation in an array edit");
    const Op& op = kOps[number];
    if (count > (code.size() - i) / op.arguments) return Fail(at, "array edit is truncated");
    if (!Spend(at, count * sizeof(ArrayEditStep))) return false;
    for (uint64_t k = 0; k < count; ++k, i += op.arguments) {
      const int64_t a = code[i];
      const int64_t b = op.arguments > 1 ? code[i + 1] : 0;
      ArrayEditStep step;
      step.kind = op.kind;
      const int64_t literal = op.sized ? b : a;
      if (op.literal) {  // a step whose literal is missing does nothing
        if (literal < 0 || static_cast<uint64_t>(literal) >= literals.size()) continue;
        step.literal = Value(T(literals[literal]));
      }
      if (op.sized) {
        if (a < 0) continue;
        step.size = a;
      } else if (op.kind == Kind::kErase) {
        step.index = a;
      } else {
        if (!op.literal) step.source = a;
        step.index = b;
        if (op.kind == Kind::kInsert && b == 0) step.kind = Kind::kPrepend;
        if (op.kind == Kind::kInsert && b == kCrateEditEnd) step.kind = Kind::kAppend;
        if (step.kind == Kind::kAppend) step.index = 0;
      }
      edit->steps.push_back(std::move(step));
    }
  }
  return true;
}

bool CrateValueReader::ReadNested(CrateCursor& in, Value* value) {
  const uint64_t at = in.offset();
  int64_t distance = 0;
  uint64_t rep = 0;
  if (!in.Read(&distance) || !in.Jump(at, distance) || !in.Read(&rep)) {
    return Fail(at, "value is outside the file");
  }
  if (depth_ == kMaxNesting) return Fail(at, "values are nested too deeply");
  ++depth_;
  const bool ok = Spend(at, sizeof(Value)) && ReadValue(CrateValueRep(rep), value);
  --depth_;
  return ok;
}

}  // namespace stagedoor
