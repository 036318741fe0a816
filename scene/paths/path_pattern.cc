#include "scene/paths/path_pattern.h"

#include <algorithm>
#include <optional>

namespace stagedoor {
namespace {

// Whether `c` is in the set at the front of `pattern`, such as "[!a-z_]". *length receives the
// length of the set's text.
bool InSet(std::string_view pattern, char c, size_t* length) {
  const size_t close = pattern.find(']');
  if (close == std::string_view::npos) {
    *length = 1;
    return c == '[';
  }
  *length = close + 1;
  std::string_view set = pattern.substr(1, close - 1);
  const bool negated = !set.empty() && set[0] == '!';
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found |= set[i] <= c && c <= set[i + 2];
      i += 2;
    } else {
      found |= set[i] == c;
    }
  }
  return found != negated;
}

// The prefixes of `path` below `prefix`, shortest first; nothing if `path` does not have that
// prefix.
std::optional<std::vector<Path>> ElementsBelow(Path path, Path prefix) {
  std::vector<Path> below;
  for (Path at = path; at != prefix; at = at.Parent()) {
    if (at.empty()) return std::nullopt;
    below.push_back(at);
  }
  std::reverse(below.begin(), below.end());
  return below;
}

}  // namespace

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return true;
  constexpr size_t kNone = std::string_view::npos;
  size_t p = 0;
  // Only the last star is retried, which is sufficient and keeps the time quadratic.
  size_t star = kNone;  // position after the last star in the pattern
  size_t resume = 0;    // end of the text that this star stands for
  for (size_t t = 0; t < text.size();) {
    size_t step = 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      resume = t;
      continue;
    }
    const bool matches =
        p < pattern.size() &&
        (pattern[p] == '?' ||
         (pattern[p] == '[' ? InSet(pattern.substr(p), text[t], &step) : pattern[p] == text[t]));
    if (matches) {
      p += step;
      ++t;
    } else if (star != kNone) {
      p = star;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

PathPattern PathPattern::Everything() {
  Component stretch;
  stretch.stretch = true;
  return PathPattern(Path::AbsoluteRoot(), {stretch});
}

bool PathPattern::IsEverything() const {
  return prefix_.IsAbsoluteRoot() && components_.size() == 1 && components_[0].stretch &&
         !components_[0].predicate;
}

bool PathPattern::MatchesComponent(const Component& element, Path at, bool is_property,
                                   const PredicateEvaluator& holds) const {
  if (element.property != is_property || !MatchesGlob(element.name, at.name().text())) return false;
  return !element.predicate ||
         element.predicate->Evaluate([&](const PredicateCall& call) { return holds(at, call); });
}

// Simulates all alternatives at once: reached[i] is true if the pattern's elements so far match the
// first i elements of the path.
bool PathPattern::Matches(Path path, const PredicateEvaluator& holds) const {
  if (!prefix_.IsAbsolute()) return false;
  const auto below = ElementsBelow(path, prefix_);
  if (!below) return false;
  const size_t count = below->size();
  const bool is_property = path.IsProperty();
  std::vector<bool> reached(count + 1, false);
  reached[0] = true;
  for (const Component& element : components_) {
    std::vector<bool> next(count + 1, false);
    if (element.stretch) {
      bool open = false;
      for (size_t i = 0; i <= count; ++i) {
        open = open || reached[i];
        const Path at = i == 0 ? prefix_ : (*below)[i - 1];
        // "//" alone also matches properties; with a predicate it matches prims only.
        next[i] = open && (!element.predicate ||
                           (!at.IsProperty() && element.predicate->Evaluate([&](const auto& call) {
                             return holds(at, call);
                           })));
      }
    } else {
      for (size_t i = 0; i < count; ++i) {
        next[i + 1] = reached[i] &&
                      MatchesComponent(element, (*below)[i], is_property && i + 1 == count, holds);
      }
    }
    if (std::find(next.begin(), next.end(), true) == next.end()) return false;
    reached = std::move(next);
  }
  return reached[count];
}

PathPattern::MatchResult PathPattern::MatchPrim(Path prim, const PredicateEvaluator& holds) const {
  const bool matches = Matches(prim, holds);
  return {matches, IsSettled(prim, matches)};
}

bool PathPattern::IsSettled(Path prim, bool matches) const {
  if (!prefix_.IsAbsolute()) return true;
  const auto below = ElementsBelow(prim, prefix_);
  if (!below) return !prefix_.HasPrefix(prim);
  if (components_.empty()) return !below->empty();
  if (components_.back().property) return false;
  if (matches && components_.back().stretch && !components_.back().predicate) return true;
  // Nothing below a path matches that the elements before the first "//" do not match so far.
  for (size_t i = 0; i < components_.size(); ++i) {
    if (components_[i].stretch) {
      bool leads = true;
      for (size_t k = 0; k < i && k < below->size(); ++k) {
        leads &= MatchesGlob(components_[k].name, (*below)[k].name().text());
      }
      return !leads;
    }
  }
  return below->size() > components_.size();
}

std::string PathPattern::ToText() const {
  const bool bare =
      prefix_ == Path::ReflexiveRelative() && !components_.empty() && !components_[0].stretch;
  std::string text = bare ? "" : prefix_.ToString();
  for (const Component& element : components_) {
    const bool open = text.empty() || text.back() == '/';
    if (element.stretch) {
      text += open ? "/" : "//";
    } else if (element.property) {
      text += '.';
    } else if (!open) {
      text += '/';
    }
    text += element.name;
    if (element.predicate) text += "{" + element.predicate->ToText() + "}";
  }
  return text;
}

}  // namespace stagedoor
