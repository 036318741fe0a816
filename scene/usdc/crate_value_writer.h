#ifndef STAGEDOOR_SCENE_USDC_CRATE_VALUE_WRITER_H_
#define STAGEDOOR_SCENE_USDC_CRATE_VALUE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "scene/usdc/crate_format.h"
#include "scene/usdc/crate_placement.h"
#include "scene/usdc/crate_table_builder.h"
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"
#include "scene/values/value.h"

namespace stagedoor {

// Packs values into a crate file while it is written (Core Specification, 16.3.9 Value
// Representations, 16.3.10 Value Types).
//
// Equal values are written once (CratePlacement). The values that a value refers to are packed
// before the value itself, so that its bytes do not depend on its own offset. Not thread-safe.
class CrateValueWriter {
 public:
  // Both must outlive the writer.
  CrateValueWriter(CrateTableBuilder* tables, CratePlacement* placement)
      : tables_(*tables), placement_(placement) {}

  // Changes the placement for the values that follow. It must outlive the writer or be replaced.
  void set_placement(CratePlacement* placement) { placement_ = placement; }

  // Packs `value` and returns its representation. As in OpenUSD, the representation of a value of a
  // type that crates cannot hold (a single reference, for example) is zero; a path becomes a token.
  CrateValueRep Pack(const Value& value);

  // Pack time samples step by step, because they may be many: first the times, then each value in
  // order with Pack, and finally the representations that those calls returned.
  CrateValueRep PackTimes(const TimeSamples& samples);
  CrateValueRep PackSamples(CrateValueRep times, const std::vector<CrateValueRep>& values);

  // The first error: DATA_LOSS for an Invalid value, RESOURCE_EXHAUSTED for one whose memory was
  // refused, INVALID_ARGUMENT for an array edit without an element type.
  const absl::Status& status() const { return status_; }
  // The lowest crate version that has all values packed so far.
  CrateVersion version() const { return version_; }

 private:
  void Require(CrateVersion version) { version_ = std::max(version_, version); }
  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  CrateValueRep Place(CrateType type, uint64_t flags, std::string_view body, bool aligned = false) {
    return placement_->Place(type, flags, body, {}, aligned);
  }

  template <typename T>
  CrateValueRep PackScalar(const T& value);
  template <typename T>
  CrateValueRep PackArray(const Array<T>& array);
  template <typename T>
  CrateValueRep PackFloats(const Array<T>& array);
  template <typename T>
  CrateValueRep PackArrayEdit(const ArrayEdit& edit);
  CrateValueRep PackArrayEdit(const ArrayEdit& edit);
  CrateValueRep PackTimeSamples(const TimeSamples& samples);
  CrateValueRep PackSpline(const Spline& spline);

  // Appends one item of a sequence to `body`.
  template <typename T>
  void Append(const T& item, std::string* body);
  template <typename T>
  void AppendItems(const std::vector<T>& items, std::string* body);
  template <typename T>
  void AppendListOp(const ListOp<T>& op, std::string* body);
  void AppendNested(const Value& value, std::string* body);

  CrateTableBuilder& tables_;
  CratePlacement* placement_;
  CrateVersion version_{0, 8, 0};
  absl::Status status_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_VALUE_WRITER_H_
