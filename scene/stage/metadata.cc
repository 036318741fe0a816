#include "scene/stage/metadata.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/path_expression.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/refused_value.h"
#include "scene/values/rewrite_values.h"

namespace stagedoor {
namespace {

// Applies list ops, weakest first. The work of each is that of the list so far and its own items,
// which may be many even if the resulting list is short.
template <typename T>
Value ApplyListOps(Pacer& pacer, const std::vector<Value>& opinions) {
  std::vector<T> items;
  for (auto it = opinions.rbegin(); it != opinions.rend(); ++it) {
    const auto* op = it->Get<ListOp<T>>();
    if (!op) continue;
    if (!pacer.Go(1 + static_cast<int64_t>(items.size() + op->size()))) break;
    op->ApplyTo(&items);
  }
  return Value(ListOp<T>::Explicit(std::move(items)));
}

// True if no weaker opinion can change the result.
template <typename T>
bool IsExplicit(const Value& value) {
  return value.Get<ListOp<T>>()->is_explicit;
}

struct ListOpType {
  ValueType type;
  bool (*is_explicit)(const Value&);
  Value (*apply)(Pacer&, const std::vector<Value>&);
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

// `value` without references of path expressions to a weaker one ("%_"), as there is none. Like
// OpenUSD, leaves elements of arrays as they are.
Value WithoutWeakerReferences(Value value) {
  if (!value.Is<PathExpressionValue>() && !value.Is<Dictionary>()) return value;
  return RewriteValues(value, [](const Value& held) -> std::optional<Value> {
    const auto* expression = held.Get<PathExpressionValue>();
    if (!expression || expression->text.find("%_") == std::string::npos) return std::nullopt;
    const auto tree = PathExpression::Parse(expression->text);
    if (!tree.ok()) return std::nullopt;
    return Value(PathExpressionValue{tree->ComposeOver(PathExpression()).ToText()});
  });
}

// Composes the opinions of one field, added strongest first. The first one decides how they
// combine: as dictionaries, as list ops, or not at all.
class FieldComposer {
 public:
  explicit FieldComposer(RequestContext& context)
      : context_(context), pacer_(context), reserved_(context) {}

  bool Go() { return pacer_.Go(); }

  // Returns false if no weaker opinion can change the result.
  bool Add(Value value) {
    if (opinions_.empty()) {
      list_op_ = FindListOpType(value);
      is_dictionary_ = value.Is<Dictionary>();
    } else if (value.type() != opinions_.front().type()) {
      return true;  // an opinion of another type is ignored
    }
    const auto* dictionary = value.Get<Dictionary>();
    // Reserve memory, because some layers create the dictionary anew for each caller.
    const bool room = !dictionary || Take(dictionary->size());
    const bool goes_on =
        room && (is_dictionary_ || (list_op_ != nullptr && !list_op_->is_explicit(value)));
    opinions_.push_back(std::move(value));
    return goes_on;
  }

  Value Result() && {
    if (opinions_.empty()) return Value();
    if (list_op_) return list_op_->apply(pacer_, opinions_);
    if (opinions_.size() == 1) return WithoutWeakerReferences(std::move(opinions_.front()));
    std::vector<const Dictionary*> dictionaries;
    for (const Value& value : opinions_) dictionaries.push_back(value.Get<Dictionary>());
    return WithoutWeakerReferences(Value(Dictionary::Merge(context_, dictionaries)));
  }

 private:
  bool Take(size_t entries) {
    return pacer_.Go(1 + static_cast<int64_t>(entries)) &&
           reserved_.Grow(entries * sizeof(Dictionary::Entry), "dictionaries of metadata").ok();
  }

  RequestContext& context_;
  Pacer pacer_;
  Reservation reserved_;
  const ListOpType* list_op_ = nullptr;
  bool is_dictionary_ = false;
  std::vector<Value> opinions_;
};

}  // namespace

std::vector<SpecHandle> PrimSpecHandles(const PrimIndex& index, bool pseudo_root) {
  std::vector<SpecHandle> result;
  const auto sites = index.prim_stack();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    // Sublayers do not contribute layer metadata (Core Specification 12.2.7).
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

std::vector<SpecHandle> PropertySpecHandles(const PrimIndex& index, Token property) {
  std::vector<SpecHandle> result;
  const auto sites = index.prim_stack();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    const SpecId spec = sites[i].layer->tree().FindProperty(sites[i].spec, property);
    if (spec != kNoSpec) result.push_back({sites[i].layer, spec, i});
  }
  return result;
}

Value ComposeField(RequestContext& context, const std::vector<SpecHandle>& sites, Token field,
                   const Value* fallback, const ResolveField& resolve) {
  FieldComposer composer(context);
  bool goes_on = true;
  for (auto site = sites.begin(); goes_on && site != sites.end(); ++site) {
    if (!composer.Go()) return Value();
    Value value = site->layer->Get(site->spec, field);
    if (value.is_invalid()) FailIfRefused(context, value);
    if (!value.empty()) goes_on = composer.Add(resolve(context, std::move(value), *site));
  }
  if (goes_on && fallback) composer.Add(*fallback);
  return std::move(composer).Result();
}

Value StrongestOpinion(const std::vector<SpecHandle>& sites, Token field, const Value* fallback) {
  for (const SpecHandle& site : sites) {
    Value value = site.layer->Get(site.spec, field);
    if (!value.empty()) return value;
  }
  return fallback ? *fallback : Value();
}

std::vector<MetadataField> ComposeAllFields(RequestContext& context,
                                            const std::vector<SpecHandle>& sites,
                                            const std::vector<std::pair<Token, Value>>* fallbacks,
                                            const ResolveField& resolve) {
  std::map<Token, const Value*> names;  // maps each field to its fallback
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
    if (context.failed()) break;
    result.push_back(
        {name, ComposeField(context, sites, name, fallback, resolve), !only_schema.contains(name)});
  }
  return result;
}

std::vector<Token> AuthoredFields(const std::vector<SpecHandle>& sites) {
  std::vector<Token> names;
  for (const SpecHandle& site : sites) {
    const std::vector<Token> fields = site.layer->FieldNames(site.spec);
    names.insert(names.end(), fields.begin(), fields.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool IsStructuralField(Token field) {
  // Never destroyed, so that it can be used during shutdown.
  static const auto* hidden = [] {
    const FieldKeys& f = Fields();
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
