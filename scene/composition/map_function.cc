#include "scene/composition/map_function.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/heap_costs.h"
#include "base/strings.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

using Pair = MapFunction::Pair;
using Pairs = std::span<const Pair>;
constexpr int kNone = -1;

// The order of OpenUSD's _PathPairOrder: the root identity first, then a pair before those for
// paths below its source, which may be redundant because of it.
bool BySourceDepth(const Pair& a, const Pair& b) {
  if (a.first.depth() != b.first.depth()) return a.first.depth() < b.first.depth();
  if (a.first == b.first) return a.second < b.second;
  return a.first < b.first;
}

bool IsRootIdentity(const Pair& pair) {
  return pair.first.IsAbsoluteRoot() && pair.second.IsAbsoluteRoot();
}

// Target paths within `path` are left alone; Map translates them one by one.
Path Replace(Path path, Path from, Path to) {
  if (path.empty() || to.empty()) return Path();
  return path.ReplacePrefix(from, to, /*fix_targets=*/false);
}

// Finds the pairs for a path by look-up. OpenUSD searches them one by one, which is quadratic for
// the thousands of relocates that a layer may have.
class PairIndex {
 public:
  explicit PairIndex(Pairs pairs) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      const int at = static_cast<int>(i);
      by_source_[pairs[i].first].push_back(at);
      if (!pairs[i].second.empty()) by_target_[pairs[i].second].push_back(at);
    }
  }
  void Remove(Pairs pairs, int at) {
    std::erase(by_source_[pairs[at].first], at);
    if (!pairs[at].second.empty()) std::erase(by_target_[pairs[at].second], at);
  }
  // The last pair with the longest path that is a prefix of `path`.
  int BestMatch(Path path, Path Pair::*side, size_t min_depth) const {
    const auto& index = side == &Pair::first ? by_source_ : by_target_;
    for (Path p = path; !p.empty() && p.depth() >= min_depth; p = p.Parent()) {
      const auto it = index.find(p);
      if (it != index.end() && !it->second.empty()) return it->second.back();
    }
    return kNone;
  }

 private:
  std::unordered_map<Path, std::vector<int>> by_source_, by_target_;
};

// Pairs, with an index if there are many.
struct PairList {
  Pairs pairs;
  const PairIndex* index = nullptr;
  const Pair& operator[](size_t i) const { return pairs[i]; }
};
// Up to this many pairs a scan is faster than hashing, and nearly all mappings have one or two.
constexpr size_t kFewPairs = 16;

// The pair with the longest `side` path that is a prefix of `path` and at least `min_depth` deep.
// Corresponds to _GetBestSourceMatch and _GetBestTargetMatch.
int BestMatch(Path path, const PairList& list, Path Pair::*side, size_t min_depth = 0) {
  if (list.index) return list.index->BestMatch(path, side, min_depth);
  const Pairs pairs = list.pairs;
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

// Whether another pair than the one that made an image would map it back. A mapping is a bijection
// (10.5), so such an image is none. Corresponds to _HasBetterTargetMatch.
bool ClaimedByOther(Path image, const PairList& pairs, int match, Path Pair::*image_side) {
  // Only a pair whose own image is as deep or deeper fits better.
  const size_t min_depth =
      match == kNone ? 0 : (pairs[static_cast<size_t>(match)].*image_side).depth();
  const int back = BestMatch(image, pairs, image_side, min_depth);
  return back != kNone && back != match;
}

// Whether the other pairs map every path the same without pairs[i]. The parent of its source is
// what they apply to, so that pairs[i] does not match itself. Corresponds to _IsRedundant.
bool IsRedundant(size_t i, const PairList& pairs) {
  const auto [source, target] = pairs[i];
  const int above = BestMatch(source.Parent(), pairs, &Pair::first);
  // A block is redundant if its source has no image anyway.
  if (target.empty()) {
    if (above == kNone || pairs[static_cast<size_t>(above)].second.empty()) return true;
    const Path image = Replace(source, pairs[static_cast<size_t>(above)].first,
                               pairs[static_cast<size_t>(above)].second);
    return ClaimedByOther(image, pairs, above, &Pair::second);
  }
  // Otherwise the pair must map its source to the same path as the pair above does, and no third
  // pair may claim that image.
  if (above == kNone || pairs[static_cast<size_t>(above)].second.empty() ||
      source.name() != target.name())
    return false;
  if (IsRootIdentity(pairs[static_cast<size_t>(above)])) return source == target;
  if (Replace(source, pairs[static_cast<size_t>(above)].first,
              pairs[static_cast<size_t>(above)].second) != target)
    return false;
  return !ClaimedByOther(target.Parent(), pairs, above, &Pair::second);
}

// As Canonicalize, with an index from which redundant pairs are removed along the way.
void CanonicalizeMany(std::vector<Pair>* pairs) {
  PairIndex index(*pairs);
  const PairList list{*pairs, &index};
  std::vector<Pair> kept;
  for (size_t i = 0; i < pairs->size(); ++i) {
    const bool root = (*pairs)[i].first.IsAbsoluteRoot();
    if (!root && IsRedundant(i, list)) {
      index.Remove(*pairs, static_cast<int>(i));
    } else {
      kept.push_back((*pairs)[i]);
    }
  }
  *pairs = std::move(kept);
}

// Drops redundant pairs, so that equal functions have equal pairs and can be shared. Whether a
// pair is redundant depends on those that are left, so they go one at a time, from the top of the
// namespace down. Corresponds to _Canonicalize.
void Canonicalize(std::vector<Pair>* pairs) {
  if (pairs->size() > kFewPairs) return CanonicalizeMany(pairs);
  for (size_t i = 0; i < pairs->size();) {
    const bool root = (*pairs)[i].first.IsAbsoluteRoot();
    if (!root && IsRedundant(i, {*pairs})) {
      pairs->erase(pairs->begin() + static_cast<ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

// The pairs of a function to be made. Of several with the same source, the first counts.
class PairCollector {
 public:
  // Ignores a pair without a source, which is one that a mapping has no image for.
  void Add(const Pair& pair) {
    if (pair.first.empty() || IsKnown(pair.first)) return;
    pairs_.push_back(pair);
    if (pairs_.size() <= kFewPairs) return;
    if (sources_.empty()) {
      for (const Pair& known : pairs_) sources_.insert(known.first);
    } else {
      sources_.insert(pair.first);
    }
  }
  std::vector<Pair> Take() && { return std::move(pairs_); }

 private:
  bool IsKnown(Path source) const {
    if (!sources_.empty()) return sources_.contains(source);
    return std::any_of(pairs_.begin(), pairs_.end(),
                       [&](const Pair& pair) { return pair.first == source; });
  }

  std::vector<Pair> pairs_;
  std::unordered_set<Path> sources_;  // of many pairs
};

}  // namespace

struct MapFunction::Rep {
  mutable std::atomic<uint32_t> references{1};
  bool immortal = false;  // not counted, since all threads would contend for the counter
  mutable std::atomic<bool> shared{false};
  uint32_t size = 0;
  LayerOffset offset;
  mutable std::atomic<const PairIndex*> index{nullptr};  // for many proper pairs; made on first use

  ~Rep() { delete index.load(std::memory_order_relaxed); }

  const PairIndex* Index(Pairs proper) const {
    if (proper.size() <= kFewPairs) return nullptr;
    const PairIndex* known = index.load(std::memory_order_acquire);
    if (known) return known;
    auto made = std::make_unique<const PairIndex>(proper);
    // If another thread was faster, its index is used and this one freed.
    if (!index.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return known;
    return made.release();
  }

  Pair* pairs() { return reinterpret_cast<Pair*>(this + 1); }
  const Pair* pairs() const { return reinterpret_cast<const Pair*>(this + 1); }
};

MapFunction::MapFunction(std::span<const Pair> pairs, LayerOffset offset) {
  // One block for both, since there are hundreds of thousands of mappings in a large stage.
  static_assert(alignof(Rep) >= alignof(Pair) && std::is_trivially_destructible_v<Pair>);
  Rep* rep = new (::operator new(sizeof(Rep) + pairs.size_bytes())) Rep;
  rep->size = static_cast<uint32_t>(pairs.size());
  rep->offset = offset;
  std::uninitialized_copy(pairs.begin(), pairs.end(), rep->pairs());
  rep_ = rep;
}

size_t MapFunction::byte_size() const {
  return rep_ ? sizeof(Rep) + rep_->size * sizeof(Pair) + kHeapBlockBytes : 0;
}

void MapFunction::Retain() const {
  if (rep_ && !rep_->immortal) rep_->references.fetch_add(1, std::memory_order_relaxed);
}

void MapFunction::Release() {
  if (!rep_ || rep_->immortal) return;
  if (rep_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  rep_->~Rep();
  ::operator delete(const_cast<Rep*>(rep_));
}

const MapFunction& MapFunction::Identity() {
  static const MapFunction* identity = [] {
    const Pair root(Path::AbsoluteRoot(), Path::AbsoluteRoot());
    auto* made = new MapFunction(std::span<const Pair>(&root, 1), LayerOffset());
    const_cast<Rep*>(made->rep_)->immortal = true;
    return made;
  }();
  return *identity;
}

MapFunction MapFunction::Make(std::vector<Pair> pairs, LayerOffset offset) {
  std::sort(pairs.begin(), pairs.end(), BySourceDepth);
  Canonicalize(&pairs);
  return MapFunction(pairs, offset);
}

bool MapFunction::HasRootIdentity() const {
  const Pairs all = pairs();
  return !all.empty() && IsRootIdentity(all.front());
}

const LayerOffset& MapFunction::offset() const {
  static const LayerOffset none;
  return rep_ ? rep_->offset : none;
}

std::span<const MapFunction::Pair> MapFunction::pairs() const {
  return rep_ ? Pairs(rep_->pairs(), rep_->size) : Pairs();
}

std::span<const MapFunction::Pair> MapFunction::ProperPairs() const {
  return pairs().subspan(HasRootIdentity() ? 1 : 0);
}

Path MapFunction::MapPrim(Path path, bool invert) const {
  if (path.empty() || IsIdentityMapping()) return path;
  // The root identity is kept apart, as in OpenUSD: it applies only if no other pair matches, and
  // it claims no image.
  const PairList pairs{ProperPairs(), rep_ ? rep_->Index(ProperPairs()) : nullptr};
  const auto from = invert ? &Pair::second : &Pair::first;
  const auto to = invert ? &Pair::first : &Pair::second;
  const int match = BestMatch(path, pairs, from);
  Path image;
  if (match != kNone) {
    const Pair& pair = pairs[static_cast<size_t>(match)];
    image = Replace(path, pair.*from, pair.*to);
  } else if (HasRootIdentity()) {
    image = path;
  }
  if (image.empty() || ClaimedByOther(image, pairs, match, to)) return Path();
  return image;
}

Path MapFunction::Map(Path path, bool invert) const {
  if (!path.ContainsTarget()) return MapPrim(path, invert);
  // The path has target paths, such as </A.rel[/B]>. Each is mapped by itself; if one has no
  // image, neither has the path.
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
  // The shortcuts below cover most arcs: mappings are composed along every arc of every index.
  const LayerOffset offset = this->offset() * inner.offset();
  if (IsIdentityMapping() && inner.rep_) return inner.WithOffset(offset);
  if (inner.IsIdentityMapping() && rep_) return WithOffset(offset);
  PairCollector pairs;
  // Only if both have it does a path outside of all pairs map to itself.
  if (HasRootIdentity() && inner.HasRootIdentity()) pairs.Add(Identity().pairs().front());
  // Maps the targets of the inner pairs further. A target without an image becomes a block, since
  // the pair above could otherwise map the source somewhere else.
  for (const Pair& pair : inner.ProperPairs()) {
    pairs.Add({pair.first, MapSourceToTarget(pair.second)});
  }
  // Maps the sources of the outer pairs back. For a source of an inner pair, that pair has decided
  // already.
  for (const Pair& pair : ProperPairs()) {
    pairs.Add({inner.MapTargetToSource(pair.first), pair.second});
  }
  return Make(std::move(pairs).Take(), offset);
}

MapFunction MapFunction::ImpliedClass(const MapFunction& transfer, const MapFunction& class_arc) {
  if (transfer.IsIdentity()) return class_arc;
  PairCollector pairs;
  pairs.Add(Identity().pairs().front());
  // The class and its instance, both moved. An instance without a place blocks the class.
  for (const Pair& pair : class_arc.ProperPairs()) {
    pairs.Add({transfer.MapSourceToTarget(pair.first), transfer.MapSourceToTarget(pair.second)});
  }
  // Paths that the transfer maps from below the instance map to the same places from below the
  // class.
  const MapFunction arc = class_arc.WithoutRootIdentity();
  for (const Pair& pair : transfer.ProperPairs()) {
    const Path in_class = arc.MapTargetToSource(pair.first);
    pairs.Add({transfer.MapSourceToTarget(in_class), pair.second});
  }
  // A class is in the time of its instance.
  return Make(std::move(pairs).Take(), class_arc.offset());
}

MapFunction MapFunction::WithOffset(const LayerOffset& offset) const {
  return offset == this->offset() ? *this : MapFunction(pairs(), offset);
}

MapFunction MapFunction::Inverse() const {
  std::vector<Pair> pairs;
  for (const Pair& pair : this->pairs()) {
    // A block has no target, so it has nothing to map back.
    if (!pair.second.empty()) pairs.emplace_back(pair.second, pair.first);
  }
  std::sort(pairs.begin(), pairs.end(), BySourceDepth);
  return MapFunction(pairs, offset().Inverse());
}

MapFunction MapFunction::WithRootIdentity() const {
  if (HasRootIdentity()) return *this;
  const Pairs proper = this->pairs();
  std::vector<Pair> pairs = {Identity().pairs().front()};
  pairs.insert(pairs.end(), proper.begin(), proper.end());
  return Make(std::move(pairs), offset());
}

MapFunction MapFunction::WithoutRootIdentity() const {
  return MapFunction(ProperPairs(), offset());
}

std::string MapFunction::ToString() const {
  std::string text;
  for (const auto& [source, target] : pairs()) {
    if (!text.empty()) text += ", ";
    text += Concat(source.ToString(), " -> ", target.empty() ? "<>" : target.ToString());
  }
  if (!offset().IsIdentity()) {
    text += Concat(" (offset ", offset().offset, ", scale ", offset().scale, ")");
  }
  return text;
}

size_t MapFunction::hash() const {
  size_t hash = std::hash<double>()(offset().offset) ^ std::hash<double>()(offset().scale);
  for (const auto& [source, target] : pairs()) {
    hash = HashCombine(HashCombine(hash, source.hash()), target.hash());
  }
  return hash;
}

bool MapFunction::is_shared() const {
  return rep_ && (rep_->immortal || rep_->shared.load(std::memory_order_relaxed));
}

void MapFunction::set_shared() const { rep_->shared.store(true, std::memory_order_relaxed); }

bool MapFunction::is_unique() const {
  return rep_ && !rep_->immortal && rep_->references.load(std::memory_order_acquire) == 1;
}

bool operator==(const MapFunction& a, const MapFunction& b) {
  if (a.rep_ == b.rep_) return true;
  return a.offset() == b.offset() && std::ranges::equal(a.pairs(), b.pairs());
}

}  // namespace stagedoor
