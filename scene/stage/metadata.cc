#include "scene/stage/metadata.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "scene/layer/fields.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"

namespace stagedoor {
namespace {

// Applies list ops weakest first. Null when `opinions` do not hold ListOp<T>.
template <typename T>
Value ApplyListOps(const std::vector<Value>& opinions) {
  std::vector<T> items;
  for (auto it = opinions.rbegin(); it != opinions.rend(); ++it) {
    if (const auto* op = it->Get<ListOp<T>>()) op->ApplyTo(&items);
  }
  return Value(ListOp<T>::Explicit(std::move(items)));
}

// True when nothing weaker can change the result.
template <typename T>
bool IsExplicit(const Value& value) {
  return value.Get<ListOp<T>>()->is_explicit;
}

// Strongest first.
Value MergeDictionaries(std::vector<Value> values) {
  if (values.size() == 1) return std::move(values.front());
  std::vector<const Dictionary*> dictionaries;
  for (const Value& value : values) dictionaries.push_back(value.Get<Dictionary>());
  return Value(Dictionary::Merge(dictionaries));
}

struct ListOpType {
  ValueType type;
  bool (*is_explicit)(const Value&);
  Value (*apply)(const std::vector<Value>&);
};

template <typename T>
constexpr ListOpType MakeListOpType() {
  return {ValueTypeOf<ListOp<T>>::kType, &IsExplicit<T>, &ApplyListOps<T>};
}

const ListOpType* FindListOpType(const Value& value) {
  static constexpr ListOpType kTypes[] = {
      MakeListOpType<Token>(),     MakeListOpType<std::string>(), MakeListOpType<Path>(),
      MakeListOpType<Reference>(), MakeListOpType<Payload>(),     MakeListOpType<int32_t>(),
      MakeListOpType<uint32_t>(),  MakeListOpType<int64_t>(),     MakeListOpType<uint64_t>(),
  };
  for (const ListOpType& type : kTypes) {
    if (type.type == value.type()) return &type;
  }
  return nullptr;
}

}  // namespace

std::vector<FieldSite> PrimFieldSites(const PrimIndex& index, bool pseudo_root) {
  std::vector<FieldSite> result;
  const auto sites = index.sites();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    if (pseudo_root) {
      const LayerStack& stack = *index.nodes()[sites[i].node].layer_stack;
      const size_t at = sites[i].stack_index;
      const bool session_root = at == 0 && stack.layers()[0].session;
      if (at != stack.root_index() && !session_root) continue;
    }
    result.push_back({sites[i].layer, sites[i].spec, i});
  }
  return result;
}

std::vector<FieldSite> PropertyFieldSites(const PrimIndex& index, Token property) {
  std::vector<FieldSite> result;
  const auto sites = index.sites();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    const SpecId spec = sites[i].layer->tree().FindProperty(sites[i].spec, property);
    if (spec != kNoSpec) result.push_back({sites[i].layer, spec, i});
  }
  return result;
}

Value ComposeField(const std::vector<FieldSite>& sites, Token field, const Value* fallback,
                   const FinishField& finish) {
  std::vector<Value> dictionaries;
  const ListOpType* list_op = nullptr;
  std::vector<Value> ops;
  for (const FieldSite& site : sites) {
    Value value = site.layer->Get(site.spec, field);
    if (value.empty()) continue;
    value = finish(std::move(value), site);
    if (dictionaries.empty() &&
        !list_op) {  // the strongest opinion decides what kind of field it is
      const Dictionary* dictionary = value.Get<Dictionary>();
      list_op = FindListOpType(value);
      if (!dictionary && !list_op) return value;
      if (dictionary) dictionaries.push_back(value);
    } else if (!dictionaries.empty() && value.Is<Dictionary>()) {
      dictionaries.push_back(value);
    }
    if (list_op && value.type() == list_op->type) {
      ops.push_back(value);
      if (list_op->is_explicit(value)) return list_op->apply(ops);
    }
  }
  if (list_op) {
    if (fallback && fallback->type() == list_op->type) ops.push_back(*fallback);
    return list_op->apply(ops);
  }
  if (!dictionaries.empty()) {
    if (fallback && fallback->Is<Dictionary>()) dictionaries.push_back(*fallback);
    return MergeDictionaries(std::move(dictionaries));
  }
  if (!fallback) return Value();
  if (const ListOpType* type = FindListOpType(*fallback)) return type->apply({*fallback});
  return *fallback;
}

std::vector<MetadataField> ComposeAllFields(const std::vector<FieldSite>& sites,
                                            const std::vector<std::pair<Token, Value>>* fallbacks,
                                            const FinishField& finish) {
  std::map<Token, const Value*> names;  // to the fallback
  for (const Token name : AuthoredFields(sites)) names[name] = nullptr;
  std::unordered_set<Token> only_schema;
  if (fallbacks) {
    for (const auto& [name, value] : *fallbacks) {
      if (!names.contains(name)) only_schema.insert(name);
      names[name] = &value;
    }
  }
  std::vector<MetadataField> result;
  for (const auto& [name, fallback] : names) {
    if (IsStructuralField(name)) continue;
    result.push_back(
        {name, ComposeField(sites, name, fallback, finish), !only_schema.contains(name)});
  }
  return result;
}

std::vector<Token> AuthoredFields(const std::vector<FieldSite>& sites) {
  std::vector<Token> names;
  for (const FieldSite& site : sites) {
    const std::vector<Token> fields = site.layer->FieldNames(site.spec);
    names.insert(names.end(), fields.begin(), fields.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool IsStructuralField(Token field) {
  static const auto* hidden = [] {
    const FieldTokens& f = Fields();
    return new std::unordered_set<Token>{
        f.primChildren, f.properties,      f.variantChildren, f.variantSetChildren,
        f.references,   f.payload,         f.inheritPaths,    f.specializes,
        f.relocates,    f.layerRelocates,  f.variantSetNames, f.variantSelection,
        f.subLayers,    f.subLayerOffsets, f.specifier,       f.typeName,
        f.variability,  f.custom,          f.default_,        f.timeSamples,
        f.spline,       f.connectionPaths, f.targetPaths,
    };
  }();
  return hidden->contains(field);
}

}  // namespace stagedoor
