// CrateTimeSamples: time samples that stay in the file; a value is decoded when it is asked for.
//
// Values are what the file holds now: they are many and asked for once, so that copies would cost
// more than they save. Each read is noted, and who hands values out asks whether the file changed
// (SourceWatch).
#ifndef STAGEDOOR_SCENE_USDC_CRATE_TIME_SAMPLES_H_
#define STAGEDOOR_SCENE_USDC_CRATE_TIME_SAMPLES_H_

#include <cstdint>
#include <utility>

#include "scene/usdc/crate_tables.h"
#include "scene/values/time_samples.h"

namespace stagedoor {

class CrateTimeSamples final : public TimeSamples {
 public:
  // As many value representations as `times` lie at `offset` of the file, which the caller checked.
  CrateTimeSamples(Array<double> times, RefPtr<const CrateTables> tables, uint64_t offset)
      : TimeSamples(std::move(times)), tables_(std::move(tables)), offset_(offset) {}

  Value At(size_t i) const override;
  Value Between(size_t i, double alpha) const override;
  bool BlockedAt(size_t i) const override;
  bool MayHoldEdits() const override;

 private:
  CrateValueRep RepAt(size_t i) const;
  // `value`, noted as used; invalid if the file is known to be changed.
  Value Used(Value value) const;

  const RefPtr<const CrateTables> tables_;
  const uint64_t offset_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_TIME_SAMPLES_H_
