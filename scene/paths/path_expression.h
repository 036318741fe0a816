// PathExpressionTree: a parsed path expression: patterns and references to other expressions under
// set operators.
//
//   /World//Chair* - /World/Old// %:extras
//
// Loosest to tightest: "-" difference, "&" intersection, "+" union, juxtaposition (union), "~"
// complement. The empty expression matches nothing. Immutable, cheap to copy; operations return new
// ones.
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

class PathExpressionTree {
 public:
  // From loosest to tightest.
  enum class Kind : uint8_t {
    kDifference,
    kIntersection,
    kUnion,
    kJuxtaposed,  // a union too
    kComplement,
    kReference,
    kPattern,
  };

  // Matches nothing.
  PathExpressionTree() = default;
  static PathExpressionTree Everything();
  static PathExpressionTree OfPattern(PathPattern pattern);
  // "%path:name": an expression of another prim, or with an empty path of the same; "%_", the next
  // weaker opinion, has that name.
  static PathExpressionTree OfReference(Path path, std::string name);
  // Simplified where a term is nothing or everything. kComplement takes one term.
  static PathExpressionTree Combine(Kind kind, const std::vector<PathExpressionTree>& terms);

  // INVALID_ARGUMENT names the position. Nesting is bounded, and so is the text: what is made of
  // it is a hundred times as large, and is not interrupted.
  static constexpr size_t kMaxTextBytes = size_t{1} << 20;
  static absl::StatusOr<PathExpressionTree> Parse(std::string_view text);
  // What Parse reads as an equal expression.
  std::string ToText() const;

  bool IsNothing() const { return !node_; }
  bool IsEverything() const;
  // How many parts a match may look at; shared terms count as often as they occur.
  size_t work() const;
  bool HasReferences() const;
  bool HasWeakerReference() const;

  // Relative patterns and references anchored to a prim.
  PathExpressionTree MakeAbsolute(Path anchor) const;
  // With every path translated; what has no image becomes nothing. Patterns that begin with "//"
  // stay.
  PathExpressionTree MapPaths(const std::function<Path(Path)>& map) const;
  // "%_" replaced by `weaker`.
  PathExpressionTree ComposeOver(const PathExpressionTree& weaker) const;
  // Every reference replaced.
  PathExpressionTree ResolveReferences(
      const std::function<PathExpressionTree(Path path, const std::string& name)>& resolve) const;

  // Of an absolute prim or property path. References match nothing.
  bool Matches(Path path, const PathPattern::Holds& holds) const;
  // Terms that decide nothing any more are not asked whether they are constant, as in OpenUSD.
  PathPattern::Match MatchPrim(Path prim, const PathPattern::Holds& holds) const;
  void ForEachCall(const std::function<void(const PredicateCall&)>& visit) const;

 private:
  struct Node;
  using NodeRef = std::shared_ptr<const Node>;

  static size_t WorkOf(const std::vector<PathExpressionTree>& terms);
  static void AppendTerm(Kind kind, const PathExpressionTree& term,
                         std::vector<PathExpressionTree>* chain);
  explicit PathExpressionTree(NodeRef node) : node_(std::move(node)) {}
  PathExpressionTree Transform(
      const std::function<PathExpressionTree(const PathExpressionTree&)>& leaf) const;

  NodeRef node_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_EXPRESSION_H_
