#ifndef STAGEDOOR_SCENE_PATHS_PATH_PATTERN_H_
#define STAGEDOOR_SCENE_PATHS_PATH_PATTERN_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scene/paths/path.h"
#include "scene/paths/predicate_expression.h"

namespace stagedoor {

// Matches a name: '*' stands for any run of bytes, '?' for any byte, [..] for one of a set. An
// empty pattern matches everything.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// A path with wildcards, such as "/World//Chair*{kind:prop}.points". Corresponds to OpenUSD's
// SdfPathPattern.
//
// Consists of a literal prefix and elements: names with the wildcards * ? [a-z] [!a-z], or "//" for
// any number of elements, each optionally with a predicate. The last element may be a property.
// Immutable, hence thread-safe.
class PathPattern {
 public:
  struct Component {
    std::string name;      // empty if any name matches
    bool stretch = false;  // "//": zero or more elements; a predicate applies to the last of them
    bool property = false;
    std::shared_ptr<const PredicateExpression> predicate;  // null if there is none
  };
  // Evaluates a predicate call for the object at a path.
  using PredicateEvaluator = std::function<bool(Path, const PredicateCall&)>;

  PathPattern() = default;
  PathPattern(Path prefix, std::vector<Component> elements)
      : prefix_(prefix), components_(std::move(elements)) {}
  static PathPattern Everything();  // "//"

  Path prefix() const { return prefix_; }
  const std::vector<Component>& components() const { return components_; }
  bool IsEverything() const;
  // True if the pattern begins with "//".
  bool HasLeadingStretch() const {
    return prefix_.IsAbsoluteRoot() && !components_.empty() && components_[0].stretch;
  }
  PathPattern WithPrefix(Path prefix) const { return PathPattern(prefix, components_); }

  // Whether an absolute prim or property path matches. Relative patterns match nothing.
  bool Matches(Path path, const PredicateEvaluator& holds) const;
  struct MatchResult {
    bool holds = false;
    bool constant = true;  // whether `holds` is the same for all descendants of the prim
  };
  // Whether a prim matches, and whether OpenUSD's matcher knows that all descendants have the same
  // result, so that traversal may skip them (SdfPredicateFunctionResult::IsConstant).
  MatchResult MatchPrim(Path prim, const PredicateEvaluator& holds) const;
  std::string ToText() const;

 private:
  bool IsSettled(Path prim, bool matches) const;
  bool MatchesComponent(const Component& element, Path at, bool is_property,
                        const PredicateEvaluator& holds) const;

  Path prefix_;
  std::vector<Component> components_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_PATTERN_H_
