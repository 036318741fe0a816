#include "scene/geom/xform_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {

XformQuery XformQuery::Compile(RequestContext& context, const Prim& prim, Time time) {
  XformQuery query;
  if (!prim.IsA(Geom().Xformable)) return query;
  const auto order =
      AttributeValueAs<Array<Token>>(context, prim, Geom().xformOpOrder, Time::Default());
  if (!order || order->empty()) return query;
  const XformOpOrder simple = SimplifyXformOpOrder(order->span());
  query.resets_ = simple.resets;
  query.ops_.reserve(simple.entries.size());
  for (const Token entry : simple.entries) {
    const auto name = ParseXformOpName(entry.text());
    if (!name) continue;
    // Without "!invert!" the entry is the attribute's name, interned already.
    const Attribute attribute = prim.GetAttribute(name->inverse ? Token(name->attribute) : entry);
    if (!attribute.valid()) continue;
    query.ops_.push_back(
        {name->type, name->inverse, attribute,
         time.is_default() ? attribute.CompileDefault(context) : attribute.Compile(context)});
  }
  return query;
}

Matrix4d XformQuery::LocalAt(RequestContext& context, Time time) const {
  Matrix4d result = Matrix4d::Identity();
  bool first = true;
  for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) {
    const Value value = op->attribute.Get(context, op->source, time);
    const auto m = XformOpMatrix(op->type, value, op->inverse);
    if (!m) continue;
    result = first ? *m : result * *m;
    first = false;
  }
  return result;
}

bool XformQuery::MightBeTimeVarying(RequestContext& context) const {
  return std::any_of(ops_.begin(), ops_.end(),
                     [&](const Op& op) { return op.source.MightBeTimeVarying(context); });
}

Array<double> XformQuery::SampleTimes(RequestContext& context) const {
  std::vector<double> all;
  for (const Op& op : ops_) {
    const Array<double> times = op.source.SampleTimes(context);
    std::vector<double> merged;
    std::set_union(all.begin(), all.end(), times.begin(), times.end(), std::back_inserter(merged));
    all = std::move(merged);
  }
  return Array<double>::FromVector(std::move(all));
}

XformCache::Entry& XformCache::WithLocal(RequestContext& context, const Prim& prim) {
  Entry& entry = entries_[prim.path()];
  if (!entry.has_local) {
    const XformQuery query = XformQuery::Compile(context, prim, time_);
    entry.local = query.LocalAt(context, time_);
    entry.resets = query.resets_xform_stack();
    entry.has_local = true;
  }
  return entry;
}

const Matrix4d& XformCache::Local(RequestContext& context, const Prim& prim,
                                  bool* resets_xform_stack) {
  Entry& entry = WithLocal(context, prim);
  if (resets_xform_stack) *resets_xform_stack = entry.resets;
  return entry.local;
}

const Matrix4d& XformCache::LocalToWorld(RequestContext& context, const Prim& prim) {
  // Up to the first ancestor whose transform is known, then down again: namespaces may be deep.
  std::vector<Entry*> chain;
  Prim at = prim;
  Entry* known = nullptr;
  while (at.valid() && !known) {
    Entry& entry = WithLocal(context, at);
    if (at.IsPseudoRoot() || entry.resets) {
      entry.world = entry.local;
      entry.has_world = true;
    }
    if (entry.has_world) {
      known = &entry;
    } else {
      chain.push_back(&entry);
      at = at.parent();
    }
  }
  while (!chain.empty()) {
    Entry* entry = chain.back();
    chain.pop_back();
    entry->world = known ? entry->local * known->world : entry->local;
    entry->has_world = true;
    known = entry;
  }
  return known->world;
}

Matrix4d XformCache::ParentToWorld(RequestContext& context, const Prim& prim) {
  const Prim parent = prim.parent();
  return parent.valid() ? LocalToWorld(context, parent) : Matrix4d::Identity();
}

}  // namespace stagedoor
