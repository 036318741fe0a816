#include "scene/paths/path_expression.h"

#include <algorithm>
#include <utility>

namespace stagedoor {

struct PathExpression::Node {
  Kind kind = Kind::kPattern;
  std::vector<PathExpression> terms;
  PathPattern pattern;
  Path path;         // set for kReference
  std::string name;  // set for kReference
  size_t work = 1;   // see PathExpression::work
};

namespace {

constexpr std::string_view kWeaker = "_";
constexpr size_t kWorkPerCall = 4;  // cost of a predicate call relative to a name

std::string_view Separator(PathExpression::Kind kind) {
  switch (kind) {
    case PathExpression::Kind::kDifference:
      return " - ";
    case PathExpression::Kind::kIntersection:
      return " & ";
    case PathExpression::Kind::kUnion:
      return " + ";
    default:
      return " ";
  }
}

bool IsUnion(PathExpression::Kind kind) {
  return kind == PathExpression::Kind::kUnion || kind == PathExpression::Kind::kImpliedUnion;
}

}  // namespace

PathExpression PathExpression::Everything() { return FromPattern(PathPattern::Everything()); }

PathExpression PathExpression::FromPattern(PathPattern pattern) {
  auto node = std::make_shared<Node>();
  node->work = 1 + pattern.components().size();
  for (const PathPattern::Component& element : pattern.components()) {
    if (element.predicate) {
      element.predicate->ForEachCall([&](const PredicateCall&) { node->work += kWorkPerCall; });
    }
  }
  node->pattern = std::move(pattern);
  return PathExpression(std::move(node));
}

PathExpression PathExpression::FromReference(Path path, std::string name) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::kReference;
  node->path = path;
  node->name = std::move(name);
  return PathExpression(std::move(node));
}

PathExpression PathExpression::Combine(Kind kind, const std::vector<PathExpression>& terms) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  if (kind == Kind::kComplement) {
    if (terms[0].IsNothing()) return Everything();
    if (terms[0].IsEverything()) return PathExpression();
    if (terms[0].node_->kind == Kind::kComplement) return terms[0].node_->terms[0];
    node->terms = terms;
    node->work = WorkOf(terms);
    return PathExpression(std::move(node));
  }
  // The terms so far; no terms stand for the empty expression. A chain is a single node, so the
  // depth of the tree is bounded by the nesting of parentheses.
  std::vector<PathExpression> chain;
  if (!terms[0].IsNothing()) chain.push_back(terms[0]);
  for (size_t i = 1; i < terms.size(); ++i) AppendTerm(kind, terms[i], &chain);
  if (chain.empty()) return PathExpression();
  if (chain.size() == 1) return chain[0];
  if (chain[0].node_->kind == kind) {
    const NodeRef nested = chain[0].node_;
    chain.erase(chain.begin());
    chain.insert(chain.begin(), nested->terms.begin(), nested->terms.end());
  }
  node->work = WorkOf(chain);
  node->terms = std::move(chain);
  return PathExpression(std::move(node));
}

size_t PathExpression::work() const { return node_ ? node_->work : 0; }

size_t PathExpression::WorkOf(const std::vector<PathExpression>& terms) {
  size_t work = 1;
  for (const PathExpression& term : terms) {
    // Shared terms make this grow exponentially.
    if (__builtin_add_overflow(work, term.work(), &work)) return ~size_t{0};
  }
  return work;
}

void PathExpression::AppendTerm(Kind kind, const PathExpression& term,
                                std::vector<PathExpression>* chain) {
  // Algebraic simplifications: x + all = all, x & all = x, x - all = nothing, all - x = ~x, and so
  // on.
  const bool everything = chain->size() == 1 && (*chain)[0].IsEverything();
  if (IsUnion(kind)) {
    if (term.IsNothing() || everything) return;
    if (term.IsEverything()) chain->clear();
    chain->push_back(term);
  } else if (kind == Kind::kIntersection) {
    if (chain->empty() || term.IsEverything()) return;
    if (term.IsNothing() || everything) chain->clear();
    if (!term.IsNothing()) chain->push_back(term);
  } else {
    if (chain->empty() || term.IsNothing()) return;
    if (everything || term.IsEverything()) chain->clear();
    if (everything) {
      const PathExpression rest = Combine(Kind::kComplement, {term});
      if (!rest.IsNothing()) chain->push_back(rest);
    } else if (!term.IsEverything()) {
      chain->push_back(term);
    }
  }
}

std::string PathExpression::ToText() const {
  if (!node_) return "";
  const Node& node = *node_;
  if (node.kind == Kind::kPattern) return node.pattern.ToText();
  if (node.kind == Kind::kReference) {
    if (node.name == kWeaker && node.path.empty()) return "%_";
    return "%" + node.path.ToString() + ":" + node.name;
  }
  std::string text = node.kind == Kind::kComplement ? "~" : "";
  for (size_t i = 0; i < node.terms.size(); ++i) {
    if (i > 0) text += Separator(node.kind);
    const Kind inner = node.terms[i].node_->kind;
    const bool looser = inner < node.kind || (i > 0 && inner == node.kind);
    const std::string term = node.terms[i].ToText();
    text += looser ? "(" + term + ")" : term;
  }
  return text;
}

bool PathExpression::IsEverything() const {
  return node_ && node_->kind == Kind::kPattern && node_->pattern.IsEverything();
}

bool PathExpression::ContainsWeakerExpressionReference() const {
  if (!node_) return false;
  if (node_->kind == Kind::kReference) return node_->path.empty() && node_->name == kWeaker;
  return std::any_of(node_->terms.begin(), node_->terms.end(), [](const PathExpression& term) {
    return term.ContainsWeakerExpressionReference();
  });
}

PathExpression PathExpression::Transform(
    const std::function<PathExpression(const PathExpression&)>& leaf) const {
  if (!node_) return *this;
  if (node_->terms.empty()) return leaf(*this);
  std::vector<PathExpression> terms;
  for (const PathExpression& term : node_->terms) terms.push_back(term.Transform(leaf));
  return Combine(node_->kind, terms);
}

PathExpression PathExpression::MakeAbsolute(Path anchor) const {
  return Transform([&](const PathExpression& leaf) {
    const Node& node = *leaf.node_;
    const bool reference = node.kind == Kind::kReference;
    const Path path = reference ? node.path : node.pattern.prefix();
    if (path.empty() || path.IsAbsolute()) return leaf;
    const Path absolute = path.MakeAbsolute(anchor);
    if (!absolute.IsPrimOrRoot() && !absolute.IsProperty()) return leaf;
    return reference ? FromReference(absolute, node.name)
                     : FromPattern(node.pattern.WithPrefix(absolute));
  });
}

PathExpression PathExpression::MapPaths(const std::function<Path(Path)>& map) const {
  return Transform([&](const PathExpression& leaf) {
    const Node& node = *leaf.node_;
    const bool reference = node.kind == Kind::kReference;
    if (reference ? node.path.empty() : node.pattern.HasLeadingStretch()) return leaf;
    const Path mapped = map(reference ? node.path : node.pattern.prefix());
    if (mapped.empty()) return PathExpression();
    return reference ? FromReference(mapped, node.name)
                     : FromPattern(node.pattern.WithPrefix(mapped));
  });
}

PathExpression PathExpression::ComposeOver(const PathExpression& weaker) const {
  return Transform([&](const PathExpression& leaf) {
    return leaf.ContainsWeakerExpressionReference() ? weaker : leaf;
  });
}

PathExpression PathExpression::ResolveReferences(
    const std::function<PathExpression(Path, const std::string&)>& resolve) const {
  return Transform([&](const PathExpression& leaf) {
    const Node& node = *leaf.node_;
    return node.kind == Kind::kReference ? resolve(node.path, node.name) : leaf;
  });
}

bool PathExpression::Matches(Path path, const PathPattern::PredicateEvaluator& holds) const {
  if (!node_) return false;
  const std::vector<PathExpression>& terms = node_->terms;
  const auto matches = [&](const PathExpression& term) { return term.Matches(path, holds); };
  switch (node_->kind) {
    case Kind::kPattern:
      return node_->pattern.Matches(path, holds);
    case Kind::kReference:
      return false;
    case Kind::kComplement:
      return !terms[0].Matches(path, holds);
    case Kind::kIntersection:
      return std::all_of(terms.begin(), terms.end(), matches);
    case Kind::kDifference:
      return matches(terms[0]) && std::none_of(terms.begin() + 1, terms.end(), matches);
    default:
      return std::any_of(terms.begin(), terms.end(), matches);
  }
}

PathPattern::MatchResult PathExpression::MatchPrim(
    Path prim, const PathPattern::PredicateEvaluator& holds) const {
  if (!node_ || node_->kind == Kind::kReference) return {};
  if (node_->kind == Kind::kPattern) return node_->pattern.MatchPrim(prim, holds);
  const std::vector<PathExpression>& terms = node_->terms;
  PathPattern::MatchResult result = terms[0].MatchPrim(prim, holds);
  if (node_->kind == Kind::kComplement) return {!result.holds, result.constant};
  const bool difference = node_->kind == Kind::kDifference;
  // The truth value of a term that decides the result: true for unions, false for the others.
  const bool decides = !difference && node_->kind != Kind::kIntersection;
  for (size_t i = 1; i < terms.size() && result.holds != decides; ++i) {
    PathPattern::MatchResult next = terms[i].MatchPrim(prim, holds);
    next.holds ^= difference;
    result = {next.holds, next.constant && (result.constant || next.holds == decides)};
  }
  return result;
}

void PathExpression::ForEachCall(const std::function<void(const PredicateCall&)>& visit) const {
  if (!node_) return;
  for (const PathPattern::Component& element : node_->pattern.components()) {
    if (element.predicate) element.predicate->ForEachCall(visit);
  }
  for (const PathExpression& term : node_->terms) term.ForEachCall(visit);
}

}  // namespace stagedoor
