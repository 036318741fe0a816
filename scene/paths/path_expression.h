#ifndef STAGEDOOR_SCENE_PATHS_PATH_EXPRESSION_H_
#define STAGEDOOR_SCENE_PATHS_PATH_EXPRESSION_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/paths/path.h"
#include "scene/paths/path_pattern.h"

namespace stagedoor {

// A parsed path expression. Corresponds to OpenUSD's SdfPathExpression; the Core Specification has
// the value type only (section 16.3.10.14 Path Expression).
//
//   /World//Chair* - /World/Old// %:extras
//
// Set operators combine patterns and references to other expressions. In order of increasing
// precedence: "-" difference, "&" intersection, "+" union, juxtaposition (also union), "~"
// complement. The empty expression matches nothing. Immutable, hence thread-safe, and cheap to
// copy; operations return new trees.
class PathExpression {
 public:
  // In order of increasing precedence.
  enum class Kind : uint8_t {
    kDifference,
    kIntersection,
    kUnion,
    kImpliedUnion,  // a union, written without an operator
    kComplement,
    kReference,
    kPattern,
  };

  // The empty expression, which matches nothing.
  PathExpression() = default;
  // The expression "//", which matches every path.
  static PathExpression Everything();
  static PathExpression FromPattern(PathPattern pattern);
  // The reference "%path:name" to the expression of a collection on the prim at `path`, or on the
  // same prim if `path` is empty. "%_", which refers to the next weaker opinion, has an empty path
  // and the name "_".
  static PathExpression FromReference(Path path, std::string name);
  // Combines terms, simplifying if a term is empty or everything. kComplement takes one term.
  static PathExpression Combine(Kind kind, const std::vector<PathExpression>& terms);

  // INVALID_ARGUMENT, naming the position, for malformed text and for text that is too long or too
  // deeply nested. The length is limited because the tree can be a hundred times as large as its
  // text, and parsing cannot be cancelled.
  static constexpr size_t kMaxTextBytes = size_t{1} << 20;
  static absl::StatusOr<PathExpression> Parse(std::string_view text);
  // Text that Parse reads as an equal expression, formatted as OpenUSD does.
  std::string ToText() const;

  bool IsNothing() const { return !node_; }
  bool IsEverything() const;
  // Upper bound for the number of parts that a match visits. Shared terms count once per use.
  size_t work() const;
  // Whether there is a reference to the weaker opinion ("%_").
  bool ContainsWeakerExpressionReference() const;

  // Anchors relative patterns and references to a prim.
  PathExpression MakeAbsolute(Path anchor) const;
  // Maps every path, for example across a composition arc. A term whose path maps to the empty path
  // becomes empty. Patterns that begin with "//" are left as they are.
  PathExpression MapPaths(const std::function<Path(Path)>& map) const;
  // Replaces "%_" by `weaker`.
  PathExpression ComposeOver(const PathExpression& weaker) const;
  // Replaces every reference by the result of `resolve`.
  PathExpression ResolveReferences(
      const std::function<PathExpression(Path path, const std::string& name)>& resolve) const;

  // Whether an absolute prim or property path matches. References match nothing.
  bool Matches(Path path, const PathPattern::PredicateEvaluator& holds) const;
  // Whether a prim matches, and whether the result is the same for all its descendants. As in
  // OpenUSD, evaluation stops at the first term that decides the result, and terms after it do not
  // contribute to `constant`.
  PathPattern::MatchResult MatchPrim(Path prim, const PathPattern::PredicateEvaluator& holds) const;
  void ForEachCall(const std::function<void(const PredicateCall&)>& visit) const;

 private:
  struct Node;
  using NodeRef = std::shared_ptr<const Node>;

  static size_t WorkOf(const std::vector<PathExpression>& terms);
  static void AppendTerm(Kind kind, const PathExpression& term, std::vector<PathExpression>* chain);
  explicit PathExpression(NodeRef node) : node_(std::move(node)) {}
  PathExpression Transform(const std::function<PathExpression(const PathExpression&)>& leaf) const;

  NodeRef node_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_EXPRESSION_H_
