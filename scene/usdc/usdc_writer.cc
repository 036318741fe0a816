#include "scene/usdc/usdc_writer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/layer/fields.h"
#include "scene/usdc/crate_table_builder.h"
#include "scene/usdc/crate_value_writer.h"

namespace stagedoor {
namespace {

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

// What the payload field holds: a single payload where that says the same, which older readers
// know.
bool AsSinglePayload(const ListOp<Payload>& op, Payload* payload) {
  if (!op.is_explicit || op.explicit_items.size() > 1) return false;
  if (op.explicit_items.empty()) return true;
  *payload = op.explicit_items[0];
  return !payload->asset.empty();
}

class LayerWriter {
 public:
  explicit LayerWriter(const Layer& layer)
      : layer_(layer), file_(kCrateBootSize, '\0'), values_(&tables_, &file_) {}

  absl::StatusOr<std::string> Write() &&;

 private:
  struct Visit {
    SpecId spec;
    uint32_t parent_path;  // of a variant: that of the prim its set belongs to
  };

  absl::Status WriteSpec(SpecId spec, uint32_t path);
  void AddChildren(const SpecRange& children, Token field, std::vector<uint32_t>* fields);
  void PushChildren(const Visit& visit, uint32_t path);
  uint32_t PathOf(const Visit& visit);

  const Layer& layer_;
  CrateTableBuilder tables_;
  std::string file_;
  CrateValueWriter values_;
  std::vector<Visit> stack_;
};

absl::StatusOr<std::string> LayerWriter::Write() && {
  stack_.push_back({kRootSpec, CrateTableBuilder::kRootPath});
  while (!stack_.empty()) {
    const Visit visit = stack_.back();
    stack_.pop_back();
    const uint32_t path = PathOf(visit);
    SD_RETURN_IF_ERROR(WriteSpec(visit.spec, path));
    PushChildren(visit, path);
  }
  tables_.Finish(values_.version(), &file_);
  return std::move(file_);
}

absl::Status LayerWriter::WriteSpec(SpecId spec, uint32_t path) {
  std::vector<uint32_t> fields;
  const SpecTree& tree = layer_.tree();
  for (const Token name : layer_.FieldNames(spec)) {
    Value value = layer_.Get(spec, name);
    if (value.empty()) continue;
    // A single payload says the same to more readers.
    if (const auto* op = value.Get<ListOp<Payload>>(); op && name == Fields().payload) {
      Payload payload;
      if (AsSinglePayload(*op, &payload)) value = Value(std::move(payload));
    }
    const CrateRep rep = values_.Pack(value);
    if (!values_.status().ok()) {
      return Annotate(values_.status(),
                      Concat(tree.path(spec).ToString(), " ", Quoted(name.text())));
    }
    if (rep != CrateRep()) fields.push_back(tables_.AddField(name, rep));
  }
  const bool set = tree.type(spec) == SpecType::kVariantSet;
  AddChildren(tree.properties(spec), Fields().properties, &fields);
  AddChildren(tree.variants(spec), set ? Fields().variantChildren : Fields().variantSetChildren,
              &fields);
  AddChildren(tree.prims(spec), Fields().primChildren, &fields);
  tables_.AddSpec(path, tables_.AddFieldSet(fields), SpecTypeOf(tree.type(spec)));
  return absl::OkStatus();
}

void LayerWriter::AddChildren(const SpecRange& children, Token field,
                              std::vector<uint32_t>* fields) {
  if (children.empty()) return;
  std::vector<Token> names;
  names.reserve(children.size());
  for (const SpecId child : children) names.push_back(layer_.tree().name(child));
  fields->push_back(tables_.AddField(field, values_.Pack(Value(std::move(names)))));
}

uint32_t LayerWriter::PathOf(const Visit& visit) {
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

void LayerWriter::PushChildren(const Visit& visit, uint32_t path) {
  const SpecTree& tree = layer_.tree();
  const bool set = tree.type(visit.spec) == SpecType::kVariantSet;
  const size_t first = stack_.size();
  for (const SpecRange& run :
       {tree.properties(visit.spec), tree.variants(visit.spec), tree.prims(visit.spec)}) {
    for (const SpecId child : run) stack_.push_back({child, set ? visit.parent_path : path});
  }
  std::reverse(stack_.begin() + first, stack_.end());
}

}  // namespace

absl::StatusOr<std::string> WriteUsdc(const Layer& layer) { return LayerWriter(layer).Write(); }

}  // namespace stagedoor
