#ifndef STAGEDOOR_CLIENT_OPENUSD_RESULT_H_
#define STAGEDOOR_CLIENT_OPENUSD_RESULT_H_

#include <optional>
#include <string>
#include <utility>

#include "stagedoor.h"

namespace stagedoor::openusd {

// Why something failed: a code of the C interface, and a message for people.
struct Failure {
  sd_code code = SD_UNKNOWN;
  std::string message;
};

// A value, or why there is none.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}              // NOLINT: converts, as StatusOr does
  Result(Failure failure) : failure_(std::move(failure)) {}  // NOLINT

  bool ok() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  // Only if !ok().
  const Failure& failure() const { return failure_; }

 private:
  std::optional<T> value_;
  Failure failure_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_RESULT_H_
