// Compiled as C++23, which has resize_and_overwrite; as C++20 where precompiled headers are of
// that.
#include "base/uninitialized_string.h"

namespace stagedoor {

void ResizeUninitialized(std::string* text, size_t size) {
#ifdef __cpp_lib_string_resize_and_overwrite
  text->resize_and_overwrite(size, [](char*, size_t all) { return all; });
#else
  text->resize(size);
#endif
}

}  // namespace stagedoor
