// CrateValueWriter: packs values into a crate file under construction.
//
// Equal values are written once (CratePlacement). What a value refers to is packed before the value
// itself, so that a value's bytes do not depend on where they lie. Not thread-safe.
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
#include "scene/values/reference.h"
#include "scene/values/scalar_types.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"
#include "scene/values/value.h"

namespace stagedoor {

class CrateValueWriter {
 public:
  // Both must outlive the writer.
  CrateValueWriter(CrateTableBuilder* tables, CratePlacement* placement)
      : tables_(*tables), placement_(placement) {}

  // From now on values are placed by another one.
  void set_placement(CratePlacement* placement) { placement_ = placement; }

  // The representation of `value`; of a type that crates can't hold (a path, a single reference),
  // that of no value, as OpenUSD writes it.
  CrateValueRep Pack(const Value& value);

  // Samples step by step, for they may be many: first their times, then each value, in order, by
  // Pack, then what those returned.
  CrateValueRep PackTimes(const TimeSamples& samples);
  CrateValueRep PackSamples(CrateValueRep times, const std::vector<CrateValueRep>& values);

  // DATA_LOSS for a value that is Invalid.
  const absl::Status& status() const { return status_; }
  // The lowest version that what was packed needs.
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

  // One item of a sequence, appended to `body`.
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
