#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "scene/paths/identifier.h"
#include "scene/paths/path_expression.h"

namespace stagedoor {
namespace {

using Tree = PathExpression;
using Component = PathPattern::Component;

constexpr int kMaxDepth = 128;

bool IsAlnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsSpace(char c) { return c == ' ' || c == '\t'; }

// A recursive-descent parser for the grammar of SdfPathExpression. Each function reads one
// construct at the cursor, or sets the error and returns a value that the caller ignores.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Tree> Run() {
    if (text_.size() > Tree::kMaxTextBytes) {
      return absl::InvalidArgumentError("path expression exceeds the limit of " +
                                        std::to_string(Tree::kMaxTextBytes) + " bytes");
    }
    SkipSpace();
    Tree tree = ReadChain(Tree::Kind::kDifference);
    SkipSpace();
    // As in OpenUSD, everything after the end of the line is ignored.
    if (ok() && !AtEnd() && Peek() != '\n') Fail("expected the end of the expression");
    if (!ok()) return absl::InvalidArgumentError("malformed path expression: " + error_);
    return tree;
  }

 private:
  bool ok() const { return error_.empty(); }
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool Starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  bool Take(std::string_view word) {
    if (!Starts(word)) return false;
    at_ += word.size();
    return true;
  }
  bool SkipSpace() {
    const size_t before = at_;
    while (IsSpace(Peek())) ++at_;
    return at_ > before;
  }
  void Fail(const char* what) {
    if (ok()) error_ = std::string(what) + " at character " + std::to_string(at_ + 1);
  }

  // ---- operators

  static constexpr char Operator(Tree::Kind kind) {
    return kind == Tree::Kind::kDifference ? '-' : kind == Tree::Kind::kIntersection ? '&' : '+';
  }

  Tree ReadChain(Tree::Kind kind) {
    if (kind == Tree::Kind::kImpliedUnion) return ReadImpliedUnion();
    const auto tighter = static_cast<Tree::Kind>(static_cast<int>(kind) + 1);
    std::vector<Tree> terms = {ReadChain(tighter)};
    while (ok()) {
      const size_t before = at_;
      SkipSpace();
      if (Peek() != Operator(kind)) {
        at_ = before;
        break;
      }
      ++at_;
      SkipSpace();
      terms.push_back(ReadChain(tighter));
    }
    return ok() ? Tree::Combine(kind, terms) : Tree();
  }

  Tree ReadImpliedUnion() {
    std::vector<Tree> terms = {ReadTerm()};
    while (ok()) {
      const size_t before = at_;
      if (!SkipSpace() || !StartsTerm()) {
        at_ = before;
        break;
      }
      terms.push_back(ReadTerm());
    }
    return ok() ? Tree::Combine(Tree::Kind::kImpliedUnion, terms) : Tree();
  }

  bool StartsTerm() const {
    const char c = Peek();
    return c == '~' || c == '(' || c == '%' || StartsPattern();
  }
  bool StartsPattern() const {
    const char c = Peek();
    return IsAlnum(c) || c == '/' || c == '.' || c == '*' || c == '?' || c == '[' || c == '{';
  }

  Tree ReadTerm() {
    if (++depth_ > kMaxDepth) Fail("nested more than 128 levels deep");
    Tree tree;
    if (!ok()) return tree;
    if (Take("~")) {
      SkipSpace();
      if (Peek() == '~') Fail("expected a path expression");
      const Tree term = ok() ? ReadTerm() : Tree();
      if (ok()) tree = Tree::Combine(Tree::Kind::kComplement, {term});
    } else if (Take("(")) {
      SkipSpace();
      tree = ReadChain(Tree::Kind::kDifference);
      SkipSpace();
      if (ok() && !Take(")")) Fail("expected ')'");
    } else if (Take("%")) {
      tree = ReadReference();
    } else if (StartsPattern()) {
      tree = ReadPattern();
    } else {
      Fail("expected a path expression");
    }
    --depth_;
    return tree;
  }

  Tree ReadReference() {
    if (Peek() == '_' && !IsAlnum(Peek(1))) {
      ++at_;
      return Tree::FromReference(Path(), "_");
    }
    Path path;
    if (Peek() == '/' || Peek() == '.') path = ReadReferencePath();
    if (ok() && !Take(":")) Fail("expected ':' and a collection name");
    std::string name(TakeIdentifier());
    if (name.empty()) Fail("expected a collection name");
    return Tree::FromReference(path, std::move(name));
  }

  Path ReadReferencePath() {
    Path path = Path::AbsoluteRoot();
    if (Peek() == '.') path = ReadDots();
    while (ok() && Take("/")) {
      const std::string_view name = TakeIdentifier();
      if (name.empty()) {
        Fail("expected a name");
      } else {
        path = path.AppendChild(Token(name));
      }
    }
    return path;
  }

  // Reads ".", "..", "../.." and so on; stops before a '/' that is not followed by "..".
  Path ReadDots() {
    Path path = Path::ReflexiveRelative();
    if (!Take("..")) {
      ++at_;
      return path;
    }
    path = path.Parent();
    while (Starts("/..")) {
      at_ += 3;
      path = path.Parent();
    }
    return path;
  }

  std::string_view TakeIdentifier() {
    const size_t begin = at_;
    while (IsAlnum(Peek())) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (!name.empty() && name[0] >= '0' && name[0] <= '9') at_ = begin;
    return text_.substr(begin, at_ - begin);
  }

  // ---- patterns

  Tree ReadPattern() {
    Path prefix = Path::ReflexiveRelative();
    bool may_name = true;  // whether an element may follow
    bool must_name = false;
    if (Peek() == '/') {
      prefix = Path::AbsoluteRoot();
      may_name = Peek(1) != '/';
      if (may_name) ++at_;
    } else if (Peek() == '.') {
      // The grammar has "../A", but not "./A".
      const bool up = Peek(1) == '.';
      prefix = ReadDots();
      may_name = must_name = up && Peek() == '/' && Peek(1) != '/';
      if (must_name) ++at_;
    }
    std::vector<Component> elements;
    ReadComponents(may_name, must_name, &prefix, &elements);
    return Tree::FromPattern(PathPattern(prefix, std::move(elements)));
  }

  void ReadComponents(bool may_name, bool must_name, Path* prefix,
                      std::vector<Component>* elements) {
    while (ok()) {
      bool complete = false;  // whether a single '/' and another element may follow
      if (may_name && StartsComponent()) {
        ReadComponent(prefix, elements);
        if (ok() && Peek() == '.') return ReadProperty(prefix, elements);
        complete = true;
      } else if (must_name) {
        return Fail("expected an element of a path pattern");
      }
      must_name = false;
      if (Take("//")) {
        elements->emplace_back();
        elements->back().stretch = true;
        may_name = Peek() != '{';
        if (may_name) continue;
        elements->back().predicate = ReadPredicate();
        complete = true;
        if (Starts("//")) continue;
      }
      if (!complete || Peek() != '/' || Peek(1) == '/') {
        if (complete && Starts("//")) continue;
        return;
      }
      ++at_;
      may_name = must_name = true;
    }
  }

  bool StartsComponent() const {
    const char c = Peek();
    return IsAlnum(c) || c == '*' || c == '?' || c == '[' || c == '{';
  }

  void ReadComponent(Path* prefix, std::vector<Component>* elements) {
    Component element;
    element.name = ReadGlob(/*property=*/false);
    if (ok() && Peek() == '{') element.predicate = ReadPredicate();
    if (!ok()) return;
    if (elements->empty() && !element.predicate && IsIdentifier(element.name)) {
      *prefix = prefix->AppendChild(Token(element.name));
    } else {
      elements->push_back(std::move(element));
    }
  }

  void ReadProperty(Path* prefix, std::vector<Component>* elements) {
    ++at_;
    Component element;
    element.property = true;
    element.name = ReadGlob(/*property=*/true);
    if (ok() && Peek() == '{') element.predicate = ReadPredicate();
    if (ok() && element.name.empty() && !element.predicate) Fail("expected a property after '.'");
    if (!ok()) return;
    if (elements->empty() && !element.predicate && IsNamespacedIdentifier(element.name)) {
      *prefix = prefix->AppendProperty(Token(element.name));
    } else {
      elements->push_back(std::move(element));
    }
  }

  std::string ReadGlob(bool property) {
    const size_t begin = at_;
    while (ok()) {
      const char c = Peek();
      if (c == '[') {
        SkipSet();
      } else if (IsAlnum(c) || c == '*' || c == '?' || (property && c == ':')) {
        ++at_;
      } else {
        break;
      }
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  void SkipSet() {
    ++at_;
    if (Peek() == '!') ++at_;
    const size_t begin = at_;
    while (IsAlnum(Peek()) || (Peek() == '-' && at_ > begin)) ++at_;
    if (at_ == begin || !Take("]")) Fail("malformed character class");
  }

  // ---- predicates

  using Predicate = PredicateExpression;

  std::shared_ptr<const Predicate> ReadPredicate() {
    ++at_;
    SkipSpace();
    auto predicate = std::make_shared<Predicate>(ReadPredicateChain(Predicate::Kind::kOr));
    SkipSpace();
    if (ok() && !Take("}")) Fail("expected '}'");
    return predicate;
  }

  bool TakeWord(std::string_view word) {
    if (!Starts(word) || IsAlnum(Peek(word.size()))) return false;
    at_ += word.size();
    return true;
  }

  Predicate ReadPredicateChain(Predicate::Kind kind) {
    if (kind == Predicate::Kind::kNot) return ReadPredicateTerm();
    const auto tighter = static_cast<Predicate::Kind>(static_cast<int>(kind) + 1);
    Predicate chain;
    chain.kind = kind;
    chain.terms.push_back(ReadPredicateChain(tighter));
    while (ok()) {
      const size_t before = at_;
      const bool space = SkipSpace();
      bool more;
      if (kind == Predicate::Kind::kImpliedAnd) {
        more = space && StartsPredicateTerm();
      } else {
        more = TakeWord(kind == Predicate::Kind::kOr ? "or" : "and");
        SkipSpace();
      }
      if (!more) {
        at_ = before;
        break;
      }
      chain.terms.push_back(ReadPredicateChain(tighter));
    }
    return chain.terms.size() == 1 ? std::move(chain.terms[0]) : chain;
  }

  bool StartsPredicateTerm() {
    const size_t before = at_;
    const bool reserved = TakeWord("or") || TakeWord("and");
    at_ = before;
    return !reserved && (Peek() == '(' || IsAlnum(Peek()));
  }

  Predicate ReadPredicateTerm() {
    Predicate result;
    if (++depth_ > kMaxDepth) Fail("nested more than 128 levels deep");
    if (!ok()) return result;
    if (TakeWord("not")) {
      SkipSpace();
      result.kind = Predicate::Kind::kNot;
      result.terms.push_back(ReadPredicateTerm());
    } else if (Take("(")) {
      SkipSpace();
      result = ReadPredicateChain(Predicate::Kind::kOr);
      SkipSpace();
      if (ok() && !Take(")")) Fail("expected ')'");
    } else {
      result.call = ReadCall();
    }
    --depth_;
    return result;
  }

  PredicateCall ReadCall() {
    PredicateCall call;
    call.function = TakeIdentifier();
    if (call.function.empty() || call.function == "and" || call.function == "or") {
      Fail("expected a predicate");
      return call;
    }
    if (Take(":")) {
      call.style = PredicateCall::Style::kColon;
      do {
        call.arguments.push_back({"", ReadArgument()});
      } while (ok() && Take(","));
      if (ok() && Peek() == ':') Fail("unexpected ':'");
      return call;
    }
    const size_t before = at_;
    SkipSpace();
    if (!Take("(")) {
      at_ = before;
      return call;
    }
    call.style = PredicateCall::Style::kParentheses;
    ReadArguments(&call);
    return call;
  }

  void ReadArguments(PredicateCall* call) {
    do {
      SkipSpace();
      PredicateArgument argument;
      const size_t before = at_;
      argument.key = TakeIdentifier();
      SkipSpace();
      if (argument.key.empty() || !Take("=")) {
        at_ = before;
        argument.key.clear();
        if (!call->arguments.empty() && !call->arguments.back().key.empty()) {
          Fail("positional argument after a keyword argument");
        }
      }
      SkipSpace();
      argument.value = ReadArgument();
      SkipSpace();
      call->arguments.push_back(std::move(argument));
    } while (ok() && Take(","));
    if (ok() && !Take(")")) Fail("expected ')'");
  }

  using ArgumentValue = decltype(PredicateArgument::value);

  ArgumentValue ReadArgument() {
    if (Peek() == '"' || Peek() == '\'') return ReadQuoted();
    if (const auto number = TakeNumber()) return *number;
    if (TakeWord("true")) return true;
    if (TakeWord("false")) return false;
    const size_t begin = at_;
    const auto in_word = [](char c) {
      return IsAlnum(c) || (c != '\0' && std::string_view("!#$%&*+-./=?@\\^|~").find(c) !=
                                             std::string_view::npos);
    };
    while (in_word(Peek())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Advances *length past the digits at `at_ + *length`; false if there are none.
  bool CountDigits(size_t* length) const {
    const size_t begin = *length;
    while (Peek(*length) >= '0' && Peek(*length) <= '9') ++*length;
    return *length > begin;
  }

  // As in OpenUSD, a number ends where its grammar does, even within a word, and an integer that
  // does not fit in 64 bits is read as a word.
  std::optional<ArgumentValue> TakeNumber() {
    size_t length = Peek() == '-' ? 1 : 0;
    if (Starts(length ? "-inf" : "inf") && !IsAlnum(Peek(length + 3))) {
      at_ += length + 3;
      return ArgumentValue(length ? -HUGE_VAL : HUGE_VAL);
    }
    if (!CountDigits(&length)) return std::nullopt;
    bool fraction = false;
    if (Peek(length) == '.') {
      fraction = true;
      ++length;
      if (!CountDigits(&length)) Fail("expected digits");
    }
    if (Peek(length) == 'e' || Peek(length) == 'E') {
      fraction = true;
      ++length;
      if (Peek(length) == '+' || Peek(length) == '-') ++length;
      if (!CountDigits(&length)) Fail("expected digits");
    }
    if (!ok()) return std::nullopt;
    const std::string_view word = text_.substr(at_, length);
    const char* end = word.data() + word.size();
    int64_t integer;
    if (!fraction && std::from_chars(word.data(), end, integer).ec != std::errc()) {
      return std::nullopt;
    }
    at_ += length;
    if (!fraction) return ArgumentValue(integer);
    double number = 0;
    const auto r = std::from_chars(word.data(), end, number);
    if (r.ec == std::errc::result_out_of_range) number = word[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return ArgumentValue(number);
  }

  std::string ReadQuoted() {
    const char quote = Peek();
    const std::string marks(3, quote);
    const std::string_view end =
        Starts(marks) ? std::string_view(marks) : std::string_view(marks).substr(2);
    at_ += end.size();
    std::string value;
    while (!AtEnd() && !Starts(end)) {
      char c = text_[at_++];
      if (c == '\\' && !AtEnd()) {
        c = text_[at_++];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      value += c;
    }
    if (!Take(end)) Fail("unterminated string");
    return value;
  }

  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

absl::StatusOr<PathExpression> PathExpression::Parse(std::string_view text) {
  if (text.empty()) return PathExpression();
  return Parser(text).Run();
}

}  // namespace stagedoor
