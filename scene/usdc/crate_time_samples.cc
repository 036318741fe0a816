#include "scene/usdc/crate_time_samples.h"

#include <cstring>

#include "scene/usdc/crate_value_reader.h"

namespace stagedoor {

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
  // Samples in samples would nest without bound.
  if (rep.type() == CrateType::kTimeSamples) {
    return Value::Invalid(tables_->name() + ": time samples in time samples");
  }
  return CrateValueReader(*tables_).Read(rep);
}

}  // namespace stagedoor
