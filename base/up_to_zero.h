#ifndef STAGEDOOR_BASE_UP_TO_ZERO_H_
#define STAGEDOOR_BASE_UP_TO_ZERO_H_

#include <string_view>

namespace stagedoor {

// The text up to its first zero byte, where names, tokens and asset paths end in OpenUSD, and all
// strings that it writes. The whole text if it has none.
inline std::string_view UpToZero(std::string_view text) { return text.substr(0, text.find('\0')); }

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_UP_TO_ZERO_H_
