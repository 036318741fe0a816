#include "scene/stage/prim.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "scene/layer/field_keys.h"
#include "scene/paths/dictionary_order.h"
#include "scene/schema/prim_definition.h"
#include "scene/stage/metadata.h"
#include "scene/stage/stage_data.h"
#include "scene/values/list_op.h"

namespace stagedoor {

Prim::Prim(const StageData& stage, const PrimLocation& location)
    : Prim(&stage, location.data, location.within, location.instance_path) {}

const PrimOpinions& Prim::opinions() const { return stage_->OpinionsOf(*data_); }

const Stage& Prim::stage() const { return *stage_->stage; }

Path Prim::path() const { return PrimLocation{data_, within_, instance_path_}.path(); }

std::string Prim::PathText() const {
  if (instance_path_.empty()) return data_->path.ToString();
  // The path of the instance, then the names below the source instance, written from the end.
  const size_t above = within_->source_path.depth();
  size_t below = 0;
  for (Path at = data_->path; at.depth() > above; at = at.Parent()) {
    below += 1 + at.name().text().size();
  }
  std::string text = instance_path_.ToString();
  text.resize(text.size() + below);
  size_t end = text.size();
  for (Path at = data_->path; at.depth() > above; at = at.Parent()) {
    const std::string_view name = at.name().text();
    end -= name.size();
    name.copy(&text[end], name.size());
    text[--end] = '/';
  }
  return text;
}

Prim Prim::SeenFrom(const Prim& from, const Prim& to) const {
  const Path scope = from.InstanceScope();
  if (scope.empty() || !instance_path_.HasPrefix(scope)) return *this;
  Prim seen = *this;
  seen.instance_path_ = instance_path_.ReplacePrefix(scope, to.InstanceScope());
  return seen;
}

Path Prim::MapToStage(uint32_t node, Path path) const {
  return FromPrototype(index().MapToStage(node, path));
}

Path Prim::MapTargetToStage(uint32_t node, Path target) const {
  const auto nodes = index().index->nodes();
  bool relocated = false;
  for (uint32_t n = node; n != 0; n = static_cast<uint32_t>(nodes[n].parent)) {
    relocated |= nodes[n].arc == ArcType::kRelocate;
  }
  // Without relocates the composed mapping is right: an arc on the way may have no image for a path
  // that the arcs together do map.
  if (!relocated) return MapToStage(node, target);
  Path mapped = target;
  for (uint32_t n = node; n != 0; n = static_cast<uint32_t>(nodes[n].parent)) {
    mapped = nodes[n].map_to_parent.MapSourceToTarget(mapped);
    if (mapped.empty()) return mapped;
  }
  const MapFunction* outer = index().outer.get();
  return FromPrototype(outer ? outer->MapSourceToTarget(mapped) : mapped);
}

Path Prim::FromPrototype(Path path) const {
  if (instance_path_.empty() || path.empty()) return path;
  return path.ReplacePrefix(within_->source_path, instance_path_);
}

Prim Prim::parent() const {
  if (!data_->parent) return Prim();
  // The root of a prototype stands for the instance.
  if (within_ && data_->parent == &within_->root)
    return Prim(*stage_, stage_->Find(instance_path_));
  return Prim(stage_, data_->parent, within_, instance_path_);
}

std::vector<Prim> Prim::Children(PrimFlagsPredicate predicate) const {
  std::vector<Prim> result;
  const PrimData* from = data_;
  const Prototype* within = within_;
  Path instance_path = instance_path_;
  if (data_->prototype) {
    if (!predicate.instance_proxies && !IsInstanceProxy()) return result;
    within = data_->prototype;
    from = &within->root;
    instance_path = path();
  }
  for (const PrimData& child : from->child_span()) {
    if (predicate(child.flags)) result.push_back(Prim(stage_, &child, within, instance_path));
  }
  return result;
}

bool Prim::IsInstanceable() const {
  const Value value = PlainMetadata(Fields().instanceable);
  const bool* held = value.Get<bool>();
  return held && *held;
}

bool Prim::IsA(Token type) const { return data_->definition && data_->definition->IsA(type); }

bool Prim::HasApi(Token schema) const {
  if (data_->definition) return data_->definition->HasApi(schema);
  const std::string_view wanted = schema.text();
  for (const Token applied : AppliedSchemas()) {
    const std::string_view name = applied.text();
    if (name == wanted) return true;
    const size_t colon = name.find(':');
    if (colon != std::string_view::npos && name.substr(0, colon) == wanted) return true;
  }
  return false;
}

Token Prim::kind() const {
  const Value value = PlainMetadata(Fields().kind);
  const Token* kind = value.Get<Token>();
  return kind ? *kind : Token();
}

std::vector<Token> Prim::AppliedSchemas() const {
  if (data_->definition) {
    std::vector<Token> names;
    for (const auto& applied : data_->definition->applied_schemas()) names.push_back(applied.name);
    return names;
  }
  // With schemas, a prim with applied schemas always has a definition.
  if (stage_->environment.schemas) return {};
  RequestContext unbounded;
  const Value value = Metadata(unbounded, Fields().apiSchemas);
  const auto* op = value.Get<ListOp<Token>>();
  return op ? op->explicit_items : std::vector<Token>();
}

std::vector<Token> Prim::AuthoredPropertyNames() const {
  const auto authored = index().index->property_names();
  std::vector<Token> names(authored.begin(), authored.end());
  // The index usually has them in this order already.
  if (!std::is_sorted(names.begin(), names.end(), DictionaryLess())) {
    std::sort(names.begin(), names.end(), DictionaryLess());
  }
  return ApplyPropertyOrder(std::move(names));
}

std::vector<Token> Prim::PropertyNames() const {
  const auto authored = index().index->property_names();
  std::vector<Token> names(authored.begin(), authored.end());
  if (data_->definition) {
    for (const auto& builtin : data_->definition->properties()) names.push_back(builtin->name);
  }
  std::sort(names.begin(), names.end(), DictionaryLess());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return ApplyPropertyOrder(std::move(names));
}

std::vector<Token> Prim::ApplyPropertyOrder(std::vector<Token> names) const {
  // Listed names come first, in the listed order, then all others (Core Specification 11.3.2). This
  // differs from the reorder operation of list ops.
  const Token order_field = Fields().propertyOrder;
  const bool by_schema = data_->definition && data_->definition->FindMetadata(order_field);
  if (!by_schema && !HasAuthoredMetadata(order_field)) return names;
  const Value value = PlainMetadata(Fields().propertyOrder);
  const auto* order = value.Get<std::vector<Token>>();
  if (!order) return names;
  const std::unordered_set<Token> present(names.begin(), names.end());
  std::unordered_set<Token> listed;
  std::vector<Token> ordered;
  ordered.reserve(names.size());
  for (const Token name : *order) {
    if (present.count(name) > 0 && listed.insert(name).second) ordered.push_back(name);
  }
  for (const Token name : names) {
    if (listed.count(name) == 0) ordered.push_back(name);
  }
  return ordered;
}

// The value of a field whose strongest opinion is the result.
Value Prim::PlainMetadata(Token field) const {
  const Value* fallback = data_->definition ? data_->definition->FindMetadata(field) : nullptr;
  return StrongestOpinion(PrimSpecHandles(*index().index, IsPseudoRoot()), field, fallback);
}

bool Prim::HasAuthoredMetadata(Token field) const {
  if (!IsPseudoRoot()) {
    const auto sites = index().index->prim_stack();
    return std::any_of(sites.begin(), sites.end(),
                       [&](const PrimSpecHandle& s) { return s.layer->Has(s.spec, field); });
  }
  const auto sites = PrimSpecHandles(*index().index, /*pseudo_root=*/true);
  return std::any_of(sites.begin(), sites.end(),
                     [&](const SpecHandle& s) { return s.layer->Has(s.spec, field); });
}

namespace {

// The specs of a node, strongest first, even if the node does not contribute opinions.
std::vector<SpecHandle> NodeSites(const PrimIndex& index, const PrimIndexNode& node) {
  std::vector<SpecHandle> sites;
  if (node.culled) return sites;
  for (const PrimSpecHandle& s : index.SpecsOf(node)) sites.push_back({s.layer, s.spec, 0});
  return sites;
}

// Adds the variants of all sets of the specs to the sets of that name.
void AddChoices(Pacer& pacer, const std::vector<SpecHandle>& sites,
                const std::unordered_map<Token, VariantSetInfo*>& sets) {
  for (const SpecHandle& site : sites) {
    const SpecTree& tree = site.layer->tree();
    for (const SpecId spec : tree.variants(site.spec)) {
      const auto set = sets.find(tree.name(spec));
      if (set == sets.end()) continue;
      for (const SpecId variant : tree.variants(spec)) {
        if (!pacer.Go()) return;
        set->second->choices.push_back(tree.name(variant).str());
      }
    }
  }
}

}  // namespace

std::vector<VariantSetInfo> Prim::VariantSets(RequestContext& context) const {
  // The names are the composed variantSetNames; the choices are the union over all nodes, including
  // those that contribute no opinions, as in OpenUSD.
  Pacer pacer(context);
  const PrimIndex& index = *this->index().index;
  std::vector<VariantSetInfo> result;
  for (std::string& name : VariantSetNames(pacer)) result.push_back({.name = std::move(name)});
  if (result.empty()) return result;
  std::unordered_map<Token, VariantSetInfo*> sets;
  for (VariantSetInfo& set : result) sets.emplace(Token(set.name), &set);
  for (const PrimIndexNode& node : index.nodes()) {
    if (!pacer.Go()) return result;
    AddChoices(pacer, NodeSites(index, node), sets);
  }
  for (const auto& [name, variant] : index.variant_selections()) {
    const auto set = sets.find(Token(name));
    if (set != sets.end()) set->second->selection = variant;
  }
  for (VariantSetInfo& set : result) {
    if (!pacer.Go(1 + static_cast<int64_t>(set.choices.size()))) return result;
    std::sort(set.choices.begin(), set.choices.end());
    set.choices.erase(std::unique(set.choices.begin(), set.choices.end()), set.choices.end());
  }
  return result;
}

std::vector<std::string> Prim::VariantSetNames(Pacer& pacer) const {
  // List ops compose within the layer stack of each node; the results are concatenated.
  const PrimIndex& index = *this->index().index;
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const PrimIndexNode& node : index.nodes()) {
    std::vector<std::string> own;
    const std::vector<SpecHandle> sites = NodeSites(index, node);
    for (auto site = sites.rbegin(); site != sites.rend(); ++site) {
      const Value value = site->layer->Get(site->spec, Fields().variantSetNames);
      const auto* op = value.Get<ListOp<std::string>>();
      if (!op) continue;
      if (!pacer.Go(1 + static_cast<int64_t>(op->size()))) return names;
      op->ApplyTo(&own);
    }
    for (std::string& name : own) {
      if (known.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace stagedoor
