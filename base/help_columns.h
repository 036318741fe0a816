#ifndef STAGEDOOR_BASE_HELP_COLUMNS_H_
#define STAGEDOOR_BASE_HELP_COLUMNS_H_

#include <cstddef>
#include <string>

namespace stagedoor {

// The left column of a help text: `left` with blanks up to `columns` columns, at least two of them.
// Every character of UTF-8 text takes one column.
std::string LeftColumn(std::string left, size_t columns);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_HELP_COLUMNS_H_
