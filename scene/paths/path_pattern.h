// PathPattern: a path with wildcards: "/World//Chair*{kind:prop}.points".
//
// A literal prefix, then elements: names with * ? [a-z] [!a-z], "//" for any number of elements,
// each with a condition if wanted; the last may be a property's. Immutable.
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

// * any run, ? any byte, [..] one of a set. An empty pattern matches everything.
bool MatchesGlob(std::string_view pattern, std::string_view text);

class PathPattern {
 public:
  struct Element {
    std::string name;      // empty: any
    bool stretch = false;  // "//": zero or more elements; a predicate is on the last of them
    bool property = false;
    std::shared_ptr<const PredicateExpression> predicate;  // null: none
  };
  // Whether a call of a predicate holds for the object at a path.
  using Holds = std::function<bool(Path, const PredicateCall&)>;

  PathPattern() = default;
  PathPattern(Path prefix, std::vector<Element> elements)
      : prefix_(prefix), elements_(std::move(elements)) {}
  static PathPattern Everything();  // "//"

  Path prefix() const { return prefix_; }
  const std::vector<Element>& elements() const { return elements_; }
  bool IsEverything() const;
  // Begins with "//".
  bool IsAnywhere() const {
    return prefix_.IsAbsoluteRoot() && !elements_.empty() && elements_[0].stretch;
  }
  PathPattern WithPrefix(Path prefix) const { return PathPattern(prefix, elements_); }

  // Of an absolute prim or property path. Relative patterns match nothing.
  bool Matches(Path path, const Holds& holds) const;
  struct Match {
    bool holds = false;
    bool constant = true;  // below the prim too
  };
  // Of a prim, and whether OpenUSD's search knows that all below it will have the same answer.
  Match MatchPrim(Path prim, const Holds& holds) const;
  std::string ToText() const;

 private:
  bool IsSettled(Path prim, bool matches) const;
  bool MatchesElement(const Element& element, Path at, bool is_property, const Holds& holds) const;

  Path prefix_;
  std::vector<Element> elements_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_PATTERN_H_
