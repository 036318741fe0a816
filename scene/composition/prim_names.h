#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_NAMES_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_NAMES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "base/heap_costs.h"
#include "scene/paths/token.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// The names of the children and of the properties of a prim, for its index. Prims of a kind have
// the same names wherever they are, so SharedParts keeps one list for all of them: 8 bytes a prim,
// instead of 8 bytes a name. Immutable, thread-safe.
class PrimNames final : public RefCounted {
 public:
  PrimNames(std::span<const Token> children, std::span<const Token> properties)
      : child_count_(children.size()) {
    names_.reserve(children.size() + properties.size());
    names_.insert(names_.end(), children.begin(), children.end());
    names_.insert(names_.end(), properties.begin(), properties.end());
  }

  std::span<const Token> children() const { return std::span(names_).first(child_count_); }
  std::span<const Token> properties() const { return std::span(names_).subspan(child_count_); }

  size_t byte_size() const {
    return sizeof(*this) + names_.capacity() * sizeof(Token) + 2 * kHeapBlockBytes;
  }

 private:
  std::vector<Token> names_;  // the children first
  size_t child_count_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_NAMES_H_
