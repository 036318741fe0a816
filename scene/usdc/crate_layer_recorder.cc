#include "scene/usdc/crate_layer_recorder.h"

#include <algorithm>
#include <utility>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/variant_names.h"
#include "scene/values/list_op.h"
#include "scene/values/payload.h"

namespace stagedoor {
namespace {

// The number of specs after which the growth of the tables is reserved again.
constexpr size_t kSpecsPerReservation = 256;

CrateSpecType SpecTypeOf(SpecType type) {
  switch (type) {
    case SpecType::kPseudoRoot:
      return CrateSpecType::kPseudoRoot;
    case SpecType::kPrim:
      return CrateSpecType::kPrim;
    case SpecType::kAttribute:
      return CrateSpecType::kAttribute;
    case SpecType::kRelationship:
      return CrateSpecType::kRelationship;
    case SpecType::kVariantSet:
      return CrateSpecType::kVariantSet;
    case SpecType::kVariant:
      return CrateSpecType::kVariant;
  }
  return CrateSpecType::kPrim;
}

// True if the payload field can be stored as a single payload, which older readers understand: for
// an explicit list of at most one item.
bool AsSinglePayload(const ListOp<Payload>& op, Payload* payload) {
  if (!op.is_explicit || op.explicit_items.size() > 1) return false;
  if (op.explicit_items.empty()) return true;
  *payload = op.explicit_items[0];
  return !payload->asset.empty();
}

}  // namespace

void CrateSpecOrder::AddChildren(const Visit& visit, uint32_t path) {
  const bool set = tree_.type(visit.spec) == SpecType::kVariantSet;
  const size_t first = stack_.size();
  for (const SpecRange& run :
       {tree_.properties(visit.spec), tree_.variants(visit.spec), tree_.prims(visit.spec)}) {
    for (const SpecId child : run) stack_.push_back({child, set ? visit.parent_path : path});
  }
  std::reverse(stack_.begin() + static_cast<ptrdiff_t>(first), stack_.end());
}

CrateSpecFields::CrateSpecFields(const Layer& layer, SpecId spec)
    : layer_(layer), spec_(spec), names_(layer.FieldNames(spec)) {
  const SpecTree& tree = layer.tree();
  const bool set = tree.type(spec) == SpecType::kVariantSet;
  AddChildren(tree.properties(spec), Fields().properties);
  AddChildren(tree.variants(spec), set ? Fields().variantChildren : Fields().variantSetChildren);
  AddChildren(tree.prims(spec), Fields().primChildren);
}

void CrateSpecFields::AddChildren(const SpecRange& children, Token field) {
  if (children.empty()) return;
  names_.push_back(field);
  children_.push_back(children);
}

Value CrateSpecFields::value(size_t i) const {
  const size_t fields = names_.size() - children_.size();
  if (i >= fields) {
    std::vector<Token> names;
    names.reserve(children_[i - fields].size());
    for (const SpecId child : children_[i - fields]) names.push_back(layer_.tree().name(child));
    return Value(std::move(names));
  }
  Value value = layer_.Get(spec_, names_[i]);
  if (const auto* op = value.Get<ListOp<Payload>>(); op && names_[i] == Fields().payload) {
    Payload payload;
    if (AsSinglePayload(*op, &payload)) return Value(std::move(payload));
  }
  return value;
}

absl::Status CrateLayerRecorder::Run(RequestContext& context, CrateRecorder& recorder,
                                     CrateLog* log, std::vector<bool>* emits) {
  Pacer pacer(context);
  for (size_t specs = 0; !order_.done(); ++specs) {
    const uint64_t before = recorder.end();
    const CrateSpecOrder::Visit visit = order_.Next();
    SD_RETURN_IF_ERROR(CheckName(visit.spec));
    const uint32_t path = PathOf(visit);
    SD_RETURN_IF_ERROR(AddSpec(visit.spec, path, recorder, log, emits));
    order_.AddChildren(visit, path);
    SD_RETURN_IF_ERROR(pacer.Step(10 + static_cast<int64_t>((recorder.end() - before) / 1024)));
    if (specs % kSpecsPerReservation == 0) SD_RETURN_IF_ERROR(Reserve(context, recorder));
  }
  SD_RETURN_IF_ERROR(recorder.status());
  return Reserve(context, recorder);
}

absl::Status CrateLayerRecorder::Reserve(RequestContext& context, const CrateRecorder& recorder) {
  const size_t bytes = tables_.byte_size() + recorder.byte_size();
  if (bytes <= reserved_) return absl::OkStatus();
  const size_t more = bytes - std::exchange(reserved_, bytes);
  return context.Reserve(more, "the tables of a crate file");
}

absl::Status CrateLayerRecorder::AddSpec(SpecId spec, uint32_t path, CrateRecorder& recorder,
                                         CrateLog* log, std::vector<bool>* emits) {
  std::vector<uint32_t> fields;
  const CrateSpecFields all(layer_, spec);
  for (size_t i = 0; i < all.size(); ++i) {
    const Value value = all.value(i);
    const size_t mark = log ? log->size() : 0;
    const uint64_t placed = recorder.placed();
    const CrateValueRep rep = value.empty() ? CrateValueRep() : values_.Pack(value);
    if (!values_.status().ok()) return Failure(spec, all.name(i));
    if (rep != CrateValueRep()) fields.push_back(tables_.AddField(all.name(i), rep));
    if (!log) continue;
    emits->push_back(recorder.placed() != placed);
    if (!emits->back()) log->Resize(mark);
  }
  tables_.AddSpec(path, tables_.AddFieldSet(fields), SpecTypeOf(layer_.tree().type(spec)));
  return absl::OkStatus();
}

absl::Status CrateLayerRecorder::CheckName(SpecId spec) const {
  const SpecTree& tree = layer_.tree();
  const SpecType type = tree.type(spec);
  if (type != SpecType::kVariantSet && type != SpecType::kVariant) return absl::OkStatus();
  const Token name = tree.name(spec);
  if (!name.empty() && IsCrateVariantName(name.text())) return absl::OkStatus();
  return InvalidArgumentError(
      layer_.identifier(), ": a crate cannot hold the name ", Quoted(name.text()), " of the ",
      type == SpecType::kVariant ? "variant " : "variant set ", Quoted(tree.path(spec).ToString()),
      "; rename it, or write the layer as .usda");
}

absl::Status CrateLayerRecorder::Failure(SpecId spec, Token field) const {
  return Annotate(values_.status(),
                  Concat(layer_.tree().path(spec).ToString(), " ", Quoted(field.text())));
}

uint32_t CrateLayerRecorder::PathOf(const CrateSpecOrder::Visit& visit) {
  const SpecTree& tree = layer_.tree();
  const Token name = tree.name(visit.spec);
  switch (tree.type(visit.spec)) {
    case SpecType::kPseudoRoot:
      return CrateTableBuilder::kRootPath;
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      return tables_.AddPropertyPath(visit.parent_path, name);
    case SpecType::kVariantSet:
      return tables_.AddVariantPath(visit.parent_path, name, Token());
    case SpecType::kVariant:
      return tables_.AddVariantPath(visit.parent_path, tree.name(tree.parent(visit.spec)), name);
    default:
      return tables_.AddPrimPath(visit.parent_path, name);
  }
}

}  // namespace stagedoor
