// Compiled as C++23, which has resize_and_overwrite.
#include "base/uninitialized_string.h"

namespace stagedoor {

void ResizeUninitialized(std::string* text, size_t size) {
  text->resize_and_overwrite(size, [](char*, size_t all) { return all; });
}

}  // namespace stagedoor
