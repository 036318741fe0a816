#include "scene/paths/path.h"

#include <algorithm>

#include "scene/paths/path_table.h"

namespace stagedoor {

Path Path::AbsoluteRoot() { return Path(PathTable::Get().absolute_root()); }
Path Path::ReflexiveRelative() { return Path(PathTable::Get().relative_root()); }
bool Path::IsAbsoluteRoot() const { return node_ && node_->absolute && !node_->parent; }

Path Path::Make(Path parent, Kind kind, Token name, Token variant, Path target) {
  return Path(PathTable::Get().FindOrMake(
      PathTable::MakeElement(parent.node_, kind, name, variant, target.node_)));
}

Path Path::Parent() const {
  if (!node_) return Path();
  const bool climbs = !node_->absolute && (!node_->parent || name().text() == "..");
  if (climbs) {
    static const Token dots("..");
    return Make(*this, Kind::kPrim, dots, Token(), Path());
  }
  return Path(node_->parent);
}

Path Path::PrimPath() const {
  const Node* n = node_;
  while (n && n->kind != Kind::kPrim && n->kind != Kind::kRoot) n = n->parent;
  return Path(n);
}

Path Path::StripVariantSelections() const {
  if (!node_ || !node_->has_variant) return *this;
  const Path parent = Path(node_->parent).StripVariantSelections();
  if (node_->kind == Kind::kVariantSelection) return parent;
  return Make(parent, node_->kind, node_->name, Token(), target().StripVariantSelections());
}

Path Path::AppendChild(Token child) const {
  if (!node_ || child.empty()) return Path();
  const Kind k = node_->kind;
  if (k != Kind::kRoot && k != Kind::kPrim && k != Kind::kVariantSelection) return Path();
  return Make(*this, Kind::kPrim, child, Token(), Path());
}

Path Path::AppendProperty(Token property) const {
  if (!node_ || property.empty() || IsAbsoluteRoot()) return Path();
  const Kind k = node_->kind;
  if (k != Kind::kRoot && k != Kind::kPrim && k != Kind::kVariantSelection) return Path();
  return Make(*this, Kind::kProperty, property, Token(), Path());
}

Path Path::AppendVariantSelection(Token set, Token selected) const {
  if (!node_) return Path();
  if (node_->kind != Kind::kPrim && node_->kind != Kind::kVariantSelection) return Path();
  return Make(*this, Kind::kVariantSelection, set, selected, Path());
}

Path Path::AppendTarget(Path t) const {
  if (!IsProperty() || t.empty()) return Path();
  return Make(*this, Kind::kTarget, Token(), Token(), t);
}

Path Path::AppendRelationalAttribute(Token attribute) const {
  if (!IsTarget() || attribute.empty()) return Path();
  return Make(*this, Kind::kRelationalAttribute, attribute, Token(), Path());
}

Path Path::AppendMapper(Path t) const {
  if (!IsProperty() || t.empty()) return Path();
  return Make(*this, Kind::kMapper, Token(), Token(), t);
}

Path Path::AppendMapperArg(Token argument) const {
  if (!node_ || node_->kind != Kind::kMapper || argument.empty()) return Path();
  return Make(*this, Kind::kMapperArg, argument, Token(), Path());
}

Path Path::AppendExpression() const {
  if (!IsProperty()) return Path();
  return Make(*this, Kind::kExpression, Token(), Token(), Path());
}

Path Path::AppendPath(Path relative) const {
  if (!node_ || !relative.node_ || relative.node_->absolute) return Path();
  const Node* n = relative.node_;
  if (!n->parent) return *this;
  const Path base = AppendPath(Path(n->parent));
  if (!base.node_) return Path();
  switch (n->kind) {
    case Kind::kPrim:
      return n->name.text() == ".." ? base.Parent() : base.AppendChild(n->name);
    case Kind::kProperty:
      return base.AppendProperty(n->name);
    case Kind::kVariantSelection:
      return base.AppendVariantSelection(n->name, n->variant());
    default:
      return Make(base, n->kind, n->name, n->variant(), Path(n->target()));
  }
}

bool Path::HasPrefix(Path prefix) const {
  if (!node_ || !prefix.node_ || prefix.node_->depth > node_->depth) return false;
  const Node* n = node_;
  while (n->depth > prefix.node_->depth) n = n->parent;
  return n == prefix.node_;
}

Path Path::ReplacePrefix(Path old_prefix, Path new_prefix, bool fix_targets) const {
  if (!node_ || !old_prefix.node_ || !new_prefix.node_ || old_prefix == new_prefix) return *this;
  if (*this == old_prefix) return new_prefix;
  const bool may_hold_target = fix_targets && node_->has_target;
  if (!node_->parent || (node_->depth <= old_prefix.node_->depth && !may_hold_target)) return *this;
  if (!may_hold_target && !HasPrefix(old_prefix)) return *this;
  const Path parent = Path(node_->parent).ReplacePrefix(old_prefix, new_prefix, fix_targets);
  const Path t =
      fix_targets && node_->target() ? target().ReplacePrefix(old_prefix, new_prefix) : target();
  if (parent.node_ == node_->parent && t.node_ == node_->target()) return *this;
  if (!parent.node_) return Path();
  switch (node_->kind) {  // appending checks that the element may follow the new parent
    case Kind::kPrim:
      return parent.AppendChild(node_->name);
    case Kind::kProperty:
      return parent.AppendProperty(node_->name);
    case Kind::kVariantSelection:
      return parent.AppendVariantSelection(node_->name, node_->variant());
    default:
      return Make(parent, node_->kind, node_->name, node_->variant(), t);
  }
}

Path Path::MakeAbsolute(Path anchor) const {
  if (!node_ || node_->absolute) return *this;
  return anchor.AppendPath(*this);
}

Path Path::MakeRelative(Path anchor) const {
  if (!node_ || !node_->absolute || !anchor.IsAbsolute()) return *this;
  const Path common = PrimPath().CommonPrefix(anchor);
  Path result = ReflexiveRelative();
  for (Path p = anchor; p != common; p = p.Parent()) result = result.Parent();
  return ReplacePrefix(common, result, /*fix_targets=*/false);
}

Path Path::CommonPrefix(Path other) const {
  const Node* a = node_;
  const Node* b = other.node_;
  if (!a || !b) return Path();
  while (a->depth > b->depth) a = a->parent;
  while (b->depth > a->depth) b = b->parent;
  while (a != b) {
    a = a->parent;
    b = b->parent;
    if (!a || !b) return Path();
  }
  return Path(a);
}

std::vector<Path> Path::Prefixes() const {
  std::vector<Path> result;
  for (const Node* n = node_; n && n->parent; n = n->parent) result.push_back(Path(n));
  std::reverse(result.begin(), result.end());
  return result;
}

std::string Path::ToString() const {
  if (!node_) return std::string();
  if (!node_->parent) return node_->absolute ? "/" : ".";
  // Fast path for absolute prim paths and their properties; empty for all other paths.
  const auto plain_text = [this] {
    const bool property = node_->kind == Kind::kProperty;
    const Node* const prim = property ? node_->parent : node_;
    size_t size = property ? 1 + node_->name.text().size() : 0;
    const Node* n = prim;
    for (; n->kind == Kind::kPrim; n = n->parent) size += 1 + n->name.text().size();
    if (n == prim || n->kind != Kind::kRoot || !n->absolute) return std::string();
    std::string text(size, '/');
    char* at = text.data() + size;
    const auto put = [&at](std::string_view name) {
      at -= name.size();
      name.copy(at, name.size());
      --at;
    };
    if (property) {
      put(node_->name.text());
      *at = '.';
    }
    for (n = prim; n->kind == Kind::kPrim; n = n->parent) put(n->name.text());
    return text;
  };
  std::string text = plain_text();
  if (!text.empty()) return text;
  for (const Path p : Prefixes()) {
    const Node& n = *p.node_;
    const Node& up = *n.parent;
    switch (n.kind) {
      case Kind::kRoot:
        break;
      case Kind::kPrim:
        if (up.kind == Kind::kPrim || (up.kind == Kind::kRoot && up.absolute)) text += '/';
        text += n.name.text();
        break;
      case Kind::kVariantSelection:
        text.append("{").append(n.name.text()).append("=").append(n.variant().text()).append("}");
        break;
      case Kind::kProperty:
        // Without the separator, "../.x" would become "...x", which does not parse.
        if (up.kind == Kind::kPrim && up.name.text() == "..") text += '/';
        text.append(".").append(n.name.text());
        break;
      case Kind::kRelationalAttribute:
      case Kind::kMapperArg:
        text.append(".").append(n.name.text());
        break;
      case Kind::kTarget:
        text.append("[").append(p.target().ToString()).append("]");
        break;
      case Kind::kMapper:
        text.append(".mapper[").append(p.target().ToString()).append("]");
        break;
      case Kind::kExpression:
        text += ".expression";
        break;
    }
  }
  return text;
}

bool operator<(Path a, Path b) {
  if (a.node_ == b.node_) return false;
  if (!a.node_ || !b.node_) return !a.node_;
  if (a.node_->absolute != b.node_->absolute) return a.node_->absolute;
  const PathNode* x = a.node_;
  const PathNode* y = b.node_;
  while (x->depth > y->depth) x = x->parent;
  while (y->depth > x->depth) y = y->parent;
  if (x == y) return a.node_->depth < b.node_->depth;
  while (x->parent != y->parent) {
    x = x->parent;
    y = y->parent;
  }
  // Section 8.2 (Element Ordering): properties sort before prims, prims before variant selections.
  const auto rank = [](Path::Kind k) {
    return k == Path::Kind::kPrim ? 1 : k == Path::Kind::kVariantSelection ? 2 : 0;
  };
  if (x->kind != y->kind) {
    if (rank(x->kind) != rank(y->kind)) return rank(x->kind) < rank(y->kind);
    return x->kind < y->kind;
  }
  if (!(x->name == y->name)) return x->name < y->name;
  if (!(x->variant() == y->variant())) return x->variant() < y->variant();
  return Path(x->target()) < Path(y->target());
}

InternStats PathStats() { return PathTable::Get().Stats(); }

}  // namespace stagedoor
