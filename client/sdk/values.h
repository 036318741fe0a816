#ifndef STAGEDOOR_CLIENT_SDK_VALUES_H_
#define STAGEDOOR_CLIENT_SDK_VALUES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cc/value_batch.h"
#include "client/sdk/value_getter.h"
#include "stagedoor/v1/errors.pb.h"

namespace stagedoor::sdk {

class ValuesReply;

// The values of attributes at times: the reply to a batch, which it owns, or several of a batch
// that was asked for in parts. Look-ups take constant time, or one that grows with the logarithm of
// the number of parts. Copies are cheap and share the replies. Thread-safe.
class Values {
 public:
  size_t path_count() const;
  size_t time_count() const;
  // The fingerprint of the snapshot that was read.
  const std::string& snapshot() const;
  // Problems of value clips that were met: why items may have no value.
  std::vector<v1::Warning> warnings() const;

  // The value of a path at a time, both by their place in the request. The error of the path or
  // item if it failed: the others are not affected. OUT_OF_RANGE if there is no such item.
  absl::StatusOr<Value> Get(size_t path, size_t time) const;
  // The value as a T: see Value::Get.
  template <typename T>
  absl::StatusOr<typename ValueGetter<T>::Result> Get(size_t path, size_t time) const {
    absl::StatusOr<Value> value = Get(path, time);
    if (!value.ok()) return value.status();
    return value->Get<T>();
  }
  // The place of the value in a column of the reply; see ValueBatch::FindPlain. The C interface
  // reads it there, without making a Value.
  ValueBatch::Place FindPlain(size_t path, size_t time) const;
  // The numbers of a path at all times: those of scalars, in one pass. The first error if an item
  // is not a number.
  absl::StatusOr<std::vector<double>> GetNumbers(size_t path) const;

 private:
  friend class ValuesCall;

  // The part that has a path, whose index becomes that in the part; these values if there are no
  // parts or none has it.
  const Values& PartWith(size_t* path) const;
  struct Parts;

  explicit Values(std::shared_ptr<const ValuesReply> reply) : reply_(std::move(reply)) {}

  std::shared_ptr<const ValuesReply> reply_;  // of the first part
  std::shared_ptr<const Parts> parts_;        // null if there is one only
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_VALUES_H_
