#ifndef STAGEDOOR_SCENE_USDA_TEXT_CURSOR_H_
#define STAGEDOOR_SCENE_USDA_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/request_context.h"
#include "scene/layer/layer_warning.h"
#include "scene/layer/spec_tree.h"
#include "scene/usda/number.h"

namespace stagedoor::usda {

// The maximum nesting depth of dictionaries, lists, prims and variants.
inline constexpr int kMaxNesting = 256;

// A position in the text of a layer, with the lexical rules that all statements share (Core
// Specification, 16.2.3 Whitespace Formatting to 16.2.9 Paths and Asset References).
//
// Works on one contiguous buffer, which must outlive it, and copies only strings with escapes. The
// Take… functions consume input on success and leave the position at the fault otherwise. Fail()
// records an error; the first one is kept. Not thread-safe.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // Charges the reading to `request`. Once that is cancelled or over budget, reading fails and the
  // cursor moves to the end.
  void Observe(RequestContext* request) { request_ = request; }

  bool AtEnd() const { return at_ == end_; }
  // The next character; 0 at the end (a zero byte is never legal outside of strings).
  char Peek() const { return at_ != end_ ? *at_ : '\0'; }
  char PeekAt(size_t ahead) const {
    return static_cast<size_t>(end_ - at_) > ahead ? at_[ahead] : '\0';
  }
  bool Take(char c) { return Peek() == c && !AtEnd() && (++at_, true); }
  // Takes `c`, or fails with "expected 'c' WHAT".
  bool Expect(char c, const char* what);
  const char* position() const { return at_; }
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  void MoveTo(const char* at) { at_ = at; }

  // Skips blanks and /* comments */.
  void SkipInline() {
    if (IsPlain(Peek())) return;
    SkipInlineSlow();
  }
  // Skips # and // comments as well.
  void SkipSingleLine();
  // Skips line ends as well.
  void SkipMultiLine();
  // Takes at least one blank, and any comments.
  bool TakeSeparator();
  // Takes '=' and the blanks around it.
  bool TakeAssignment();
  // Takes a line feed, a carriage return or ';'.
  bool TakeStatementEnd() {
    const char c = Peek();
    return (c == '\n' || c == '\r' || c == ';') && !AtEnd() && (++at_, true);
  }
  // Takes LF or CRLF; a carriage return alone is not a line end.
  bool TakeLineEnd() {
    if (Peek() == '\r' && PeekAt(1) == '\n') ++at_;
    return Take('\n');
  }

  // The next identifier (16.2.8 Identifiers), which may be a keyword; empty if there is none.
  std::string_view TakeIdentifier();
  std::string_view PeekIdentifier();
  // Takes identifiers joined by ':'.
  std::string_view TakeNamespacedIdentifier();
  // Takes identifiers joined by "::", none of which may be a keyword.
  std::string_view TakePlainIdentifier();
  // Takes `word` if it is the whole next word.
  bool TakeWord(std::string_view word);
  // True if `word` is followed by a letter beyond ASCII. OpenUSD reads that both as the keyword and
  // as the beginning of a longer word.
  bool AtWordAndLetter(std::string_view word) const;

  // Returns false without an error if no number follows. A malformed number is an error.
  bool TakeNumber(Number* number);

  bool AtQuote() const { return Peek() == '"' || Peek() == '\''; }
  bool TakeString(std::string* text);
  // Takes a string and truncates it at the first zero byte, where names and asset paths end.
  bool TakeName(std::string* name);
  // Takes an asset path, which ends at a zero byte; one with other control characters becomes
  // empty, with a warning, but line ends are errors.
  bool TakeAsset(std::string* path);
  // Takes the text between '<' and '>'.
  bool TakePathText(std::string_view* text);

  // Record an error at the current position (or `at`) unless there is one already; return false.
  bool Fail(std::string message) { return FailAt(at_, std::move(message)); }
  bool FailAt(const char* at, std::string message);
  bool failed() const { return error_at_ != nullptr; }
  const std::string& error() const { return error_; }
  // The position of the error. Both count from 1; columns are in bytes.
  size_t error_line() const;
  size_t error_column() const { return error_at_ ? ColumnOf(error_at_) : 1; }
  size_t ColumnOf(const char* at) const;

  // Something that is wrong but does not prevent reading, in the part of a spec.
  struct Warning {
    const char* at;
    SpecId spec;
    std::string message;
  };
  // Records a warning. Only the first LayerWarnings::kMaxListed are kept, and counted beyond.
  void Warn(const char* at, std::string message);
  // The spec that the following warnings are about.
  void set_spec(SpecId spec) { spec_ = spec; }
  const std::vector<Warning>& warnings() const { return warnings_; }
  size_t warning_count() const { return warning_count_; }

  // A position from which something may be read in another way after reading it has failed.
  struct Mark {
    const char* at;
    size_t warning_count;
  };
  Mark mark() const { return {at_, warning_count_}; }
  // Forgets the warnings since `mark`.
  void DropWarnings(const Mark& mark);
  struct Fault {
    const char* at;
    std::string message;
  };
  // Returns to `mark` and gives the error that has been recorded since then.
  Fault Retry(const Mark& mark);
  // Records the error of the first attempt, unless the second failed later in the text. Returns
  // false.
  bool FailAgain(Fault first);

 private:
  static bool IsPlain(char c) { return c != ' ' && c != '\t' && c != '/'; }
  bool SkipBlockComment();
  void SkipInlineSlow();
  void SkipToLineEnd();
  size_t IdentifierEnd() const;
  bool TakeQuoted(char quote, size_t width, std::string* text);
  void CheckRequest();
  // Checks the characters of an asset path in [first, last), which has been read to `path`.
  bool CheckAsset(const char* first, const char* last, std::string* path);

  const char* const begin_;
  const char* at_;
  const char* const end_;
  RequestContext* request_ = nullptr;
  const char* checked_at_ = begin_;
  const char* error_at_ = nullptr;
  std::string error_;
  SpecId spec_ = kRootSpec;
  std::vector<Warning> warnings_;
  size_t warning_count_ = 0;
};

// True if the text, which is valid UTF-8, has characters that asset paths must not have.
bool HasControlCharacters(std::string_view text);
// The warning about them.
inline constexpr const char* kControlCharacter =
    "control character in an asset path, which is read as empty";

// True for words that the grammar reserves (Core Specification, 16.2.7 Keywords): they cannot name
// types or metadata fields, nor be values.
bool IsKeyword(std::string_view word);

// Replaces escapes (\n, \x41, \101, \" …). An unknown escape becomes the character after the
// backslash.
std::string Unescape(std::string_view text);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_TEXT_CURSOR_H_
