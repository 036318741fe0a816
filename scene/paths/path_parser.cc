// The path grammar: Core Specification, sections 8.5 (Grammar Definition) and 8.7 (Compatibility
// with Legacy Content).
#include <string>

#include "absl/status/status.h"
#include "scene/paths/identifier.h"
#include "scene/paths/path.h"

namespace stagedoor {

// A recursive-descent parser. Only target paths recurse, up to kMaxTargetDepth.
class PathParser {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  // The empty path if the text is malformed; error() then has the reason.
  Path Run() {
    const Path path = ParsePath(0);
    if (failed()) return Path();
    if (at_ != text_.size()) Fail("expected the end of the path");
    return failed() ? Path() : path;
  }
  bool failed() const { return expected_ != nullptr; }
  std::string error() const {
    return "ill-formed path <" + std::string(text_.substr(0, 200)) + "> at character " +
           std::to_string(at_ + 1) + ": " + (expected_ ? expected_ : "expected a path");
  }

 private:
  static constexpr int kMaxTargetDepth = 32;
  static constexpr size_t kMaxElements = 100000;

  bool Peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) { return Peek(c) && (++at_, true); }
  bool Take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  Path Fail(const char* expected) {
    if (!expected_) expected_ = expected;
    return Path();
  }
  void SkipBlanks() {
    while (Peek(' ') || Peek('\t')) ++at_;
  }

  Path Step(Path parent, Path::Kind kind, Token name, Token variant = Token(),
            Path target = Path()) {
    if (failed() || parent.empty()) return Path();
    if (++elements_ > kMaxElements) return Fail("expected at most 100000 elements");
    return Path::Make(parent, kind, name, variant, target);
  }
  std::string_view TakeName(size_t length) {
    const std::string_view name = text_.substr(at_, length);
    at_ += length;
    return name;
  }

  Path ParsePath(int depth) {
    if (depth > kMaxTargetDepth) return Fail("expected at most 32 levels of nested target paths");
    bool property_may_follow = true;
    Path path = ParsePrimPart(&property_may_follow);
    if (!failed() && property_may_follow && Take('.')) path = ParsePropertyPart(path, depth);
    return failed() ? Path() : path;
  }

  Path ParsePrimPart(bool* property_may_follow) {
    if (Take('/')) {
      if (IdentifierLength(text_.substr(at_)) == 0) {
        *property_may_follow = false;
        return Path::AbsoluteRoot();
      }
      return ParsePrimElements(Path::AbsoluteRoot());
    }
    const Path here = Path::ReflexiveRelative();
    if (Take("..")) return ParseDotDots(here);
    if (Peek('.')) {
      if (IdentifierLength(text_.substr(at_ + 1)) > 0) return here;  // ".property"
      ++at_;
      *property_may_follow = false;
      return here;
    }
    if (IdentifierLength(text_.substr(at_)) == 0) return Fail("expected a path");
    return ParsePrimElements(here);
  }

  Path ParseDotDots(Path path) {
    const Token dots = Token("..");
    while (true) {
      path = Step(path, Path::Kind::kPrim, dots);
      if (!Take('/')) return path;
      if (Take("..")) continue;
      if (Peek('.')) return path;
      return ParsePrimElements(path);
    }
  }

  Path ParsePrimElements(Path path) {
    while (true) {
      const size_t n = IdentifierLength(text_.substr(at_));
      if (n == 0) return Fail("expected a prim name");
      path = Step(path, Path::Kind::kPrim, Token(TakeName(n)));
      bool variant = false;
      while (!failed() && Peek('{')) {
        path = ParseVariantSelection(path);
        variant = true;
      }
      if (failed()) return Path();
      const bool child_follows = variant && IdentifierLength(text_.substr(at_)) > 0;
      if (!child_follows && (variant || !Take('/'))) return path;
    }
  }

  Path ParseVariantSelection(Path path) {
    ++at_;
    SkipBlanks();
    const size_t set = VariantSetLength();
    if (set == 0) return Fail("expected a variant set name");
    const Token set_name = Token(TakeName(set));
    SkipBlanks();
    if (!Take('=')) return Fail("expected '='");
    SkipBlanks();
    const Token variant = Token(TakeName(VariantNameLength(text_.substr(at_))));
    SkipBlanks();
    if (!Take('}')) return Fail("expected '}'");
    return Step(path, Path::Kind::kVariantSelection, set_name, variant);
  }
  // As in OpenUSD, the name of a set in a path is an identifier that may also have '-' behind its
  // first character, although layers have others (variant_names.h).
  size_t VariantSetLength() const {
    const std::string_view rest = text_.substr(at_);
    if (IdentifierLength(rest) == 0) return 0;
    return VariantNameLength(rest.substr(0, rest.find('|')));
  }

  Path ParsePropertyPart(Path path, int depth) {
    const size_t n = NamespacedLength();
    if (n == 0) return Fail("expected a property name");
    path = Step(path, Path::Kind::kProperty, Token(TakeName(n)));
    while (!failed()) {
      if (Take('[')) {
        path = Bracketed(path, Path::Kind::kTarget, depth);
        if (!failed() && Take('.')) {
          const size_t m = NamespacedLength();
          if (m == 0) return Fail("expected an attribute name");
          path = Step(path, Path::Kind::kRelationalAttribute, Token(TakeName(m)));
          continue;
        }
        return path;
      }
      if (Take(".mapper[")) {
        path = Bracketed(path, Path::Kind::kMapper, depth);
        if (failed() || !Take('.')) return path;
        const size_t m = IdentifierLength(text_.substr(at_));
        if (m == 0) return Fail("expected an argument name");
        return Step(path, Path::Kind::kMapperArg, Token(TakeName(m)));
      }
      if (Take(".expression")) return Step(path, Path::Kind::kExpression, Token());
      return path;
    }
    return Path();
  }

  Path Bracketed(Path parent, Path::Kind kind, int depth) {
    const Path target = ParsePath(depth + 1);
    if (failed()) return Path();
    if (!Take(']')) return Fail("expected ']'");
    return Step(parent, kind, Token(), Token(), target);
  }

  size_t NamespacedLength() const {
    size_t n = IdentifierLength(text_.substr(at_));
    while (n > 0 && at_ + n < text_.size() && text_[at_ + n] == ':') {
      const size_t m = IdentifierLength(text_.substr(at_ + n + 1));
      if (m == 0) break;
      n += 1 + m;
    }
    return n;
  }

  const std::string_view text_;
  size_t at_ = 0;
  size_t elements_ = 0;
  const char* expected_ = nullptr;
};

absl::StatusOr<Path> Path::Parse(std::string_view text) {
  PathParser parser(text);
  const Path path = parser.Run();
  if (path.empty()) return absl::InvalidArgumentError(parser.error());
  return path;
}

}  // namespace stagedoor
