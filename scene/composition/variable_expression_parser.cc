#include <charconv>

#include "base/strings.h"
#include "scene/composition/variable_expression_node.h"

namespace stagedoor {
namespace {

// Recursion is bounded, since expressions come from files of any origin.
constexpr int kMaxExpressionNesting = 64;

bool IsIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsIdentifierPart(char c) { return IsIdentifierStart(c) || IsDigit(c); }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A recursive descent with the grammar of OpenUSD, which is a PEG: alternatives are tried in
// order, and once one has matched its beginning, the rest must follow. The position in a message,
// and which of several errors is reported, depend on that order.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::string Parse(VariableExpressionNode* root) {
    if (!Take('`')) return Fail("Expressions must begin with '`'");
    bool matched = false;
    if (!Expression(root, true, &matched)) return error_;
    if (!matched) return Fail("Unexpected expression");
    // Text after a complete expression is in the place of the closing backquote.
    if (!Take('`') || pos_ != text_.size()) return Fail("Missing ending '`'");
    return {};
  }

 private:
  bool AtEnd() const { return pos_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[pos_]; }
  bool Take(char c) {
    if (Peek() != c || AtEnd()) return false;
    ++pos_;
    return true;
  }
  bool Take(std::string_view word) {
    if (text_.substr(pos_, word.size()) != word) return false;
    pos_ += word.size();
    return true;
  }
  // Spaces are the only white space of the language.
  void SkipSpaces() {
    while (Peek() == ' ') ++pos_;
  }
  bool Comma() {
    SkipSpaces();
    const bool taken = Take(',');
    SkipSpaces();
    return taken;
  }
  std::string Fail(std::string_view what) {
    // The innermost rule knows best; rules around it fail after it. Positions are 0-based and
    // include the opening backquote.
    if (error_.empty()) error_ = Concat(what, " at character ", pos_);
    return error_;
  }
  bool Error(std::string_view what) {
    Fail(what);
    return false;
  }

  std::string_view Identifier() {
    const size_t begin = pos_;
    if (!IsIdentifierStart(Peek())) return {};
    while (IsIdentifierPart(Peek())) ++pos_;
    return text_.substr(begin, pos_ - begin);
  }
  // Takes a word in one of its two spellings, unless it is only the beginning of an identifier.
  bool Keyword(std::string_view upper, std::string_view lower) {
    const size_t begin = pos_;
    const std::string_view word = Identifier();
    if (word == upper || word == lower) return true;
    pos_ = begin;
    return false;
  }

  // These return false on an error. If the text does not begin with what they parse, they consume
  // nothing, set `*matched` to false and return true.
  bool Expression(VariableExpressionNode* node, bool lists, bool* matched);
  bool Scalar(VariableExpressionNode* node, bool* matched);
  bool Constant(VariableExpressionNode* node, bool* matched);
  bool Call(VariableExpressionNode* node, bool* matched);

  bool Variable(VariableExpressionNode* node);
  bool Fallback(VariableExpressionNode* node);
  bool String(char quote, VariableExpressionNode* node);
  void Escape(std::string* out);
  bool Integer(VariableExpressionNode* node);
  bool List(VariableExpressionNode* node);
  bool Items(bool lists, VariableExpressionNode* node);

  const std::string_view text_;
  size_t pos_ = 0;
  int nesting_ = 0;
  bool in_fallback_ = false;  // fallback values must not have variables or calls
  std::string error_;
};

bool Parser::Expression(VariableExpressionNode* node, bool lists, bool* matched) {
  if (++nesting_ > kMaxExpressionNesting) return Error("Expression is nested too deeply");
  *matched = true;
  const bool ok = lists && Peek() == '[' ? List(node) : Scalar(node, matched);
  --nesting_;
  return ok;
}

bool Parser::Scalar(VariableExpressionNode* node, bool* matched) {
  *matched = true;
  if (!in_fallback_ && Take("${")) return Variable(node);
  if (!Constant(node, matched)) return false;
  if (*matched || in_fallback_) return true;
  // After the constants, since a call may have any other name.
  *matched = Keyword("None", "none");
  return *matched || Call(node, matched);
}

bool Parser::Constant(VariableExpressionNode* node, bool* matched) {
  *matched = true;
  if (Peek() == '"' || Peek() == '\'') return String(text_[pos_++], node);
  // A sign without a digit begins nothing, so it is "unexpected" rather than an invalid integer.
  const bool sign = Peek() == '-' && pos_ + 1 < text_.size() && IsDigit(text_[pos_ + 1]);
  if (sign || IsDigit(Peek())) return Integer(node);
  if (Keyword("True", "true")) {
    node->literal = true;
  } else if (Keyword("False", "false")) {
    node->literal = false;
  } else {
    *matched = false;
  }
  return true;
}

bool Parser::Variable(VariableExpressionNode* node) {
  node->kind = VariableExpressionNode::Kind::kVariable;
  node->name = std::string(Identifier());
  if (node->name.empty()) return Error("Variables must be a C identifier");
  if (Take(':') && !Fallback(node)) return false;
  return Take('}') || Error("Missing ending '}'");
}

bool Parser::Fallback(VariableExpressionNode* node) {
  VariableExpressionNode value;
  bool matched = true;
  in_fallback_ = true;
  // Constants and lists of them only, so that a fallback cannot fail or be circular.
  const bool ok = Peek() == '[' ? List(&value) : Constant(&value, &matched);
  in_fallback_ = false;
  if (!ok) return false;
  if (!matched) return Error("Expected a fallback value after ':'");
  node->children.push_back(std::move(value));
  return true;
}

void Parser::Escape(std::string* out) {
  const char c = Peek();
  if (AtEnd()) return;
  ++pos_;
  // As TfEscapeStringReplaceChar: C escapes, up to two hexadecimal or three octal digits; any
  // other escaped character, such as a quote or '$', stands for itself.
  constexpr std::string_view kFrom = "abfnrtv", kTo = "\a\b\f\n\r\t\v";
  if (const size_t i = kFrom.find(c); i != std::string_view::npos) {
    out->push_back(kTo[i]);
  } else if (c == 'x' && HexDigit(Peek()) >= 0) {
    int value = 0;
    for (int i = 0; i < 2 && HexDigit(Peek()) >= 0; ++i)
      value = value * 16 + HexDigit(text_[pos_++]);
    out->push_back(static_cast<char>(value));
  } else if (c >= '0' && c <= '7') {
    int value = c - '0';
    for (int i = 0; i < 2 && Peek() >= '0' && Peek() <= '7'; ++i) {
      value = value * 8 + (text_[pos_++] - '0');
    }
    out->push_back(static_cast<char>(value));
  } else {
    out->push_back(c);
  }
}

// Parses the rest of a string. Without variables it becomes a literal, so that evaluation copies it
// only once.
bool Parser::String(char quote, VariableExpressionNode* node) {
  std::string text;
  const auto flush = [&] {
    if (text.empty()) return;
    node->children.emplace_back().literal = std::move(text);
    text.clear();
  };
  while (!AtEnd() && Peek() != quote) {
    if (in_fallback_ && text_.substr(pos_, 2) == "${") {
      return Error("Variable references are not allowed in fallback string values");
    }
    if (Take("${")) {
      flush();
      if (!Variable(&node->children.emplace_back())) return false;
    } else if (Take('\\')) {
      Escape(&text);
    } else {
      text.push_back(text_[pos_++]);
    }
  }
  if (!Take(quote)) return Error(quote == '"' ? "Missing ending '\"'" : "Missing ending \"'\"");
  if (node->children.empty()) {
    node->literal = std::move(text);
    return true;
  }
  flush();
  node->kind = VariableExpressionNode::Kind::kString;
  return true;
}

bool Parser::Integer(VariableExpressionNode* node) {
  int64_t value = 0;
  const char* begin = text_.data() + pos_;
  // Takes leading zeros and int64's minimum, and no plus sign, as OpenUSD does.
  const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (status != std::errc()) {
    return Error(Concat("Integer ", std::string_view(begin, static_cast<size_t>(end - begin)),
                        " out of range."));
  }
  pos_ += static_cast<size_t>(end - begin);
  node->literal = value;
  return true;
}

// Comma-separated expressions. A comma that no expression follows is left to the caller, which then
// reports the missing bracket there.
bool Parser::Items(bool lists, VariableExpressionNode* node) {
  while (true) {
    const size_t begin = pos_;
    bool matched = node->children.empty() || Comma();
    VariableExpressionNode item;
    if (matched && !Expression(&item, lists, &matched)) return false;
    if (!matched) {
      pos_ = begin;
      return true;
    }
    node->children.push_back(std::move(item));
  }
}

// OpenUSD allows spaces in a list around commas only, or between the brackets of an empty list.
bool Parser::List(VariableExpressionNode* node) {
  Take('[');
  node->kind = VariableExpressionNode::Kind::kList;
  // Lists do not nest.
  if (!Items(/*lists=*/false, node)) return false;
  if (node->children.empty()) SkipSpaces();
  return Take(']') || Error("Missing ending ']'");
}

bool Parser::Call(VariableExpressionNode* node, bool* matched) {
  const size_t begin = pos_;
  node->kind = VariableExpressionNode::Kind::kCall;
  node->name = std::string(Identifier());
  SkipSpaces();
  *matched = !node->name.empty() && Take('(');
  if (!*matched) {
    pos_ = begin;
    return true;
  }
  SkipSpaces();
  if (!Items(/*lists=*/true, node)) return false;
  SkipSpaces();
  if (!Take(')')) return Error("Missing ending ')'");
  // Unlike other expressions, a call may have spaces behind it; OpenUSD pads calls on both sides.
  SkipSpaces();
  return true;
}

}  // namespace

std::string ParseVariableExpression(std::string_view text, VariableExpressionNode* root) {
  return Parser(text).Parse(root);
}

}  // namespace stagedoor
