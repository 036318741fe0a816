#include "scene/layer/layer_builder.h"

#include <algorithm>

#include "scene/layer/field_keys.h"
#include "scene/layer/heap_bytes.h"

namespace stagedoor {
namespace {

// Up to this many siblings are searched linearly; only longer lists of siblings are in the hash
// table.
constexpr size_t kSearched = 16;

// Stores all fields in one array; the fields of spec i are those in [starts[i], starts[i + 1]).
class MemoryFieldStore final : public FieldStore {
 public:
  MemoryFieldStore(std::vector<uint32_t> starts, std::vector<LayerBuilder::Field> fields)
      : starts_(std::move(starts)), fields_(std::move(fields)) {}

  Value Get(SpecId spec, Token field) const override {
    const auto* found = Find(spec, field);
    return found ? found->second : Value();
  }
  bool Has(SpecId spec, Token field) const override { return Find(spec, field) != nullptr; }
  std::vector<Token> Names(SpecId spec) const override {
    std::vector<Token> names;
    for (uint32_t i = starts_[spec]; i < starts_[spec + 1]; ++i) names.push_back(fields_[i].first);
    return names;
  }
  // Counted when asked for, because values may be shared while the layer is built.
  size_t byte_size() const override {
    size_t bytes = starts_.capacity() * sizeof(uint32_t) + fields_.capacity() * sizeof(fields_[0]);
    for (const LayerBuilder::Field& field : fields_) bytes += OwnHeapBytes(field.second);
    return bytes;
  }

 private:
  const LayerBuilder::Field* Find(SpecId spec, Token field) const {
    for (uint32_t i = starts_[spec]; i < starts_[spec + 1]; ++i) {
      if (fields_[i].first == field) return &fields_[i];
    }
    return nullptr;
  }

  const std::vector<uint32_t> starts_;  // one more entry than specs
  const std::vector<LayerBuilder::Field> fields_;
};

}  // namespace

LayerBuilder::LayerBuilder() : specs_(1) {}

LayerBuilder::LayerBuilder(const Layer& layer) : LayerBuilder() {
  specs_.reserve(layer.tree().size());
  CopyFrom(layer, kRootSpec, kRootSpec);
}

void LayerBuilder::CopyFrom(const Layer& layer, SpecId from, SpecId to) {
  // Breadth-first, because recursion could overflow the stack in deep namespaces.
  std::vector<std::pair<SpecId, SpecId>> queue = {{from, to}};
  for (size_t i = 0; i < queue.size(); ++i) {
    const auto [source, target] = queue[i];
    for (const Token field : layer.FieldNames(source)) {
      specs_[target].fields.emplace_back(field, layer.Get(source, field));
    }
    const SpecTree& tree = layer.tree();
    for (const SpecRange run :
         {tree.properties(source), tree.variants(source), tree.prims(source)}) {
      for (const SpecId child : run) {
        queue.emplace_back(child, FindOrAdd(target, tree.type(child), tree.name(child)));
      }
    }
  }
}

LayerBuilder::ChildKind LayerBuilder::ChildKindOf(SpecType type) {
  switch (type) {
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      return ChildKind::kProperty;
    case SpecType::kVariantSet:
    case SpecType::kVariant:
      return ChildKind::kVariant;
    default:
      return ChildKind::kPrim;
  }
}

std::vector<SpecId>& LayerBuilder::Siblings(SpecId parent, ChildKind kind) {
  Spec& up = specs_[parent];
  return kind == ChildKind::kProperty  ? up.properties
         : kind == ChildKind::kVariant ? up.variants
                                       : up.prims;
}

SpecId LayerBuilder::FindOrAdd(SpecId parent, SpecType type, Token name) {
  const ChildKind kind = ChildKindOf(type);
  if (const SpecId found = Find(parent, type, name); found != kNoSpec) {
    specs_[found].type = type;
    return found;
  }
  const SpecId added = static_cast<SpecId>(specs_.size());
  specs_.emplace_back();
  specs_.back().name = name;
  specs_.back().parent = parent;
  specs_.back().type = type;
  std::vector<SpecId>& siblings = Siblings(parent, kind);
  siblings.push_back(added);
  if (siblings.size() == kSearched + 1) {
    for (const SpecId id : siblings) children_[{parent, kind, specs_[id].name}] = id;
  } else if (siblings.size() > kSearched) {
    children_[{parent, kind, name}] = added;
  }
  return added;
}

SpecId LayerBuilder::Find(SpecId parent, SpecType type, Token name) const {
  const ChildKind kind = ChildKindOf(type);
  const Spec& up = specs_[parent];
  const std::vector<SpecId>& siblings = kind == ChildKind::kProperty  ? up.properties
                                        : kind == ChildKind::kVariant ? up.variants
                                                                      : up.prims;
  if (siblings.size() > kSearched) {
    const auto it = children_.find({parent, kind, name});
    return it == children_.end() ? kNoSpec : it->second;
  }
  for (const SpecId id : siblings) {
    if (specs_[id].name == name) return id;
  }
  return kNoSpec;
}

SpecId LayerBuilder::Find(Path path) const {
  if (!path.IsAbsolute()) return kNoSpec;
  if (path.IsAbsoluteRoot()) return kRootSpec;
  const SpecId up = Find(path.Parent());
  if (up == kNoSpec) return kNoSpec;
  if (path.IsPrim()) return Find(up, SpecType::kPrim, path.name());
  if (path.kind() == Path::Kind::kProperty) return Find(up, SpecType::kAttribute, path.name());
  if (!path.IsVariantSelection()) return kNoSpec;
  const SpecId set = Find(up, SpecType::kVariantSet, path.name());
  if (set == kNoSpec || path.variant().empty()) return set;
  return Find(set, SpecType::kVariant, path.variant());
}

SpecId LayerBuilder::EnsurePrim(Path path) {
  if (path.IsAbsoluteRoot()) return kRootSpec;
  if (!path.IsAbsolute() || (!path.IsPrim() && !path.IsVariantSelection())) return kNoSpec;
  const SpecId up = EnsurePrim(path.Parent());
  if (path.IsVariantSelection()) {
    const SpecId set = FindOrAdd(up, SpecType::kVariantSet, path.name());
    return path.variant().empty() ? set : FindOrAdd(set, SpecType::kVariant, path.variant());
  }
  const SpecId prim = FindOrAdd(up, SpecType::kPrim, path.name());
  if (!Get(prim, Fields().specifier)) Set(prim, Fields().specifier, Value(Specifier::kOver));
  return prim;
}

SpecId LayerBuilder::EnsureProperty(Path path, SpecType type) {
  if (path.empty() || path.kind() != Path::Kind::kProperty) return kNoSpec;
  const SpecId prim = EnsurePrim(path.Parent());
  return prim == kNoSpec ? kNoSpec : FindOrAdd(prim, type, path.name());
}

void LayerBuilder::Remove(SpecId spec) {
  Spec& gone = specs_[spec];
  if (spec == kRootSpec || gone.parent == kNoSpec) return;
  const ChildKind kind = ChildKindOf(gone.type);
  std::erase(Siblings(gone.parent, kind), spec);
  children_.erase({gone.parent, kind, gone.name});
  gone.parent = kNoSpec;
}

void LayerBuilder::OrderChildren(SpecId parent, SpecType type, const std::vector<Token>& order) {
  std::unordered_map<Token, size_t> ranks;
  for (size_t i = 0; i < order.size(); ++i) ranks.try_emplace(order[i], i);
  std::vector<SpecId>& siblings = Siblings(parent, ChildKindOf(type));
  const auto rank = [&](SpecId id) {
    const auto it = ranks.find(specs_[id].name);
    return it == ranks.end() ? order.size() : it->second;
  };
  std::stable_sort(siblings.begin(), siblings.end(),
                   [&](SpecId a, SpecId b) { return rank(a) < rank(b); });
}

void LayerBuilder::Set(SpecId spec, Token field, Value value) {
  std::vector<Field>& fields = specs_[spec].fields;
  const auto it =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.first == field; });
  if (value.empty()) {
    if (it != fields.end()) fields.erase(it);
  } else if (it != fields.end()) {
    it->second = std::move(value);
  } else {
    fields.emplace_back(field, std::move(value));
  }
}

const Value* LayerBuilder::Get(SpecId spec, Token field) const {
  for (const Field& f : specs_[spec].fields) {
    if (f.first == field) return &f.second;
  }
  return nullptr;
}

std::shared_ptr<const Layer> LayerBuilder::Build(Layer::Info info) && {
  SpecTreeBuilder tree;
  // Provisional ids of this builder, indexed by provisional ids of `tree`.
  std::vector<SpecId> order = {kRootSpec};
  for (size_t i = 0; i < order.size(); ++i) {
    const Spec& spec = specs_[order[i]];
    for (const auto* run : {&spec.properties, &spec.variants, &spec.prims}) {
      for (const SpecId child : *run) {
        tree.Add(static_cast<SpecId>(i), specs_[child].type, specs_[child].name);
        order.push_back(child);
      }
    }
  }
  std::vector<SpecId> final_ids;
  SpecTree built = std::move(tree).Build(&final_ids);
  std::vector<SpecId> source(order.size());  // provisional ids of this builder by final id
  for (size_t i = 0; i < order.size(); ++i) source[final_ids[i]] = order[i];
  std::vector<uint32_t> starts;
  std::vector<Field> fields;
  starts.reserve(source.size() + 1);
  for (const SpecId id : source) {
    starts.push_back(static_cast<uint32_t>(fields.size()));
    for (Field& f : specs_[id].fields) fields.push_back(std::move(f));
  }
  starts.push_back(static_cast<uint32_t>(fields.size()));
  return std::make_shared<Layer>(
      std::move(info), std::move(built),
      std::make_unique<MemoryFieldStore>(std::move(starts), std::move(fields)));
}

}  // namespace stagedoor
