#ifndef STAGEDOOR_SERVER_CONVERTERS_ARRAY_PLACER_H_
#define STAGEDOOR_SERVER_CONVERTERS_ARRAY_PLACER_H_

#include <cstddef>

#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// Gives the arrays of one reply places in memory that the client shares, instead of the message.
// Not thread-safe.
class ArrayPlacer {
 public:
  // Smaller arrays are in the message: a place costs the client a message to return it.
  static constexpr size_t kMinBytes = size_t{64} << 10;

  virtual ~ArrayPlacer() = default;

  // A place for `bytes` bytes, which the caller writes, and to which `out` then refers. Null if
  // there is none, in which case the array goes into the message.
  virtual char* Place(size_t bytes, v1::SharedSegment* out) = 0;
  // Takes all places back, because the reply that refers to them is not sent.
  virtual void TakeBack() = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_ARRAY_PLACER_H_
