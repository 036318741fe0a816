#include "scene/stage/prim_finder.h"

#include <algorithm>

#include "scene/stage/stage_data.h"

namespace stagedoor {
namespace {

// The children of an instance are those of its prototype.
const PrimData* FirstChild(const PrimData& prim) {
  return prim.prototype != nullptr || prim.child_count == 0 ? nullptr : &prim.children[0];
}

// Null if there is none. Prefetches the name of a sibling that a walk reaches soon.
const PrimData* NextSibling(const PrimData& prim) {
  constexpr ptrdiff_t kAhead = 8;  // far enough for the prefetch to complete
  const auto siblings = prim.parent->child_span();
  const PrimData* end = siblings.data() + siblings.size();
  const PrimData* next = &prim + 1;
  if (end - next > kAhead) next[kAhead].path.Prefetch();
  return next < end ? next : nullptr;
}

// `prim`, or the first prim below it at the end of the names in `rest`, if all of them are there.
const PrimData* FollowNames(const PrimData* prim, std::string_view rest) {
  while (prim != nullptr) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (prim->name().text() != rest.substr(0, end)) return nullptr;
    if (end == rest.size()) return prim;
    rest.remove_prefix(end + 1);
    prim = FirstChild(*prim);
  }
  return nullptr;
}

}  // namespace

Prim PrimFinder::Find(std::string_view path) {
  const PrimData* next = last_ != nullptr ? FindNext(path) : nullptr;
  const Prim found = next != nullptr ? Prim(stage_.data(), {next}) : stage_.FindPrim(path);
  const bool may_lead = found.valid() && !found.IsPseudoRoot() && !found.IsInstanceProxy();
  last_ = may_lead ? &found.data() : nullptr;
  last_path_ = path;
  last_name_begin_ = path.rfind('/') + 1;
  return found;
}

const PrimData* PrimFinder::FindNext(std::string_view path) const {
  const std::string_view above = last_path_.substr(0, last_name_begin_);
  if (!path.starts_with(above)) return FindNextElsewhere(path);
  const PrimData* sibling = NextSibling(*last_);
  const bool found = sibling != nullptr && sibling->name().text() == path.substr(above.size());
  return found ? sibling : FindNextElsewhere(path);
}

const PrimData* PrimFinder::FindNextElsewhere(std::string_view path) const {
  const auto [in_last, in_path] = std::ranges::mismatch(last_path_, path);
  const auto common = static_cast<size_t>(in_path - path.begin());
  if (in_last == last_path_.end()) {
    if (in_path == path.end()) return last_;
    if (*in_path == '/') return FollowNames(FirstChild(*last_), path.substr(common + 1));
  }
  // The name that differs is that of an ancestor, or of the prim itself.
  if (common == 0) return nullptr;
  const size_t begin = last_path_.rfind('/', common - 1) + 1;
  const PrimData* at = last_;
  for (auto up = std::ranges::count(last_path_.substr(begin), '/'); up > 0; --up) at = at->parent;
  return FollowNames(NextSibling(*at), path.substr(begin));
}

}  // namespace stagedoor
