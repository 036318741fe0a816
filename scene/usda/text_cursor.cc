#include "scene/usda/text_cursor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "scene/paths/identifier.h"
#include "scene/usda/number_reader.h"

namespace stagedoor::usda {
namespace {

constexpr std::string_view kKeywords[] = {
    "AnimationBlock",
    "None",
    "add",
    "append",
    "bezier",
    "class",
    "config",
    "connect",
    "curve",
    "custom",
    "customData",
    "def",
    "default",
    "delete",
    "dictionary",
    "displayUnit",
    "doc",
    "held",
    "hermite",
    "inherits",
    "kind",
    "linear",
    "loop",
    "nameChildren",
    "none",
    "offset",
    "oscillate",
    "over",
    "payload",
    "permission",
    "post",
    "pre",
    "prefixSubstitutions",
    "prepend",
    "properties",
    "references",
    "rel",
    "relocates",
    "reorder",
    "repeat",
    "reset",
    "rootPrims",
    "scale",
    "sloped",
    "specializes",
    "spline",
    "subLayers",
    "suffixSubstitutions",
    "symmetryArguments",
    "symmetryFunction",
    "timeSamples",
    "uniform",
    "variantSet",
    "variantSets",
    "variants",
    "varying",
};

// Bit value 1 marks characters that start an identifier, 2 those that continue one.
constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 32] = 3;
  for (int c = '0'; c <= '9'; ++c) classes[c] = 2;
  classes['_'] = 3;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

bool Continues(char c) { return kClasses[static_cast<unsigned char>(c)] & 2; }

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char ControlOf(char letter) {
  switch (letter) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return letter;
  }
}

// Appends the character for the escape at text[at], which follows the backslash; returns the
// position after it.
size_t AppendEscape(std::string_view text, size_t at, std::string* out) {
  int code = 0;
  if (text[at] == 'x') {
    const size_t last = at + 3;
    for (++at; at < last && at < text.size() && HexDigit(text[at]) >= 0; ++at) {
      code = code * 16 + HexDigit(text[at]);
    }
    out->push_back(static_cast<char>(code));
    return at;
  }
  if (IsOctal(text[at])) {
    for (const size_t last = at + 3; at < last && at < text.size() && IsOctal(text[at]); ++at) {
      code = code * 8 + (text[at] - '0');
    }
    out->push_back(static_cast<char>(code));
    return at;
  }
  out->push_back(ControlOf(text[at]));
  return at + 1;
}

}  // namespace

bool IsKeyword(std::string_view word) {
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), word);
}

std::string Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t slash = std::min(text.find('\\', at), text.size());
    out.append(text, at, slash - at);
    at = slash + 1;
    if (at < text.size()) at = AppendEscape(text, at, &out);
  }
  return out;
}

bool TextCursor::Expect(char c, const char* what) {
  if (Take(c)) return true;
  return Fail(std::string("expected '") + c + "' " + what);
}

bool TextCursor::SkipBlockComment() {
  if (PeekAt(1) != '*') return false;
  const std::string_view rest(at_, end_ - at_);
  const size_t close = rest.find("*/", 2);
  if (close == std::string_view::npos) return false;
  at_ += close + 2;
  return true;
}

void TextCursor::SkipInlineSlow() {
  while (at_ != end_) {
    if (*at_ == ' ' || *at_ == '\t') {
      ++at_;
    } else if (*at_ != '/' || !SkipBlockComment()) {
      return;
    }
  }
}

void TextCursor::SkipToLineEnd() {
  while (at_ != end_ && *at_ != '\n') ++at_;
}

void TextCursor::SkipSingleLine() {
  while (at_ != end_) {
    const char c = *at_;
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (c == '#' || (c == '/' && PeekAt(1) == '/')) {
      SkipToLineEnd();
    } else if (c != '/' || !SkipBlockComment()) {
      return;
    }
  }
}

// Called between items and statements, which seldom have more bytes than may be read unchecked.
void TextCursor::CheckRequest() {
  constexpr uint64_t kBytesPerStep = 16;
  const auto bytes = static_cast<uint64_t>(at_ - checked_at_);
  checked_at_ = at_;
  if (request_->Spend(bytes / kBytesPerStep).ok()) return;
  Fail("the request was cancelled or is over its budget");
  at_ = end_;
}

void TextCursor::SkipMultiLine() {
  constexpr ptrdiff_t kBytesPerCheck = 16384;
  if (request_ && at_ - checked_at_ >= kBytesPerCheck) CheckRequest();
  while (at_ != end_) {
    const char c = *at_;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#' || (c == '/' && PeekAt(1) == '/')) {
      SkipToLineEnd();
    } else if (c != '/' || !SkipBlockComment()) {
      return;
    }
  }
}

bool TextCursor::TakeSeparator() {
  while (Peek() == '/' && SkipBlockComment()) {
  }
  if (Peek() != ' ' && Peek() != '\t') return Fail("expected a space");
  ++at_;
  SkipInline();
  return true;
}

bool TextCursor::TakeAssignment() {
  SkipInline();
  if (!Take('=')) return Fail("expected '='");
  SkipInline();
  return true;
}

size_t TextCursor::IdentifierEnd() const {
  const char* p = at_;
  if (p == end_) return 0;
  const unsigned char first = static_cast<unsigned char>(*p);
  if (first < 0x80 && !(kClasses[first] & 1)) return 0;
  while (p != end_ && Continues(*p)) ++p;
  if (p == end_ || static_cast<unsigned char>(*p) < 0x80) return p - at_;
  return IdentifierLength(std::string_view(at_, end_ - at_));
}

std::string_view TextCursor::TakeIdentifier() {
  const std::string_view word = PeekIdentifier();
  at_ += word.size();
  return word;
}

std::string_view TextCursor::PeekIdentifier() { return {at_, IdentifierEnd()}; }

std::string_view TextCursor::TakeNamespacedIdentifier() {
  const char* first = at_;
  at_ += IdentifierEnd();
  while (at_ != first && Peek() == ':') {
    ++at_;
    const size_t n = IdentifierEnd();
    if (n == 0) {
      --at_;
      break;
    }
    at_ += n;
  }
  return {first, static_cast<size_t>(at_ - first)};
}

std::string_view TextCursor::TakePlainIdentifier() {
  const char* first = at_;
  const char* last = first;
  while (true) {
    const std::string_view word = TakeIdentifier();
    if (word.empty() || IsKeyword(word)) break;
    last = at_;
    if (PeekAt(0) != ':' || PeekAt(1) != ':') break;
    at_ += 2;
  }
  at_ = last;
  return {first, static_cast<size_t>(last - first)};
}

bool TextCursor::TakeWord(std::string_view word) {
  if (static_cast<size_t>(end_ - at_) < word.size()) return false;
  if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
  const char* after = at_ + word.size();
  if (after != end_ && (Continues(*after) || static_cast<unsigned char>(*after) >= 0x80)) {
    return false;
  }
  at_ = after;
  return true;
}

bool TextCursor::AtWordAndLetter(std::string_view word) const {
  return std::string_view(at_, end_ - at_).substr(0, word.size()) == word &&
         static_cast<unsigned char>(PeekAt(word.size())) >= 0x80;
}

bool TextCursor::TakeNumber(Number* number) {
  const char* after = ReadNumber(at_, end_, number);
  if (!after) return false;
  at_ = after;
  // ReadNumber leaves an exponent without digits unread.
  if (number->kind == Number::Kind::kDouble && (Peek() | 32) == 'e' && !AtEnd()) {
    return Fail("expected digits in the exponent");
  }
  return true;
}

bool TextCursor::TakeName(std::string* name) {
  if (!TakeString(name)) return false;
  name->resize(std::min(name->find('\0'), name->size()));
  return true;
}

bool TextCursor::TakeString(std::string* text) {
  const char quote = Peek();
  if (quote != '"' && quote != '\'') return Fail("expected a quoted string");
  const bool triple = PeekAt(1) == quote && PeekAt(2) == quote;
  return TakeQuoted(quote, triple ? 3 : 1, text);
}

bool TextCursor::TakeQuoted(char quote, size_t width, std::string* text) {
  const char* const first = at_ + width;
  bool escaped = false;
  for (const char* p = first; p != end_; ++p) {
    if (*p == quote) {
      if (width == 3 && !(end_ - p >= 3 && p[1] == quote && p[2] == quote)) continue;
      const std::string_view raw(first, p - first);
      if (escaped) {
        *text = Unescape(raw);
      } else {
        text->assign(raw);
      }
      at_ = p + width;
      return true;
    }
    if (*p == '\\' && p + 1 != end_) {
      escaped = true;
      // Skip an escaped quote or backslash; a backslash does not escape a line end.
      if (p[1] == quote || p[1] == '\\') ++p;
    } else if (width == 1 && (*p == '\n' || *p == '\r')) {
      return FailAt(p, "line break in a string; close the string or use triple quotes");
    }
  }
  return Fail("unterminated string");
}

bool HasControlCharacters(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 =
        c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c < 0x20 || c == 0x7f || c1) return true;
  }
  return false;
}

bool TextCursor::CheckAsset(const char* first, const char* last, std::string* path) {
  const std::string_view text(first, static_cast<size_t>(last - first));
  if (!HasControlCharacters(text)) return true;
  const size_t line_end = text.find_first_of("\n\r");
  if (line_end != text.npos) return FailAt(first + line_end, "line break in an asset path");
  path->resize(std::min(path->find('\0'), path->size()));
  if (!HasControlCharacters(*path)) return true;
  path->clear();
  Warn(first, kControlCharacter);
  return true;
}

bool TextCursor::TakeAsset(std::string* path) {
  if (Peek() != '@') return Fail("expected an asset path enclosed in '@'");
  const std::string_view rest(at_, end_ - at_);
  if (rest.substr(0, 3) != "@@@") {
    const size_t close = rest.find('@', 1);
    if (close == std::string_view::npos) return Fail("unterminated asset path");
    const std::string_view text = rest.substr(1, close - 1);
    if (!HasControlCharacters(text)) {
      path->assign(text);
    } else {
      std::string out(text);
      if (!CheckAsset(at_ + 1, at_ + close, &out)) return false;
      *path = std::move(out);
    }
    at_ += close + 1;
    return true;
  }
  std::string out;
  for (size_t i = 3; i < rest.size(); ++i) {
    if (rest.substr(i, 4) == "\\@@@") {
      out += "@@@";
      i += 3;
    } else if (rest.substr(i, 3) == "@@@") {
      // Up to two more '@' before the closing three belong to the path.
      size_t extra = 0;
      while (extra < 2 && i + 3 + extra < rest.size() && rest[i + 3 + extra] == '@') ++extra;
      out.append(extra, '@');
      if (!CheckAsset(at_ + 3, at_ + i, &out)) return false;
      at_ += i + 3 + extra;
      *path = std::move(out);
      return true;
    } else {
      out += rest[i];
    }
  }
  return Fail("unterminated asset path");
}

bool TextCursor::TakePathText(std::string_view* text) {
  if (!Take('<')) return Fail("expected a path between '<' and '>'");
  const char* first = at_;
  const void* close = std::memchr(at_, '>', end_ - at_);
  if (!close) return Fail("unterminated path; expected '>'");
  at_ = static_cast<const char*>(close) + 1;
  *text = {first, static_cast<size_t>(at_ - 1 - first)};
  return true;
}

bool TextCursor::FailAt(const char* at, std::string message) {
  if (!error_at_) {
    error_at_ = at;
    error_ = std::move(message);
  }
  return false;
}

void TextCursor::Warn(const char* at, std::string message) {
  if (warning_count_++ < LayerWarnings::kMaxListed) {
    warnings_.push_back({at, spec_, std::move(message)});
  }
}

void TextCursor::DropWarnings(const Mark& mark) {
  warning_count_ = mark.warning_count;
  if (warnings_.size() > warning_count_) warnings_.resize(warning_count_);
}

TextCursor::Fault TextCursor::Retry(const Mark& mark) {
  at_ = mark.at;
  DropWarnings(mark);
  return {std::exchange(error_at_, nullptr), std::move(error_)};
}

bool TextCursor::FailAgain(Fault first) {
  if (error_at_ && error_at_ > first.at) return false;
  error_at_ = first.at;
  error_ = std::move(first.message);
  return false;
}

size_t TextCursor::error_line() const {
  return error_at_ ? 1 + std::count(begin_, error_at_, '\n') : 1;
}

size_t TextCursor::ColumnOf(const char* at) const {
  const char* p = at;
  while (p != begin_ && p[-1] != '\n') --p;
  return 1 + static_cast<size_t>(at - p);
}

}  // namespace stagedoor::usda
