#include "scene/geom/xform_query.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/heap_costs.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/source_sink.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"

namespace stagedoor {

XformQuery XformQuery::Compile(RequestContext& context, const Prim& prim, TimeCode time) {
  XformQuery query;
  if (!prim.IsA(Geom().Xformable)) return query;
  const auto order =
      AttributeValueAs<Array<Token>>(context, prim, Geom().xformOpOrder, TimeCode::Default());
  if (!order || order->empty()) return query;
  Pacer pacer(context);
  if (!pacer.Go(static_cast<int64_t>(order->size() / 4))) return query;
  const XformOpOrder simple = SimplifyXformOpOrder(order->span());
  query.resets_ = simple.resets;
  query.interpolation_ = prim.stage().interpolation();
  for (auto entry = simple.entries.rbegin(); entry != simple.entries.rend(); ++entry) {
    if (!pacer.Go(16)) return query;
    const auto name = ParseXformOpName(entry->text());
    if (!name) continue;
    // Without "!invert!" the entry is the attribute's name, which is interned already.
    const Attribute attribute = prim.GetAttribute(name->inverse ? Token(name->attribute) : *entry);
    if (!attribute.valid()) continue;
    AttributeSource source =
        time.is_default() ? attribute.CompileDefault(context) : attribute.Compile(context);
    const bool constant =
        source.kind() <= ResolveInfoSource::kDefault && source.SampleCount(context) == 0;
    // Operations after the first varying one cannot be merged, because matrices do not commute.
    if (constant && query.ops_.empty()) {
      const Value value = source.ValueAt(context, time, query.interpolation_);
      ApplyXformOp(name->type, value, name->inverse, &query.fixed_);
    } else {
      query.ops_.push_back({name->type, name->inverse, attribute.name(), std::move(source)});
    }
  }
  query.ops_.shrink_to_fit();
  return query;
}

Matrix4d XformQuery::LocalAt(RequestContext& context, TimeCode time) const {
  // Nearly all prims have fewer operations than this, so the request is rarely checked.
  constexpr size_t kAtOnce = 256;
  Matrix4d result = fixed_;
  size_t left = kAtOnce;
  for (const Op& op : ops_) {
    if (left-- == 0) {
      if (!context.Spend(kAtOnce).ok()) return result;
      left = kAtOnce - 1;
    }
    const Value value = op.source.ValueAt(context, time, interpolation_);
    ApplyXformOp(op.type, value, op.inverse, &result);
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
    all.insert(all.end(), times.begin(), times.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return Array<double>::FromVector(std::move(all));
}

absl::Status XformQuery::AddSources(RequestContext& context, const Prim& prim,
                                    SourceSink* sink) const {
  for (const Op& op : ops_) {
    SD_RETURN_IF_ERROR(sink->Add(context, op.source, prim, op.attribute));
  }
  return absl::OkStatus();
}

XformTable& XformTable::Of(const Stage& stage) {
  return stage.derived().Get<XformTable>(stage.prim_count(), &stage.memory());
}

const XformQuery& XformTable::Find(RequestContext& context, const Prim& prim,
                                   std::optional<XformQuery>* own) {
  static const XformQuery kIdentity;
  if (!prim.IsA(Geom().Xformable)) return kIdentity;
  if (const XformQuery* known = queries_.Find(prim.data())) return *known;
  auto query = std::make_unique<const XformQuery>(XformQuery::Compile(context, prim));
  const size_t bytes = query->byte_size() + kHeapBlockBytes;
  const bool keep = budget_.Take(context, bytes);
  const XformQuery* kept = keep ? queries_.Put(prim.data(), query) : nullptr;
  if (keep && query) budget_.Return(bytes);  // the table has not taken it
  return kept != nullptr ? *kept : own->emplace(*query);
}

Matrix4d LocalTransform(RequestContext& context, XformTable& table, const Prim& prim, TimeCode time,
                        bool* resets_xform_stack) {
  std::optional<XformQuery> own;
  const XformQuery* query = &table.Find(context, prim, &own);
  // The table's queries are for numeric times only, unless the transform is the same at all times.
  if (time.is_default() && !query->fixed()) {
    query = &own.emplace(XformQuery::Compile(context, prim, time));
  }
  if (resets_xform_stack) *resets_xform_stack = query->resets_xform_stack();
  return query->LocalAt(context, time);
}

}  // namespace stagedoor
