#ifndef STAGEDOOR_CLIENT_CLI_SAFE_TEXT_H_
#define STAGEDOOR_CLIENT_CLI_SAFE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace stagedoor {

// A text of a daemon, which clients and files may have chosen, for a terminal: on one line, with
// control characters, including those of C1, and invalid UTF-8 escaped.
std::string SafeText(std::string_view text);

// `text` cut to `columns` columns; what is left out is shown by "…" at the end, or at the beginning
// if `keep_end` is set. Each character counts as one column.
std::string CutText(std::string_view text, size_t columns, bool keep_end = false);

// The number of characters of UTF-8 text.
size_t CountColumns(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SAFE_TEXT_H_
