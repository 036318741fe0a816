#include "scene/stage/collection_predicate_library.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "scene/paths/path_pattern.h"
#include "scene/schema/prim_definition.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// The kinds of OpenUSD's KindRegistry and their base kinds.
constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
    {"model", ""},         {"component", "model"}, {"group", "model"},
    {"assembly", "group"}, {"subcomponent", ""},
};

bool KindExists(std::string_view kind) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const auto& entry) { return entry.first == kind; });
}

bool KindIsA(std::string_view kind, std::string_view base) {
  while (kind != base) {
    const auto entry = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](const auto& e) { return e.first == kind; });
    if (entry == std::end(kKinds) || entry->second.empty()) return false;
    kind = entry->second;
  }
  return KindExists(kind);
}

std::optional<bool> AsBool(const PredicateArgument& argument) {
  if (const bool* value = std::get_if<bool>(&argument.value)) return *value;
  if (const int64_t* value = std::get_if<int64_t>(&argument.value)) return *value != 0;
  if (const double* value = std::get_if<double>(&argument.value)) return *value != 0;
  return std::nullopt;
}

const std::string* AsText(const PredicateArgument& argument) {
  return std::get_if<std::string>(&argument.value);
}

// The positional arguments that are texts.
std::vector<std::string_view> Names(const PredicateCall& call) {
  std::vector<std::string_view> names;
  for (const PredicateArgument& argument : call.arguments) {
    const std::string* text = AsText(argument);
    if (argument.key.empty() && text) names.push_back(*text);
  }
  return names;
}

const PredicateArgument* FindKey(const PredicateCall& call, std::string_view key) {
  const auto it = std::find_if(call.arguments.begin(), call.arguments.end(),
                               [&](const PredicateArgument& a) { return a.key == key; });
  return it == call.arguments.end() ? nullptr : &*it;
}

// The value of the first argument `strict`. As in OpenUSD, a text is true if it starts with "y",
// "Y" or "1"; an integer is true only if it is 1, because OpenUSD's text form of an expression
// writes true so.
bool IsStrict(const PredicateCall& call) {
  const PredicateArgument* strict = FindKey(call, "strict");
  if (!strict) return false;
  if (const std::string* text = AsText(*strict)) return text->find_first_of("yY1") == 0;
  const int64_t* number = std::get_if<int64_t>(&strict->value);
  const bool* value = std::get_if<bool>(&strict->value);
  return number ? *number == 1 : value && *value;
}

std::optional<Specifier> ParseSpecifier(std::string_view word) {
  if (word == "def") return Specifier::kDef;
  if (word == "over") return Specifier::kOver;
  if (word == "class") return Specifier::kClass;
  return std::nullopt;
}

struct Flag {
  std::string_view function;
  std::string_view key;
  bool (Prim::*test)() const;
};
constexpr Flag kFlags[] = {
    {"abstract", "isAbstract", &Prim::IsAbstract},
    {"defined", "isDefined", &Prim::IsDefined},
    {"model", "isModel", &Prim::IsModel},
    {"group", "isGroup", &Prim::IsGroup},
};

const Flag* FindFlag(std::string_view function) {
  const auto it = std::find_if(std::begin(kFlags), std::end(kFlags),
                               [&](const Flag& flag) { return flag.function == function; });
  return it == std::end(kFlags) ? nullptr : it;
}

// Arguments under other names are ignored, as in OpenUSD.
bool FlagHolds(const Prim& prim, const Flag& flag, const PredicateCall& call) {
  bool wanted = true;
  for (const PredicateArgument& argument : call.arguments) {
    if (argument.key.empty() || argument.key == flag.key) {
      wanted = AsBool(argument).value_or(true);
    }
  }
  return (prim.*flag.test)() == wanted;
}

bool KindHolds(const Prim& prim, const PredicateCall& call) {
  const Token kind = prim.kind();
  const bool strict = IsStrict(call);
  for (const std::string_view name : Names(call)) {
    if (strict ? kind.text() == name : KindIsA(kind.text(), name)) return true;
  }
  return false;
}

bool IsAHolds(const Prim& prim, const PredicateCall& call) {
  const bool strict = IsStrict(call);
  for (const std::string_view name : Names(call)) {
    // A name that was never interned cannot be that of a registered schema.
    const std::optional<Token> type = Token::Find(name);
    if (!type || !prim.definition()) continue;
    if (strict ? prim.definition()->type_name() == *type : prim.IsA(*type)) return true;
  }
  return false;
}

bool HasApiHolds(const Prim& prim, const PredicateCall& call) {
  const PredicateArgument* instance = FindKey(call, "instanceName");
  const std::string* instance_name = instance ? AsText(*instance) : nullptr;
  if (!prim.definition()) return false;
  for (const std::string_view name : Names(call)) {
    for (const auto& applied : prim.definition()->applied_schemas()) {
      if (applied.schema.text() != name) continue;
      if (!instance_name || applied.instance.text() == *instance_name) return true;
    }
  }
  return false;
}

bool VariantHolds(const Prim& prim, const PredicateCall& call) {
  const VariantSelections selections = prim.index().index->variant_selections();
  return std::all_of(call.arguments.begin(), call.arguments.end(), [&](const PredicateArgument& a) {
    const auto set = std::find_if(selections.begin(), selections.end(),
                                  [&](const auto& item) { return item.first == a.key; });
    // A prim without the variant set has the empty selection, which "*" matches.
    return MatchesGlob(*AsText(a), set == selections.end() ? std::string() : set->second);
  });
}

}  // namespace

bool IsCollectionPredicate(const PredicateCall& call) {
  if (const Flag* flag = FindFlag(call.function)) {
    return call.arguments.size() <= 1 &&
           std::all_of(call.arguments.begin(), call.arguments.end(), [&](const auto& argument) {
             return !(argument.key.empty() || argument.key == flag->key) || AsBool(argument);
           });
  }
  const std::vector<std::string_view> names = Names(call);
  if (call.function == "kind") return std::any_of(names.begin(), names.end(), KindExists);
  if (call.function == "specifier") {
    return names.size() == call.arguments.size() &&
           std::all_of(names.begin(), names.end(),
                       [](std::string_view name) { return ParseSpecifier(name).has_value(); });
  }
  if (call.function == "isa") return true;
  if (call.function == "hasAPI") {
    const PredicateArgument* instance = FindKey(call, "instanceName");
    return !instance || AsText(*instance);
  }
  if (call.function == "variant") {
    return std::all_of(call.arguments.begin(), call.arguments.end(),
                       [](const auto& a) { return !a.key.empty() && AsText(a); });
  }
  return false;
}

bool EvaluatePrimPredicate(const Prim& prim, const PredicateCall& call) {
  if (!IsCollectionPredicate(call)) return false;
  if (const Flag* flag = FindFlag(call.function)) return FlagHolds(prim, *flag, call);
  if (call.function == "kind") return KindHolds(prim, call);
  if (call.function == "isa") return IsAHolds(prim, call);
  if (call.function == "hasAPI") return HasApiHolds(prim, call);
  if (call.function == "variant") return VariantHolds(prim, call);
  const std::vector<std::string_view> words = Names(call);
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return ParseSpecifier(word) == prim.specifier();
  });
}

bool EvaluatePropertyPredicate(const Prim& prim, const PredicateCall& call) {
  if (call.function != "abstract" && call.function != "defined") return false;
  return EvaluatePrimPredicate(prim, call);
}

}  // namespace stagedoor
