#include "scene/usda/layer_assembler.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "scene/layer/layer_builder.h"

namespace stagedoor::usda {
namespace {

constexpr size_t kFewNames = 24;

const std::vector<SpecId>& ChildrenOf(const LayerBuilder& layer, SpecId parent, SpecType type) {
  return type == SpecType::kPrim      ? layer.prims(parent)
         : type == SpecType::kVariant ? layer.variants(parent)
                                      : layer.properties(parent);
}

// Keeps only the children with these names among those of a type, in this order.
void KeepChildren(SpecId parent, SpecType type, const std::vector<Token>& names,
                  LayerBuilder* layer) {
  const std::unordered_set<Token> kept(names.begin(), names.end());
  const std::vector<SpecId> children = ChildrenOf(*layer, parent, type);
  for (const SpecId child : children) {
    if (!kept.contains(layer->name(child))) layer->Remove(child);
  }
  layer->OrderChildren(parent, type, names);
}

// The warnings with their places; null if there are none.
std::shared_ptr<const LayerWarnings> Located(const TextCursor& cursor, const SpecTree& tree,
                                             const std::vector<SpecId>& final_ids) {
  if (cursor.warning_count() == 0) return nullptr;
  std::vector<TextCursor::Warning> warnings = cursor.warnings();
  std::stable_sort(warnings.begin(), warnings.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  auto located = std::make_shared<LayerWarnings>();
  const char* counted = cursor.begin();
  size_t line = 1;
  for (TextCursor::Warning& warning : warnings) {
    line += static_cast<size_t>(std::count(counted, warning.at, '\n'));
    counted = warning.at;
    located->listed.push_back({line, cursor.ColumnOf(warning.at),
                               tree.path(final_ids[warning.spec]).ToString(),
                               std::move(warning.message)});
  }
  located->left_out = cursor.warning_count() - warnings.size();
  return located;
}

}  // namespace

SpecId NameIndex::Find(Token name) const {
  if (table_.empty()) {
    for (const Item& item : items_) {
      if (item.name == name) return item.id;
    }
    return kNoSpec;
  }
  const size_t mask = table_.size() - 1;
  for (size_t i = name.hash() & mask; table_[i] != 0; i = (i + 1) & mask) {
    const Item& item = items_[table_[i] - 1];
    if (item.name == name) return item.id;
  }
  return kNoSpec;
}

void NameIndex::Add(Token name, SpecId id) {
  items_.push_back({name, id});
  if (table_.empty() ? items_.size() > kFewNames : items_.size() * 2 > table_.size()) {
    Rehash();
  } else if (!table_.empty()) {
    const size_t mask = table_.size() - 1;
    size_t i = name.hash() & mask;
    while (table_[i] != 0) i = (i + 1) & mask;
    table_[i] = static_cast<uint32_t>(items_.size());
  }
}

std::vector<Token> NameIndex::NamesFrom(size_t first) const {
  std::vector<Token> names;
  for (size_t i = first; i < items_.size(); ++i) names.push_back(items_[i].name);
  return names;
}

void NameIndex::Rehash() {
  table_.assign(table_.empty() ? 128 : table_.size() * 4, 0);
  const size_t mask = table_.size() - 1;
  for (size_t n = 0; n < items_.size(); ++n) {
    size_t i = items_[n].name.hash() & mask;
    while (table_[i] != 0) i = (i + 1) & mask;
    table_[i] = static_cast<uint32_t>(n + 1);
  }
}

void NameIndex::Clear() {
  items_.clear();
  table_.clear();
}

Path OpenSpec::AnchorPath() const {
  if (path.empty()) {
    if (!parent) {
      path = Path::AbsoluteRoot();
    } else {
      path = name.empty() ? parent->AnchorPath() : parent->AnchorPath().AppendChild(name);
    }
  }
  return path;
}

void OpenSpec::Reset(SpecId new_spec, const OpenSpec* new_parent, Token new_name) {
  spec = new_spec;
  parent = new_parent;
  name = new_name;
  path = Path();
  properties.Clear();
  prims.Clear();
  variant_sets.Clear();
  stated_sets.clear();
}

void LayerAssembler::SetField(SpecId spec, Token field, Value value) {
  FieldList fields;
  fields_.Get(spec, &fields);
  usda::SetField(&fields, field, std::move(value));
  fields_.Put(spec, &fields);
}

OpenSpec* LayerAssembler::Borrow() {
  if (open_ == pool_.size()) pool_.push_back(std::make_unique<OpenSpec>());
  return pool_[open_++].get();
}

std::shared_ptr<const Layer> LayerAssembler::Build(Layer::Info info, const TextCursor& cursor) && {
  std::vector<SpecId> final_ids;
  SpecTree tree = std::move(tree_).Build(&final_ids);
  std::unique_ptr<const FieldStore> fields = std::move(fields_).Build(final_ids);
  info.warnings = Located(cursor, tree, final_ids);
  auto layer = std::make_shared<Layer>(info, std::move(tree), std::move(fields));
  if (restated_.empty()) return layer;
  LayerBuilder rest(*layer);
  for (const auto& [children, names] : restated_) {
    const SpecId parent = rest.Find(layer->tree().path(final_ids[children.first]));
    // The parent may be missing: it was inside a variant that has been removed.
    if (parent != kNoSpec) KeepChildren(parent, children.second, names, &rest);
  }
  return std::move(rest).Build(std::move(info));
}

}  // namespace stagedoor::usda
