#include "scene/usdc/crate_time_samples.h"

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "scene/usdc/crate_value_reader.h"
#include "scene/values/interpolation.h"
#include "scene/values/lerp.h"
#include "scene/values/refused_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// Copies a value whose bytes in the file are the same as in memory.
template <typename T>
bool CopyPlain(const CrateBytes& bytes, uint64_t at, T* out) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  if (!bytes.Require(at, sizeof(T))) return false;
  std::memcpy(static_cast<void*>(out), bytes.now().data() + at, sizeof(T));
  return true;
}

template <typename T>
bool ReadPlain(const CrateBytes& bytes, uint64_t at, Value* value) {
  T plain;
  if (!CopyPlain(bytes, at, &plain)) return false;
  *value = Value(plain);
  return true;
}

template <typename T>
bool LerpPlain(const CrateBytes& bytes, CrateValueRep lower, CrateValueRep upper, double alpha,
               Value* value) {
  T a, b;
  if (!CopyPlain(bytes, lower.payload(), &a) || !CopyPlain(bytes, upper.payload(), &b)) {
    return false;
  }
  *value = Value(Lerp(a, b, alpha));
  return true;
}

// True if both representations are plain scalars of the same type and either both inlined or
// neither.
bool SameKind(CrateValueRep a, CrateValueRep b) {
  return a.type() == b.type() && a.is_inlined() == b.is_inlined() && !a.is_array() &&
         !b.is_array() && !a.is_compressed() && !b.is_compressed() && !a.is_array_edit() &&
         !b.is_array_edit();
}

float InlinedFloat(CrateValueRep rep) {
  return std::bit_cast<float>(static_cast<uint32_t>(rep.payload()));
}

// Interpolates between two plain numbers or vectors of one type without making Values of them;
// false for everything else.
bool LerpNumbers(const CrateBytes& bytes, CrateValueRep lower, CrateValueRep upper, double alpha,
                 Value* value) {
  if (!SameKind(lower, upper)) return false;
  if (lower.type() == CrateType::kFloat) {
    *value = Value(Lerp(InlinedFloat(lower), InlinedFloat(upper), alpha));
    return true;
  }
  if (lower.is_inlined()) return false;
  switch (lower.type()) {
    case CrateType::kDouble:
      return LerpPlain<double>(bytes, lower, upper, alpha, value);
    case CrateType::kVec3f:
      return LerpPlain<Vec3f>(bytes, lower, upper, alpha, value);
    case CrateType::kVec3d:
      return LerpPlain<Vec3d>(bytes, lower, upper, alpha, value);
    default:
      return false;
  }
}

// Decodes a plain number or vector without a CrateValueReader; false for everything else.
bool ReadNumber(const CrateBytes& bytes, CrateValueRep rep, Value* value) {
  if (rep.is_array() || rep.is_compressed() || rep.is_array_edit()) return false;
  const float inlined = InlinedFloat(rep);
  if (rep.type() == CrateType::kFloat) {
    *value = Value(inlined);
    return true;
  }
  if (rep.is_inlined()) {
    if (rep.type() != CrateType::kDouble) return false;
    *value = Value(static_cast<double>(inlined));
    return true;
  }
  switch (rep.type()) {
    case CrateType::kDouble:
      return ReadPlain<double>(bytes, rep.payload(), value);
    case CrateType::kVec3f:
      return ReadPlain<Vec3f>(bytes, rep.payload(), value);
    case CrateType::kVec3d:
      return ReadPlain<Vec3d>(bytes, rep.payload(), value);
    default:
      return false;
  }
}

}  // namespace

CrateValueRep CrateTimeSamples::RepAt(size_t i) const {
  uint64_t bits;
  const uint64_t at = offset_ + i * sizeof(bits);
  if (!tables_->bytes().Require(at, sizeof(bits))) return CrateValueRep();
  std::memcpy(&bits, tables_->bytes().now().data() + at, sizeof(bits));
  return CrateValueRep(bits);
}

Value CrateTimeSamples::Used(Value value) const {
  if (tables_->bytes().NoteUse()) return value;
  return Value::Invalid(std::string(tables_->bytes().Check().message()));
}

bool CrateTimeSamples::BlockedAt(size_t i) const {
  const bool blocked = RepAt(i).type() == CrateType::kValueBlock;
  (void)tables_->bytes().NoteUse();
  return blocked;
}

void CrateTimeSamples::Prefetch(size_t i) const {
  // An address that is not mapped is ignored.
  const std::byte* const file = tables_->bytes().now().data();
  __builtin_prefetch(file + offset_ + i * sizeof(uint64_t));
}

bool CrateTimeSamples::MayHoldEdits() const {
  return tables_->version() >= CrateVersion{0, 14, 0};  // the first version with array edits
}

Value CrateTimeSamples::Between(size_t i, double alpha) const {
  Value number;
  // At alpha 0 and 1 the result is a sample itself, whatever the type of the other one.
  if (alpha != 0 && alpha != 1 &&
      LerpNumbers(tables_->bytes(), RepAt(i), RepAt(i + 1), alpha, &number)) {
    return Used(std::move(number));
  }
  return InterpolateSamples(*this, i, alpha);
}

Value CrateTimeSamples::At(size_t i) const {
  const uint64_t failures = tables_->bytes().failures();
  const CrateValueRep rep = RepAt(i);
  if (rep == CrateValueRep() && tables_->bytes().failures() != failures) {
    return RefusedValue(tables_->name() + ": a part of the file could not be fetched");
  }
  if (Value number; ReadNumber(tables_->bytes(), rep, &number)) {
    return Used(std::move(number));
  }
  // Nested time samples could nest without bound.
  if (rep.type() == CrateType::kTimeSamples) {
    return Value::Invalid(tables_->name() + ": time samples cannot contain time samples");
  }
  return Used(CrateValueReader(*tables_, CrateValueReader::Content::kCurrent).Read(rep));
}

}  // namespace stagedoor
