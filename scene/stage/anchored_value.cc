#include "scene/stage/anchored_value.h"

#include <utility>

#include "scene/composition/prim_index.h"
#include "scene/stage/clip_assets.h"
#include "scene/stage/field_resolver.h"
#include "scene/stage/path_expressions.h"
#include "scene/stage/stage.h"
#include "scene/values/refused_value.h"

namespace stagedoor {

Value AnchoredValue(RequestContext& context, const Attribute& attribute,
                    const AttributeSource& source, TimeCode time) {
  Value value = source.ValueAt(context, time, attribute.prim().stage().interpolation());
  return AnchorValue(context, attribute, source, std::move(value), time);
}

Value AnchorValue(RequestContext& context, const Attribute& attribute,
                  const AttributeSource& source, Value value, TimeCode time) {
  if (value.is_invalid()) FailIfRefused(context, value);
  const Prim& prim = attribute.prim();
  if (value.type() == ValueType::kPathExpression) {
    return ResolvePathExpressions(context, prim, attribute.name(), source, std::move(value), time);
  }
  if (value.type() != ValueType::kAssetPath) return value;
  const FieldAnchorer anchorer(prim);
  if (source.opinion()) {
    const PrimSpecHandle& site = prim.index().index->prim_stack()[source.opinion()->site];
    return anchorer.Anchor(context, std::move(value), *site.layer,
                           *prim.index().index->nodes()[site.node].layer_stack);
  }
  if (!source.clip_attribute()) return value;
  const ClipAssetSite site = FindClipAssetSite(context, prim, attribute.name(), source, time);
  if (!site.layer) return value;
  return anchorer.Anchor(context, std::move(value), *site.layer, *site.stack);
}

}  // namespace stagedoor
