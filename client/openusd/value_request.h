#ifndef STAGEDOOR_CLIENT_OPENUSD_VALUE_REQUEST_H_
#define STAGEDOOR_CLIENT_OPENUSD_VALUE_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "prim_entry.h"

namespace stagedoor::openusd {

// The attributes of a block whose values one call asks for. Not thread-safe.
class ValueRequest {
 public:
  void Add(const PrimEntry& prim, const PropertyEntry& property);
  // The last prim that was considered, by its index in the block.
  void set_last(uint32_t last) { last_ = last; }

  uint32_t last() const { return last_; }
  const std::vector<const PropertyEntry*>& properties() const { return properties_; }
  // The paths at the daemon. Refer to this object.
  std::vector<const char*> Paths() const;

 private:
  std::vector<const PropertyEntry*> properties_;
  std::string texts_;  // of all paths, each with a zero byte at its end
  std::vector<size_t> begins_;
  uint32_t last_ = 0;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_VALUE_REQUEST_H_
