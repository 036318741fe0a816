#ifndef STAGEDOOR_BASE_STRINGS_H_
#define STAGEDOOR_BASE_STRINGS_H_

#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace stagedoor {

// One argument of Concat: text, a character, a bool, or a number in its shortest round-trip form.
// Corresponds to absl::AlphaNum. Must not outlive the full expression that creates it.
class ConcatPiece {
 public:
  ConcatPiece(std::string_view text) : text_(text) {}           // NOLINT: implicit by design
  ConcatPiece(const char* text) : text_(text) {}                // NOLINT
  ConcatPiece(const std::string& text) : text_(text) {}         // NOLINT
  ConcatPiece(char c) : text_(buffer_, 1) { buffer_[0] = c; }   // NOLINT
  ConcatPiece(bool value) : text_(value ? "true" : "false") {}  // NOLINT
  template <typename T>
  requires(std::integral<T> || std::floating_point<T>) ConcatPiece(T value) {  // NOLINT
    const auto end = std::to_chars(buffer_, buffer_ + sizeof(buffer_), value).ptr;
    text_ = std::string_view(buffer_, static_cast<size_t>(end - buffer_));
  }
  ConcatPiece(const ConcatPiece&) = delete;
  ConcatPiece& operator=(const ConcatPiece&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  char buffer_[48];
};

// Whether the character is one of ASCII that is not printed.
inline bool IsAsciiControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string ConcatPieces(std::initializer_list<const ConcatPiece*> pieces);

// Concat("line ", 3, ": ", name) makes one string with one allocation. Corresponds to absl::StrCat,
// but writes floating-point numbers in their shortest round-trip form.
template <typename... Args>
std::string Concat(const Args&... args) {
  return [](const auto&... pieces) {
    return ConcatPieces({&pieces...});
  }(static_cast<const ConcatPiece&>(ConcatPiece(args))...);
}

// The elements of `range`, written as by Concat, with `separator` between them. Corresponds to
// absl::StrJoin.
template <typename Range>
std::string Join(const Range& range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : range) {
    if (!first) out.append(separator);
    first = false;
    out.append(ConcatPiece(item).text());
  }
  return out;
}

// The number that `text` consists of, in the syntax of std::from_chars; nothing if there is any
// other character, such as a space or a leading '+', or if the number does not fit. Comparable to
// absl::SimpleAtoi and SimpleAtod.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

// `text` in single quotes for an error message, with control characters and invalid UTF-8 bytes
// escaped (as \n, \t or \xNN), truncated after `max_bytes`. Use it for all text that comes from a
// client or a file. Comparable to absl::Utf8SafeCHexEscape.
std::string Quoted(std::string_view text, size_t max_bytes = 200);

// `text` with A to Z in lower case. Comparable to absl::AsciiStrToLower.
std::string AsciiLower(std::string_view text);

// True if `text` is well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
bool IsValidUtf8(std::string_view text);

// `text` as well-formed UTF-8, which proto3 strings require: each byte that is not part of it is
// replaced by U+FFFD. Such bytes come from files; protobuf rejects messages with invalid strings.
std::string CoerceToUtf8(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_STRINGS_H_
