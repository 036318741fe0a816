#ifndef STAGEDOOR_SCENE_USDC_CRATE_TIME_SAMPLES_H_
#define STAGEDOOR_SCENE_USDC_CRATE_TIME_SAMPLES_H_

#include <cstdint>
#include <utility>

#include "scene/usdc/crate_tables.h"
#include "scene/values/time_samples.h"

namespace stagedoor {

// Time samples whose values stay in the file and are decoded on request (Core Specification,
// 16.3.10.31 Timesamples). Immutable and thread-safe.
//
// Values are read from the file as it is now: they are many and usually read once, so that copies
// would cost more than they save. Each read is noted, and before values are handed out the file is
// checked for changes (SourceWatch).
class CrateTimeSamples final : public TimeSamples {
 public:
  // The file has as many value representations at `offset` as there are `times`; the caller has
  // checked that.
  CrateTimeSamples(Array<double> times, RefPtr<const CrateTables> tables, uint64_t offset)
      : TimeSamples(std::move(times)), tables_(std::move(tables)), offset_(offset) {}

  Value At(size_t i) const override;
  Value Between(size_t i, double alpha) const override;
  bool BlockedAt(size_t i) const override;
  void Prefetch(size_t i) const override;
  bool MayHoldEdits() const override;

 private:
  // The zero representation if it cannot be fetched.
  CrateValueRep RepAt(size_t i) const;
  // Notes the use and returns `value`, or an invalid value if the file is known to have changed.
  Value Used(Value value) const;

  const RefPtr<const CrateTables> tables_;
  const uint64_t offset_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_TIME_SAMPLES_H_
