#ifndef STAGEDOOR_CLIENT_CC_SHARED_ARRAYS_H_
#define STAGEDOOR_CLIENT_CC_SHARED_ARRAYS_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// The arrays of one reply that are in memory shared with the daemon. They do not change as long as
// this object exists; then the daemon uses their memory again. Immutable and thread-safe.
class SharedArrays {
 public:
  struct Array {
    v1::SharedSegment place;
    std::string_view bytes;
    std::shared_ptr<const void> mapping;  // keeps the bytes
  };

  // Tells the daemon that places are not used any more.
  using Release = std::function<void(const std::vector<v1::SharedSegment>& places)>;

  // `arrays` are in the order in which the reply refers to them. `release` is called once.
  SharedArrays(std::vector<Array> arrays, Release release);
  ~SharedArrays();
  SharedArrays(const SharedArrays&) = delete;
  SharedArrays& operator=(const SharedArrays&) = delete;

  const std::vector<Array>& arrays() const { return arrays_; }

  // Replaces the references of the reply by the bytes.
  void CopyInto(v1::BatchGetValuesResponse* reply) const;

 private:
  const std::vector<Array> arrays_;
  const Release release_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_SHARED_ARRAYS_H_
