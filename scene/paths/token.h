#ifndef STAGEDOOR_SCENE_PATHS_TOKEN_H_
#define STAGEDOOR_SCENE_PATHS_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stagedoor {

// An interned string handle. Corresponds to OpenUSD's TfToken; the type `token` of the Core
// Specification, section 6.2 (Scalar Types).
//
// The names of prims, properties and fields, and enumerated values, are tokens: pointer-sized, with
// O(1) equality and hash. The intern table is process-wide, sharded and append-only, so a token is
// valid for the life of the process and may be used from any thread. Because the table never
// shrinks, only code that opens assets interns; look-ups on behalf of a request use Find(), which
// never grows it.
class Token {
 public:
  // The empty token; equal to Token("").
  constexpr Token() = default;
  // Interns `text`.
  explicit Token(std::string_view text);

  // The token of `text`, or nothing if it was never interned. Does not intern it.
  static std::optional<Token> Find(std::string_view text);

  std::string_view text() const {
    return rep_ ? std::string_view(rep_->text, rep_->size) : std::string_view();
  }
  std::string str() const { return std::string(text()); }
  bool empty() const { return rep_ == nullptr; }
  // HashBytes(text()), not a hash of the address, so that iteration orders are reproducible.
  size_t hash() const { return rep_ ? rep_->hash : 0; }

  friend bool operator==(Token a, Token b) { return a.rep_ == b.rep_; }
  // Lexicographic by bytes, so the order does not depend on addresses.
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

// The number of entries in an intern table and the memory they take in bytes, for statistics.
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
