#ifndef STAGEDOOR_CLIENT_CC_SHARED_ARRAYS_H_
#define STAGEDOOR_CLIENT_CC_SHARED_ARRAYS_H_

#include <memory>
#include <string_view>
#include <vector>

#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

class QueryLink;

// The arrays of one reply that are in memory shared with the daemon. They do not change as long as
// this object exists; then the daemon uses their memory again. Immutable and thread-safe.
class SharedArrays {
 public:
  struct Array {
    v1::SharedSegment place;
    std::string_view bytes;
    std::shared_ptr<const void> mapping;  // keeps the bytes
  };

  // In the order in which the reply refers to them. `link` is where they came from.
  SharedArrays(std::vector<Array> arrays, std::weak_ptr<QueryLink> link);
  ~SharedArrays();
  SharedArrays(const SharedArrays&) = delete;
  SharedArrays& operator=(const SharedArrays&) = delete;

  const std::vector<Array>& arrays() const { return arrays_; }

  // Replaces the references of the reply by the bytes.
  void CopyInto(v1::BatchGetValuesResponse* reply) const;

 private:
  const std::vector<Array> arrays_;
  const std::weak_ptr<QueryLink> link_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_SHARED_ARRAYS_H_
