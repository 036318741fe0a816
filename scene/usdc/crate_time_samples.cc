#include "scene/usdc/crate_time_samples.h"

#include <bit>
#include <cstring>
#include <span>

#include "scene/usdc/crate_value_reader.h"
#include "scene/values/linear.h"

namespace stagedoor {
namespace {

// Copies what lies in the file as it lies in memory.
template <typename T>
bool ReadPlain(std::span<const std::byte> bytes, uint64_t at, Value* value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  T plain;
  std::memcpy(&plain, bytes.data() + at, sizeof(plain));
  *value = Value(plain);
  return true;
}

// Decodes a plain number or vector without a reader; false for all else.
bool ReadNumber(std::span<const std::byte> bytes, CrateRep rep, Value* value) {
  if (rep.is_array() || rep.is_compressed() || rep.is_array_edit()) return false;
  const float inlined = std::bit_cast<float>(static_cast<uint32_t>(rep.payload()));
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

CrateRep CrateTimeSamples::RepAt(size_t i) const {
  uint64_t bits;
  std::memcpy(&bits, tables_->bytes().data() + offset_ + i * sizeof(bits), sizeof(bits));
  return CrateRep(bits);
}

bool CrateTimeSamples::MayHoldEdits() const {
  return tables_->version() >= CrateVersion{0, 14, 0};  // the first that has them
}

Value CrateTimeSamples::At(size_t i) const {
  const CrateRep rep = RepAt(i);
  if (Value number; ReadNumber(tables_->bytes(), rep, &number)) return number;
  // Samples in samples would nest without bound.
  if (rep.type() == CrateType::kTimeSamples) {
    return Value::Invalid(tables_->name() + ": time samples in time samples");
  }
  return CrateValueReader(*tables_).Read(rep);
}

}  // namespace stagedoor
