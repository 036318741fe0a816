#include "scene/shade/node_definition.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/pacer.h"
#include "base/strings.h"
#include "scene/shade/shade_tokens.h"
#include "scene/stage/property.h"
#include "scene/values/asset_path.h"

namespace stagedoor {
namespace {

constexpr std::string_view kInfo = "info:";

Value DefaultOf(RequestContext& context, const Prim& prim, Token name) {
  const Attribute attribute = prim.GetAttribute(name);
  return attribute.valid() ? attribute.Get(context, TimeCode::Default()) : Value();
}

Token TokenOf(RequestContext& context, const Prim& prim, Token name) {
  const Value value = DefaultOf(context, prim, name);
  const Token* token = value.Get<Token>();
  return token == nullptr ? Token() : *token;
}

// The type of "info:TYPE:KIND", which has no colons; empty for "info:KIND". Nothing if the name is
// neither.
std::optional<std::string_view> SourceType(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kInfo) || !name.ends_with(kind)) return std::nullopt;
  std::string_view type = name.substr(kInfo.size());
  type.remove_suffix(kind.size());
  if (type.empty()) return type;
  if (!type.ends_with(':')) return std::nullopt;
  type.remove_suffix(1);
  if (type.empty() || type.find(':') != type.npos) return std::nullopt;
  return type;
}

Token SubIdentifier(RequestContext& context, const Prim& prim, std::string_view source_name) {
  const auto name = Token::Find(Concat(source_name, ":subIdentifier"));
  if (name && prim.GetAttribute(*name).valid()) return TokenOf(context, prim, *name);
  const auto shared = Token::Find("info:sourceAsset:subIdentifier");
  return shared ? TokenOf(context, prim, *shared) : Token();
}

void ReadSources(RequestContext& context, const Prim& prim, NodeDefinition* definition) {
  const bool is_asset = definition->implementation_source == Shade().sourceAsset;
  Pacer pacer(context);
  for (const Token name : prim.AuthoredPropertyNames()) {
    if (!pacer.Go()) return;
    const auto type = SourceType(name.text(), definition->implementation_source.text());
    if (!type || !prim.GetAttribute(name).valid()) continue;
    NodeSource source{.type = std::string(*type)};
    Value value = DefaultOf(context, prim, name);
    const bool fits =
        is_asset ? value.Get<AssetPath>() != nullptr : value.Get<std::string>() != nullptr;
    if (fits) source.source = std::move(value);
    if (is_asset) source.sub_identifier = SubIdentifier(context, prim, name.text());
    auto& sources = definition->sources;
    sources.insert(type->empty() ? sources.begin() : sources.end(), std::move(source));
  }
}

}  // namespace

NodeDefinition ReadNodeDefinition(RequestContext& context, const Prim& prim) {
  const ShadeTokens& tokens = Shade();
  NodeDefinition definition;
  definition.implementation_source = TokenOf(context, prim, tokens.info_implementationSource);
  if (definition.implementation_source == tokens.sourceAsset ||
      definition.implementation_source == tokens.sourceCode) {
    ReadSources(context, prim, &definition);
  } else {
    definition.implementation_source = tokens.id;
    definition.id = TokenOf(context, prim, tokens.info_id);
  }
  return definition;
}

}  // namespace stagedoor
