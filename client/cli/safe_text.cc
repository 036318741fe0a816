#include "client/cli/safe_text.h"

#include "base/strings.h"

namespace stagedoor {
namespace {

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The controls of C1, U+0080 to U+009F, which some terminals obey: C2 80 to C2 9F.
bool IsC1(std::string_view text, size_t i) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  return i + 1 < text.size() && byte(i) == 0xc2 && byte(i + 1) < 0xa0;
}

}  // namespace

std::string SafeText(std::string_view text) {
  std::string quoted = Quoted(text, text.size());
  std::string safe;
  safe.reserve(quoted.size());
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (IsC1(quoted, i)) {
      safe.append("\\u00").append(static_cast<unsigned char>(quoted[i + 1]) < 0x90 ? "8" : "9");
      safe += "0123456789abcdef"[static_cast<unsigned char>(quoted[i + 1]) & 0xf];
      ++i;
    } else {
      safe += quoted[i];
    }
  }
  return safe;
}

size_t CountColumns(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += StartsCharacter(c) ? 1 : 0;
  return count;
}

std::string CutText(std::string_view text, size_t columns, bool keep_end) {
  const size_t all = CountColumns(text);
  if (all <= columns) return std::string(text);
  if (columns == 0) return "";
  // The number of characters before the place of the cut.
  size_t left = keep_end ? all - (columns - 1) : columns - 1;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!StartsCharacter(text[at])) continue;
    if (left-- == 0) break;
  }
  return keep_end ? Concat("…", text.substr(at)) : Concat(text.substr(0, at), "…");
}

}  // namespace stagedoor
