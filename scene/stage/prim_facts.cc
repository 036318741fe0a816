#include "scene/stage/prim_facts.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/pacer.h"
#include "scene/layer/field_keys.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

// True if the node comes from an inherit arc authored on this prim, not on an ancestor.
bool DirectlyInherited(const PrimIndex& index, uint32_t node) {
  for (int32_t n = static_cast<int32_t>(node); n >= 0; n = index.nodes()[n].parent) {
    const PrimIndexNode& at = index.nodes()[n];
    if (at.arc == ArcType::kInherit && !at.due_to_ancestor) return true;
  }
  return false;
}

}  // namespace

Specifier ComposeSpecifier(const PrimIndex& index) {
  // The result unless a def or another class follows.
  Specifier weakest = Specifier::kOver;
  for (const PrimSpecHandle& site : index.prim_stack()) {
    const auto specifier = site.layer->GetAs<Specifier>(site.spec, Fields().specifier);
    if (!specifier || *specifier == Specifier::kOver) continue;
    if (*specifier == Specifier::kDef || !DirectlyInherited(index, site.node)) return *specifier;
    weakest = Specifier::kClass;
  }
  return weakest;
}

Token ComposeTypeName(const PrimIndex& index) {
  static const Token any_type("__AnyType__");  // in old layers, means no type
  for (const PrimSpecHandle& site : index.prim_stack()) {
    const auto name = site.layer->GetAs<Token>(site.spec, Fields().typeName);
    if (name && !name->empty() && !(*name == any_type)) return *name;
  }
  return Token();
}

std::vector<Token> ComposeApiSchemas(RequestContext& context, const PrimIndex& index) {
  Pacer pacer(context);
  // Collected strongest first up to an explicit list, which hides all weaker ones; then applied
  // weakest first.
  absl::InlinedVector<Value, 4> values;
  for (const PrimSpecHandle& site : index.prim_stack()) {
    Value value = site.layer->Get(site.spec, Fields().apiSchemas);
    if (!value.Is<ListOp<Token>>()) continue;
    const auto* op = values.emplace_back(std::move(value)).Get<ListOp<Token>>();
    if (op->is_explicit || !pacer.Go(1 + static_cast<int64_t>(op->size()))) break;
  }
  std::vector<Token> result;
  for (auto it = values.rbegin(); it != values.rend(); ++it) {
    if (!pacer.Go(1 + static_cast<int64_t>(result.size()))) break;
    it->Get<ListOp<Token>>()->ApplyTo(&result);
  }
  return result;
}

bool KindIsComponent(Token kind) { return kind.text() == "component"; }
bool KindIsGroup(Token kind) { return kind.text() == "group" || kind.text() == "assembly"; }
bool KindIsModel(Token kind) {
  return KindIsGroup(kind) || KindIsComponent(kind) || kind.text() == "model";
}

}  // namespace stagedoor
