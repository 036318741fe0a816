#include "scene/stage/targets.h"

#include "scene/stage/metadata.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

// Translates paths authored at one node to the stage.
class Translator {
 public:
  Translator(Pacer& pacer, const Prim& prim, uint32_t node)
      : pacer_(pacer),
        prim_(prim),
        node_(node),
        owner_(prim.index().index->nodes()[node].path),
        steps_(StepsToRoot()) {}

  // Authored paths are absolute, or relative to the prim that owns the property. Variant selections
  // belong to the place of the opinion, not to the namespace, so they are removed.
  // Sets `dropped`, which may be null, if a path has no image in the stage.
  std::vector<Path> operator()(const std::vector<Path>& authored, bool* dropped) const {
    std::vector<Path> result;
    result.reserve(authored.size());
    for (const Path path : authored) {
      if (!pacer_.Go(steps_)) break;
      const Path absolute = path.MakeAbsolute(owner_).StripVariantSelections();
      const Path mapped = absolute.empty() ? absolute : prim_.MapTargetToStage(node_, absolute);
      if (!mapped.empty()) {
        result.push_back(mapped);
      } else if (dropped) {
        *dropped = true;
      }
    }
    return result;
  }

 private:
  // The cost of mapping one target, which is done arc by arc.
  int64_t StepsToRoot() const {
    const auto nodes = prim_.index().index->nodes();
    int64_t steps = 1;
    for (uint32_t n = node_; n != 0; n = static_cast<uint32_t>(nodes[n].parent)) ++steps;
    return steps;
  }

  Pacer& pacer_;
  const Prim& prim_;
  const uint32_t node_;
  const Path owner_;
  const int64_t steps_;
};

ListOp<Path> Translate(const ListOp<Path>& op, const Translator& translate, bool* dropped) {
  ListOp<Path> result;
  result.is_explicit = op.is_explicit;
  result.explicit_items = translate(op.explicit_items, dropped);
  result.prepended = translate(op.prepended, dropped);
  result.appended = translate(op.appended, dropped);
  result.deleted = translate(op.deleted, nullptr);
  result.added = translate(op.added, dropped);
  result.ordered = translate(op.ordered, dropped);
  return result;
}

}  // namespace

ComposedTargets ComposeTargets(RequestContext& context, const Prim& prim, Token property,
                               Token field) {
  ComposedTargets result;
  Pacer pacer(context);
  const PrimIndex& index = *prim.index().index;
  std::vector<ListOp<Path>> ops;  // strongest first
  for (const SpecHandle& site : PropertySpecHandles(index, property)) {
    const Value value = site.layer->Get(site.spec, field);
    const auto* op = value.Get<ListOp<Path>>();
    if (!op) continue;
    const Translator translate(pacer, prim, index.prim_stack()[site.site].node);
    // Most relationships list one target, which needs no list of edits.
    if (op->is_explicit && op->explicit_items.size() == 1 && ops.empty()) {
      result.paths = translate(op->explicit_items, &result.dropped);
      return result;
    }
    ops.push_back(Translate(*op, translate, &result.dropped));
    if (op->is_explicit) break;  // hides weaker opinions
  }
  for (auto it = ops.rbegin(); it != ops.rend(); ++it) it->ApplyTo(&result.paths);
  return result;
}

}  // namespace stagedoor
