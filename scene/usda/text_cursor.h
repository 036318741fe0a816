// TextCursor: a position in the text of a layer, with the lexical rules every statement shares.
//
// Works on one contiguous buffer that outlives it and copies nothing but unescaped strings. The
// Take… functions consume on success and leave the position at the fault otherwise; Fail() keeps
// the first error. Not thread-safe.
#ifndef STAGEDOOR_SCENE_USDA_TEXT_CURSOR_H_
#define STAGEDOOR_SCENE_USDA_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/request_context.h"

namespace stagedoor::usda {

// Deepest nesting of dictionaries, lists, prims and variants.
inline constexpr int kMaxNesting = 256;

// A number as the format distinguishes them: integers stay exact.
struct Number {
  enum class Kind : uint8_t { kUnsigned, kNegative, kDouble };
  Kind kind = Kind::kUnsigned;
  union {
    uint64_t u = 0;
    int64_t i;
    double d;
  };
  double AsDouble() const {
    return kind == Kind::kDouble     ? d
           : kind == Kind::kUnsigned ? static_cast<double>(u)
                                     : static_cast<double>(i);
  }
};

class TextCursor {
 public:
  explicit TextCursor(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // Reading becomes work of `request`; when it is over, the text ends with an error.
  void Observe(RequestContext* request) { request_ = request; }

  bool AtEnd() const { return at_ == end_; }
  // 0 at the end (a zero byte is never legal outside of strings).
  char Peek() const { return at_ != end_ ? *at_ : '\0'; }
  char PeekAt(size_t ahead) const {
    return static_cast<size_t>(end_ - at_) > ahead ? at_[ahead] : '\0';
  }
  bool Take(char c) { return Peek() == c && !AtEnd() && (++at_, true); }
  bool Expect(char c, const char* what);
  const char* position() const { return at_; }
  const char* end() const { return end_; }
  void MoveTo(const char* at) { at_ = at; }

  // Blanks and /* comments */; also # and // comments; also line ends.
  void SkipInline() {
    if (IsPlain(Peek())) return;
    SkipInlineSlow();
  }
  void SkipSingleLine();
  void SkipMultiLine();
  // At least one blank, and comments.
  bool TakeSeparator();
  // '=' among blanks.
  bool TakeAssignment();
  // A line end, a carriage return or ';'.
  bool TakeStatementEnd() {
    const char c = Peek();
    return (c == '\n' || c == '\r' || c == ';') && !AtEnd() && (++at_, true);
  }
  // A carriage return alone is none.
  bool TakeLineEnd() {
    if (Peek() == '\r' && PeekAt(1) == '\n') ++at_;
    return Take('\n');
  }

  // Empty when no identifier follows. Keywords are identifiers here.
  std::string_view TakeIdentifier();
  std::string_view PeekIdentifier();
  // Identifiers joined by ':'.
  std::string_view TakeNamespacedIdentifier();
  // Identifiers, no keywords, joined by "::".
  std::string_view TakePlainIdentifier();
  // `word`, if it is the whole next word.
  bool TakeWord(std::string_view word);
  // `word` with a letter beyond ASCII behind it is another word, which OpenUSD takes for both.
  bool AtWordAndLetter(std::string_view word) const;

  // False, with nothing consumed and no error, when no number follows; malformed numbers are
  // errors.
  bool TakeNumber(Number* number);

  bool AtQuote() const { return Peek() == '"' || Peek() == '\''; }
  bool TakeString(std::string* text);
  // What of a string is before a zero byte, where names end.
  bool TakeName(std::string* name);
  bool TakeAsset(std::string* path);
  // The text between < and >.
  bool TakePathText(std::string_view* text);

  // Records the error at the current position (or `at`) unless there is one already; returns false.
  bool Fail(std::string message) { return FailAt(at_, std::move(message)); }
  bool FailAt(const char* at, std::string message);
  bool failed() const { return error_at_ != nullptr; }
  const std::string& error() const { return error_; }
  // Of the error; both from 1, columns in bytes.
  size_t error_line() const;
  size_t error_column() const;

 private:
  static bool IsPlain(char c) { return c != ' ' && c != '\t' && c != '/'; }
  bool SkipBlockComment();
  void SkipInlineSlow();
  void SkipToLineEnd();
  size_t IdentifierEnd() const;
  bool TakeQuoted(char quote, size_t width, std::string* text);
  void CheckRequest();
  bool CheckAssetCharacters(const char* first, const char* last);

  const char* const begin_;
  const char* at_;
  const char* const end_;
  RequestContext* request_ = nullptr;
  const char* checked_at_ = begin_;
  const char* error_at_ = nullptr;
  std::string error_;
};

// Words with a meaning in the grammar: they name neither types nor metadata, nor are they values.
bool IsKeyword(std::string_view word);

// Replaces escapes (\n, \x41, \101, \" …); what follows an unknown one stands for itself.
std::string Unescape(std::string_view text);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_TEXT_CURSOR_H_
