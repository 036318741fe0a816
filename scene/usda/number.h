#ifndef STAGEDOOR_SCENE_USDA_NUMBER_H_
#define STAGEDOOR_SCENE_USDA_NUMBER_H_

#include <cstdint>

namespace stagedoor::usda {

// A number; integers are kept exactly.
struct Number {
  enum class Kind : uint8_t { kUnsigned, kNegative, kDouble };
  Kind kind = Kind::kUnsigned;
  union {
    uint64_t u = 0;
    int64_t i;
    double d;
  };
  double AsDouble() const {
    return kind == Kind::kDouble     ? d
           : kind == Kind::kUnsigned ? static_cast<double>(u)
                                     : static_cast<double>(i);
  }
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_NUMBER_H_
