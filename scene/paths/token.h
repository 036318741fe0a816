// Token: an interned string handle.
//
// The names of prims, properties, fields and enumerated values are tokens: pointer-sized, with O(1)
// equality and hash. The intern table is process-wide, sharded and append-only, so a token is valid
// for the life of the process and may be used from any thread. Only what opens assets may intern;
// look-ups made for a request use Find(), which never grows the table.
#ifndef STAGEDOOR_SCENE_PATHS_TOKEN_H_
#define STAGEDOOR_SCENE_PATHS_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stagedoor {

class Token {
 public:
  // The empty token; equal to Token("").
  constexpr Token() = default;
  // Interns `text`.
  explicit Token(std::string_view text);

  // The token of `text` if some asset already interned it.
  static std::optional<Token> Find(std::string_view text);

  std::string_view text() const {
    return rep_ ? std::string_view(rep_->text, rep_->size) : std::string_view();
  }
  std::string str() const { return std::string(text()); }
  bool empty() const { return rep_ == nullptr; }
  // HashOf(text()): not a hash of the address, so iteration orders repeat.
  size_t hash() const { return rep_ ? rep_->hash : 0; }
  // The hash a token of `text` has, without interning it.
  static uint64_t HashOf(std::string_view text);

  friend bool operator==(Token a, Token b) { return a.rep_ == b.rep_; }
  // Lexicographic by bytes, not by address.
  friend bool operator<(Token a, Token b) { return a.text() < b.text(); }
  template <typename H>
  friend H AbslHashValue(H h, Token t) {
    return H::combine(std::move(h), t.hash());
  }

 private:
  friend class TokenTable;
  struct Rep {
    uint64_t hash;
    uint32_t size;
    char text[1];  // `size` bytes and a terminating zero
  };
  constexpr explicit Token(const Rep* rep) : rep_(rep) {}

  const Rep* rep_ = nullptr;
};

// The number of tokens and the bytes they hold, for statistics.
struct InternStats {
  size_t count = 0;
  size_t bytes = 0;
};
InternStats TokenStats();

}  // namespace stagedoor

template <>
struct std::hash<stagedoor::Token> {
  size_t operator()(stagedoor::Token t) const { return t.hash(); }
};

#endif  // STAGEDOOR_SCENE_PATHS_TOKEN_H_
