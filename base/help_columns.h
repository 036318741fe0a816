#ifndef STAGEDOOR_BASE_HELP_COLUMNS_H_
#define STAGEDOOR_BASE_HELP_COLUMNS_H_

#include <cstddef>
#include <string>

namespace stagedoor {

// Returns `left`, padded with spaces to `columns` columns and with at least two spaces, as the left
// column of a help text. Every character of UTF-8 text counts as one column.
std::string LeftColumn(std::string left, size_t columns);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_HELP_COLUMNS_H_
