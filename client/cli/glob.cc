#include "client/cli/glob.h"

#include <cstddef>

namespace stagedoor {
namespace {

// The length of the set at the beginning of `pattern`, "[…]"; 0 if it has no end.
size_t SetLength(std::string_view pattern) {
  size_t at = 1;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) ++at;
  // A ] that comes first is a member.
  const size_t end = pattern.find(']', at + 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

bool InSet(std::string_view set, char c) {
  std::string_view members = set.substr(1, set.size() - 2);
  const bool negated = members.front() == '!' || members.front() == '^';
  if (negated) members.remove_prefix(1);
  const auto byte = [](char x) { return static_cast<unsigned char>(x); };
  bool found = false;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + 2 < members.size() && members[i + 1] == '-') {
      found |= byte(members[i]) <= byte(c) && byte(c) <= byte(members[i + 2]);
      i += 2;
    } else {
      found |= members[i] == c;
    }
  }
  return found != negated;
}

// The length of the character at the beginning of `text`, which is not empty.
size_t CharacterLength(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) {
    ++length;
  }
  return length;
}

// Matches one element of the pattern other than *. Sets how much of each was used.
bool MatchOne(std::string_view pattern, std::string_view text, size_t* used, size_t* taken) {
  *used = *taken = 1;
  switch (pattern.front()) {
    case '?':
      *taken = CharacterLength(text);
      return true;
    case '[':
      if (const size_t length = SetLength(pattern); length != 0) {
        *used = length;
        return InSet(pattern.substr(0, length), text.front());
      }
      return text.front() == '[';
    case '\\':
      if (pattern.size() > 1) {
        *used = 2;
        return text.front() == pattern[1];
      }
      return text.front() == '\\';
    default:
      return text.front() == pattern.front();
  }
}

}  // namespace

bool GlobMatches(std::string_view pattern, std::string_view text) {
  // Where to continue if the rest does not match: behind the last *, which takes one more
  // character.
  std::string_view star_pattern, star_text;
  bool starred = false;
  while (!text.empty() || !pattern.empty()) {
    size_t used = 0, taken = 0;
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_text = text;
      starred = true;
    } else if (!pattern.empty() && !text.empty() && MatchOne(pattern, text, &used, &taken)) {
      pattern.remove_prefix(used);
      text.remove_prefix(taken);
    } else if (starred && !star_text.empty()) {
      star_text.remove_prefix(1);
      pattern = star_pattern;
      text = star_text;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace stagedoor
