// Path: an interned handle to the address of a scene object (Core Specification, chapter on paths).
//
//   /World/Chair            prim            /World{look=red}Chair   inside a variant
//   /World/Chair.points     property        /World.rel[/Target]     relationship target
//   ../Sibling.attr         relative
//
// Pointer-sized, O(1) equality and hash; the table keeps parent links, so prefix tests walk up
// instead of comparing text. Usable from any thread. Valid as long as the PathScope in which it was
// made; made outside of scopes, for the life of the process.
#ifndef STAGEDOOR_SCENE_PATHS_PATH_H_
#define STAGEDOOR_SCENE_PATHS_PATH_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/paths/token.h"

namespace stagedoor {

class Path {
 public:
  enum class Kind : uint8_t {
    kRoot,              // "/" or "."
    kPrim,              // name; ".." in relative paths
    kVariantSelection,  // {set=variant}; the variant may be empty
    kProperty,          // .name
    kTarget,            // [path]
    kRelationalAttribute,
    kMapper,      // .mapper[path]
    kMapperArg,   // .name below a mapper
    kExpression,  // .expression
  };

  // The empty path, which addresses nothing.
  constexpr Path() = default;

  static Path AbsoluteRoot();
  // "."
  static Path ReflexiveRelative();

  // Parses absolute and relative paths. INVALID_ARGUMENT names the offending position.
  // An empty text is an error. Nesting of target paths is bounded.
  static absl::StatusOr<Path> Parse(std::string_view text);

  bool empty() const { return node_ == nullptr; }
  Kind kind() const { return node_->kind; }
  bool IsAbsolute() const { return node_ && node_->absolute; }
  bool IsAbsoluteRoot() const;
  bool IsPrim() const { return node_ && node_->kind == Kind::kPrim; }
  // A prim path or the absolute root.
  bool IsPrimOrRoot() const { return IsPrim() || IsAbsoluteRoot(); }
  bool IsVariantSelection() const { return node_ && node_->kind == Kind::kVariantSelection; }
  // A property of a prim (or prim variant), or a relational attribute.
  bool IsProperty() const {
    return node_ && (node_->kind == Kind::kProperty || node_->kind == Kind::kRelationalAttribute);
  }
  bool IsTarget() const { return node_ && node_->kind == Kind::kTarget; }
  bool ContainsVariantSelection() const { return node_ && node_->has_variant; }
  bool ContainsTarget() const { return node_ && node_->has_target; }

  // Prim or property name; the set's name for a variant selection; empty for roots and targets.
  Token name() const { return node_ ? node_->name : Token(); }
  // Variant of a variant selection.
  Token variant() const { return node_ ? node_->variant : Token(); }
  // Path inside the brackets of a target or mapper.
  Path target() const { return node_ ? Path(node_->target) : Path(); }

  // One element shorter; the parent of "/" is the empty path, that of ".." is "../..".
  Path Parent() const;
  // The nearest prim (or root) at or above, variant selections kept.
  Path PrimPath() const;
  // The nearest prim or variant selection at or above.
  Path PrimOrVariantPath() const;
  // All {set=variant} elements removed (in targets too).
  Path StripVariantSelections() const;
  // Number of elements below the root.
  size_t depth() const { return node_ ? node_->depth : 0; }

  // Appending to an unsuitable path (a prim to a property …) gives the empty path. Names are taken
  // as they are: validate untrusted ones with IsIdentifier() first.
  Path AppendChild(Token name) const;
  Path AppendProperty(Token name) const;
  Path AppendVariantSelection(Token set, Token variant) const;
  Path AppendTarget(Path target) const;
  Path AppendRelationalAttribute(Token name) const;
  Path AppendMapper(Path target) const;
  Path AppendMapperArg(Token name) const;
  Path AppendExpression() const;
  // Appends all elements of a relative path ("." gives *this); ".." goes up.
  Path AppendPath(Path relative) const;

  bool HasPrefix(Path prefix) const;
  // `old_prefix` replaced by `new_prefix`; *this when it has no such prefix. With `fix_targets`
  // target paths inside are replaced too.
  Path ReplacePrefix(Path old_prefix, Path new_prefix, bool fix_targets = true) const;
  // Absolute form against `anchor` (an absolute prim path); empty when ".." leaves the root.
  Path MakeAbsolute(Path anchor) const;
  Path MakeRelative(Path anchor) const;
  // The deepest path that is a prefix of both.
  Path CommonPrefix(Path other) const;
  // All prefixes from the first element below the root down to *this.
  std::vector<Path> Prefixes() const;

  std::string ToString() const;

  size_t hash() const { return node_ ? node_->hash : 0; }
  friend bool operator==(Path a, Path b) { return a.node_ == b.node_; }
  // Namespace order by element text; a parent sorts before what is below it.
  friend bool operator<(Path a, Path b);
  template <typename H>
  friend H AbslHashValue(H h, Path p) {
    return H::combine(std::move(h), p.hash());
  }

 private:
  friend class PathTable;
  friend class PathParser;
  friend class PathScope;
  struct Node;
  struct Element {
    uint64_t hash;
    const Node* parent;
    const Node* target;
    Token name;
    Token variant;
    uint32_t depth;
    Kind kind;
    bool absolute;
    bool has_variant;
    bool has_target;
  };
  struct Node : Element {
    explicit Node(const Element& element) : Element(element) {}
    // How many scopes, child nodes and targets hold it, and flags; see PathTable.
    mutable std::atomic<uint32_t> pins{0};
    // The scope that lists it as its own; 0: none.
    mutable std::atomic<uint32_t> holder{0};
  };
  constexpr explicit Path(const Node* node) : node_(node) {}
  static Path Make(Path parent, Kind kind, Token name, Token variant, Path target);

  const Node* node_ = nullptr;
};

InternStats PathStats();

}  // namespace stagedoor

template <>
struct std::hash<stagedoor::Path> {
  size_t operator()(stagedoor::Path p) const { return p.hash(); }
};

#endif  // STAGEDOOR_SCENE_PATHS_PATH_H_
