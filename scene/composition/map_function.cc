#include "scene/composition/map_function.h"

#include <algorithm>

#include "base/strings.h"

namespace stagedoor {
namespace {

using Pair = MapFunction::Pair;
using Pairs = std::span<const Pair>;
constexpr int kNone = -1;

bool BySourceDepth(const Pair& a, const Pair& b) {
  if (a.first.depth() != b.first.depth()) return a.first.depth() < b.first.depth();
  if (a.first == b.first) return a.second < b.second;
  return a.first < b.first;
}

bool IsRootIdentity(const Pair& pair) {
  return pair.first.IsAbsoluteRoot() && pair.second.IsAbsoluteRoot();
}

Path Replace(Path path, Path from, Path to) {
  if (path.empty() || to.empty()) return Path();
  return path.ReplacePrefix(from, to, /*fix_targets=*/false);
}

// The pair with the longest `side` path that is a prefix of `path` and at least `min_depth` deep.
int BestMatch(Path path, Pairs pairs, Path Pair::*side, size_t min_depth = 0) {
  int best = kNone;
  size_t best_depth = min_depth;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Path candidate = pairs[i].*side;
    if (candidate.empty() || candidate.depth() < best_depth || !path.HasPrefix(candidate)) continue;
    best = static_cast<int>(i);
    best_depth = candidate.depth();
  }
  return best;
}

// Whether an image would be claimed, backwards, by another pair than the one that made it.
bool ClaimedByOther(Path image, Pairs pairs, int match, Path Pair::*image_side) {
  const size_t min_depth = match == kNone ? 0 : (pairs[match].*image_side).depth();
  const int back = BestMatch(image, pairs, image_side, min_depth);
  return back != kNone && back != match;
}

// Whether the other pairs say the same without pairs[i].
bool IsRedundant(size_t i, Pairs pairs) {
  const auto [source, target] = pairs[i];
  const int above = BestMatch(source.Parent(), pairs, &Pair::first);
  if (target.empty()) {
    if (above == kNone || pairs[above].second.empty()) return true;
    const Path image = Replace(source, pairs[above].first, pairs[above].second);
    return ClaimedByOther(image, pairs, above, &Pair::second);
  }
  if (above == kNone || pairs[above].second.empty() || source.name() != target.name()) return false;
  if (IsRootIdentity(pairs[above])) return source == target;
  if (Replace(source, pairs[above].first, pairs[above].second) != target) return false;
  return !ClaimedByOther(target.Parent(), pairs, above, &Pair::second);
}

void Canonicalize(std::vector<Pair>* pairs) {
  for (size_t i = 0; i < pairs->size();) {
    const bool root = (*pairs)[i].first.IsAbsoluteRoot();
    if (!root && IsRedundant(i, *pairs)) {
      pairs->erase(pairs->begin() + static_cast<ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

}  // namespace

MapFunction::MapFunction(std::vector<Pair> pairs, LayerOffset offset)
    : pairs_(std::make_shared<const std::vector<Pair>>(std::move(pairs))), offset_(offset) {}

const MapFunction& MapFunction::Identity() {
  static const MapFunction* identity =
      new MapFunction({{Path::AbsoluteRoot(), Path::AbsoluteRoot()}}, LayerOffset());
  return *identity;
}

MapFunction MapFunction::Make(std::vector<Pair> pairs, LayerOffset offset) {
  std::sort(pairs.begin(), pairs.end(), BySourceDepth);
  Canonicalize(&pairs);
  return MapFunction(std::move(pairs), offset);
}

bool MapFunction::HasRootIdentity() const {
  return pairs_ && !pairs_->empty() && IsRootIdentity(pairs_->front());
}

const std::vector<MapFunction::Pair>& MapFunction::pairs() const {
  static const std::vector<Pair>* none = new std::vector<Pair>;
  return pairs_ ? *pairs_ : *none;
}

std::span<const MapFunction::Pair> MapFunction::ProperPairs() const {
  return std::span<const Pair>(pairs()).subspan(HasRootIdentity() ? 1 : 0);
}

Path MapFunction::MapPrim(Path path, bool invert) const {
  if (path.empty() || IsIdentityMapping()) return path;
  const Pairs pairs = ProperPairs();
  const auto from = invert ? &Pair::second : &Pair::first;
  const auto to = invert ? &Pair::first : &Pair::second;
  const int match = BestMatch(path, pairs, from);
  Path image;
  if (match != kNone) {
    image = Replace(path, pairs[match].*from, pairs[match].*to);
  } else if (HasRootIdentity()) {
    image = path;
  }
  if (image.empty() || ClaimedByOther(image, pairs, match, to)) return Path();
  return image;
}

Path MapFunction::Map(Path path, bool invert) const {
  if (!path.ContainsTarget()) return MapPrim(path, invert);
  const Path parent = Map(path.Parent(), invert);
  if (parent.empty()) return Path();
  switch (path.kind()) {
    case Path::Kind::kTarget:
    case Path::Kind::kMapper: {
      const Path target = Map(path.target(), invert);
      if (target.empty()) return Path();
      return path.IsTarget() ? parent.AppendTarget(target) : parent.AppendMapper(target);
    }
    case Path::Kind::kRelationalAttribute:
      return parent.AppendRelationalAttribute(path.name());
    case Path::Kind::kMapperArg:
      return parent.AppendMapperArg(path.name());
    case Path::Kind::kExpression:
      return parent.AppendExpression();
    default:
      return Path();
  }
}

MapFunction MapFunction::Compose(const MapFunction& inner) const {
  if (IsIdentity()) return inner;
  if (inner.IsIdentity()) return *this;
  const LayerOffset offset = offset_ * inner.offset_;
  if (IsIdentityMapping() && inner.pairs_) return MapFunction(*inner.pairs_, offset);
  if (inner.IsIdentityMapping() && pairs_) return MapFunction(*pairs_, offset);
  std::vector<Pair> pairs;
  if (HasRootIdentity() && inner.HasRootIdentity()) pairs.push_back(Identity().pairs().front());
  for (const Pair& pair : inner.ProperPairs()) {
    pairs.emplace_back(pair.first, MapSourceToTarget(pair.second));
  }
  const size_t from_inner = pairs.size();
  for (const Pair& pair : ProperPairs()) {
    const Path source = inner.MapTargetToSource(pair.first);
    if (source.empty()) continue;
    const auto end = pairs.begin() + static_cast<ptrdiff_t>(from_inner);
    const bool known =
        std::any_of(pairs.begin(), end, [&](const Pair& p) { return p.first == source; });
    if (!known) pairs.emplace_back(source, pair.second);
  }
  return Make(std::move(pairs), offset);
}

MapFunction MapFunction::ComposeOffset(const LayerOffset& offset) const {
  MapFunction result = *this;
  result.offset_ = offset_ * offset;
  return result;
}

MapFunction MapFunction::Inverse() const {
  std::vector<Pair> pairs;
  for (const Pair& pair : this->pairs()) {
    if (!pair.second.empty()) pairs.emplace_back(pair.second, pair.first);
  }
  std::sort(pairs.begin(), pairs.end(), BySourceDepth);
  return MapFunction(std::move(pairs), offset_.Inverse());
}

MapFunction MapFunction::WithRootIdentity() const {
  if (HasRootIdentity()) return *this;
  std::vector<Pair> pairs = this->pairs();
  pairs.insert(pairs.begin(), Identity().pairs().front());
  return Make(std::move(pairs), offset_);
}

MapFunction MapFunction::WithoutRootIdentity() const {
  const Pairs proper = ProperPairs();
  return MapFunction(std::vector<Pair>(proper.begin(), proper.end()), offset_);
}

std::string MapFunction::ToString() const {
  std::string text;
  for (const auto& [source, target] : pairs()) {
    if (!text.empty()) text += ", ";
    text += Concat(source.ToString(), " -> ", target.empty() ? "<>" : target.ToString());
  }
  if (!offset_.IsIdentity()) {
    text += Concat(" (offset ", offset_.offset, ", scale ", offset_.scale, ")");
  }
  return text;
}

bool operator==(const MapFunction& a, const MapFunction& b) {
  if (!(a.offset_ == b.offset_)) return false;
  return a.pairs_ == b.pairs_ || a.pairs() == b.pairs();
}

}  // namespace stagedoor
