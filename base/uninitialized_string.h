#ifndef STAGEDOOR_BASE_UNINITIALIZED_STRING_H_
#define STAGEDOOR_BASE_UNINITIALIZED_STRING_H_

#include <cstddef>
#include <string>

namespace stagedoor {

// Sets the size of an empty text without setting its bytes, all of which the caller must write
// before anybody reads them. For large ones, which several threads fill: the first write to each
// page of memory is what takes time.
void ResizeUninitialized(std::string* text, size_t size);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_UNINITIALIZED_STRING_H_
