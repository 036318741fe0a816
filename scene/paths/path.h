#ifndef STAGEDOOR_SCENE_PATHS_PATH_H_
#define STAGEDOOR_SCENE_PATHS_PATH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/paths/path_node.h"
#include "scene/paths/token.h"

namespace stagedoor {

// An interned handle to the address of a spec in a layer or an object on a stage. Corresponds to
// OpenUSD's SdfPath; see the Core Specification, chapter 8 (Paths).
//
//   /World/Chair            prim            /World{look=red}Chair   inside a variant
//   /World/Chair.points     property        /World.rel[/Target]     relationship target
//   ../Sibling.attr         relative
//
// Pointer-sized, with O(1) equality and hash. The table keeps parent links, so prefix tests walk up
// instead of comparing text. Thread-safe. A path is valid as long as the PathScope in which it was
// created; a path created outside of any scope is valid for the life of the process.
class Path {
 public:
  using Kind = PathKind;

  // The empty path, which addresses nothing (section 8.8 Runtime Considerations).
  constexpr Path() = default;

  static Path AbsoluteRoot();
  // "."
  static Path ReflexiveRelative();

  // Parses an absolute or relative path by the grammar of section 8.5, including the target, mapper
  // and expression elements of section 8.7 (Compatibility with Legacy Content). INVALID_ARGUMENT,
  // naming the offending character, for malformed and empty text, for more than 100,000 elements,
  // and for target paths nested more than 32 levels deep.
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

  // The name of a prim or property, or of the variant set in a variant selection; empty for roots,
  // targets, mappers and expressions.
  Token name() const { return node_ ? node_->name : Token(); }
  // The variant of a variant selection; empty for other kinds.
  Token variant() const { return node_ ? node_->variant() : Token(); }
  // The path inside the brackets of a target or mapper; empty for other kinds.
  Path target() const { return node_ ? Path(node_->target()) : Path(); }

  // The path without its last element. The parent of "/" is the empty path, that of ".." is
  // "../..".
  Path Parent() const;
  // The nearest prim or root at or above this path, with its variant selections.
  Path PrimPath() const;
  // The path without its {set=variant} elements, including those in target paths.
  Path StripVariantSelections() const;
  // The number of elements; 0 for roots.
  size_t depth() const { return node_ ? node_->depth : 0; }

  // Return the empty path if the element cannot follow this path (such as a prim after a property).
  // Names are not checked; validate untrusted ones with IsIdentifier() first.
  Path AppendChild(Token name) const;
  Path AppendProperty(Token name) const;
  Path AppendVariantSelection(Token set, Token variant) const;
  Path AppendTarget(Path target) const;
  Path AppendRelationalAttribute(Token name) const;
  Path AppendMapper(Path target) const;
  Path AppendMapperArg(Token name) const;
  Path AppendExpression() const;
  // Appends all elements of a relative path; "." leaves this path as it is, ".." goes to the
  // parent.
  Path AppendPath(Path relative) const;

  // True if `prefix` is this path or an ancestor of it.
  bool HasPrefix(Path prefix) const;
  // The path with `old_prefix` replaced by `new_prefix`; *this if it does not have that prefix.
  // With `fix_targets`, the prefix is also replaced in target paths.
  Path ReplacePrefix(Path old_prefix, Path new_prefix, bool fix_targets = true) const;
  // The absolute path that this one denotes when anchored to `anchor`, an absolute prim path; the
  // empty path if ".." leads above the root (section 8.1).
  Path MakeAbsolute(Path anchor) const;
  // The path relative to `anchor`, an absolute prim path.
  Path MakeRelative(Path anchor) const;
  // The longest path that is a prefix of both.
  Path CommonPrefix(Path other) const;
  // All prefixes, from the first element below the root down to this path.
  std::vector<Path> Prefixes() const;

  std::string ToString() const;

  size_t hash() const { return node_ ? node_->hash : 0; }
  // Brings what hash() and name() read into the processor's cache, for loops over many paths.
  void Prefetch() const { __builtin_prefetch(node_); }
  friend bool operator==(Path a, Path b) { return a.node_ == b.node_; }
  // Namespace order by element text; an ancestor sorts before its descendants.
  friend bool operator<(Path a, Path b);
  template <typename H>
  friend H AbslHashValue(H h, Path p) {
    return H::combine(std::move(h), p.hash());
  }

 private:
  friend class PathParser;
  friend class PathScope;
  using Node = PathNode;

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
