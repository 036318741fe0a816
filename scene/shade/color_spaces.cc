#include "scene/shade/color_spaces.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/strings.h"
#include "scene/shade/shade_tokens.h"

namespace stagedoor {
namespace {

constexpr std::string_view kDefinitionSchema = "ColorSpaceDefinitionAPI:";
constexpr size_t kBytesPerNamedPrim = 64;    // an entry of the map
constexpr size_t kBytesPerDefinition = 160;  // a node of the map
constexpr int64_t kStepsPerDefinition = 16;

// The names of the Color Interop Forum, short and long, and GfColorSpace's own.
constexpr std::string_view kStandardNames[] = {
    "lin_ap1_scene",
    "ACEScg",
    "lin_ap0_scene",
    "ACES2065-1",
    "lin_rec709_scene",
    "Linear Rec.709 (sRGB)",
    "lin_p3d65_scene",
    "Linear P3-D65",
    "lin_rec2020_scene",
    "Linear Rec.2020",
    "lin_adobergb_scene",
    "Linear AdobeRGB",
    "lin_ciexyzd65_scene",
    "CIE XYZ-D65 - Scene-referred",
    "srgb_rec709_scene",
    "sRGB Encoded Rec.709 (sRGB)",
    "g24_rec709_scene",
    "Gamma 2.4 Encoded Rec.709",
    "g22_rec709_scene",
    "Gamma 2.2 Encoded Rec.709",
    "g18_rec709_scene",
    "Gamma 1.8 Encoded Rec.709",
    "srgb_ap1_scene",
    "sRGB Encoded AP1",
    "g22_ap1_scene",
    "Gamma 2.2 Encoded AP1",
    "srgb_p3d65_scene",
    "sRGB Encoded P3-D65",
    "g22_adobergb_scene",
    "Gamma 2.2 Encoded AdobeRGB",
    "identity",
    "Identity",
    "data",
    "Data",
    "raw",
    "Raw",
    "unknown",
    "Unknown",
};

Token PropertyOf(Token instance, std::string_view property) {
  return Token(Concat("colorSpaceDefinition:", instance.text(), ":", property));
}

// The value of an attribute at default time, if it has one of this type.
template <typename T>
std::optional<T> ValueAtDefault(RequestContext& context, const Prim& prim, Token name) {
  const Attribute attribute = prim.GetAttribute(name);
  if (!attribute.valid()) return std::nullopt;
  const Value value = attribute.Get(context, TimeCode::Default());
  const T* held = value.Get<T>();
  return held == nullptr ? std::nullopt : std::optional<T>(*held);
}

}  // namespace

bool IsStandardColorSpace(Token name) {
  static const auto* names = [] {
    auto* set = new std::unordered_set<std::string_view>;
    set->insert(std::begin(kStandardNames), std::end(kStandardNames));
    return set;
  }();
  return names->count(name.text()) != 0;
}

Token ColorSpaces::NameOf(const Prim& prim) {
  chain_.clear();
  Token name;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!pacer_.Go()) return Token();
    const auto known = names_.find(at);
    if (known != names_.end()) {
      name = known->second;
      break;
    }
    chain_.push_back(at);
    if (const auto own = OwnName(at)) {
      name = *own;
      break;
    }
  }
  for (const Prim& below : chain_) {
    if (!reserved_.Grow(kBytesPerNamedPrim, "color spaces").ok()) return Token();
    names_.emplace(below, name);
  }
  return name;
}

Token ColorSpaces::NameOf(const Attribute& attribute) {
  const Token field = Shade().colorSpace;
  const auto metadata = [&] {
    const Value value = attribute.Metadata(context_, field);
    const Token* name = value.Get<Token>();
    return name == nullptr ? Token() : *name;
  };
  if (attribute.HasAuthoredMetadata(field)) return metadata();
  const Token name = NameOf(attribute.prim());
  return name.empty() ? metadata() : name;
}

std::optional<Token> ColorSpaces::OwnName(const Prim& prim) {
  if (!prim.HasApi(Shade().ColorSpaceAPI)) return std::nullopt;
  const auto name = ValueAtDefault<Token>(context_, prim, Shade().colorSpace_name);
  if (!name || name->empty()) return std::nullopt;
  if (IsStandardColorSpace(*name) || FindDefinition(prim, *name) != nullptr) return name;
  if (unknown_.size() < kMaxUnknown) {
    unknown_.push_back(prim.path().AppendProperty(Shade().colorSpace_name));
  }
  return Token();
}

const ColorSpaceDefinition* ColorSpaces::FindDefinition(const Prim& prim, Token name) {
  if (name.empty() || IsStandardColorSpace(name)) return nullptr;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!pacer_.Go()) return nullptr;
    if (!at.HasApi(Shade().ColorSpaceDefinitionAPI)) continue;
    for (const Token schema : at.AppliedSchemas()) {
      if (!schema.text().starts_with(kDefinitionSchema)) continue;
      if (!pacer_.Go(kStepsPerDefinition)) return nullptr;
      const Token instance(schema.text().substr(kDefinitionSchema.size()));
      if (ValueAtDefault<Token>(context_, at, PropertyOf(instance, "name")) != name) continue;
      const auto [it, is_new] = definitions_.try_emplace({at.path(), instance});
      if (is_new) it->second = ReadDefinition(at, instance, name);
      if (is_new && !reserved_.Grow(kBytesPerDefinition, "color spaces").ok()) return nullptr;
      return &it->second;
    }
  }
  return nullptr;
}

ColorSpaceDefinition ColorSpaces::ReadDefinition(const Prim& prim, Token instance, Token name) {
  ColorSpaceDefinition definition{.name = name, .prim = prim.path()};
  const auto read = [&]<typename T>(std::string_view property, T* out) {
    *out = ValueAtDefault<T>(context_, prim, PropertyOf(instance, property)).value_or(*out);
  };
  read("redChroma", &definition.red);
  read("greenChroma", &definition.green);
  read("blueChroma", &definition.blue);
  read("whitePoint", &definition.white);
  read("gamma", &definition.gamma);
  read("linearBias", &definition.linear_bias);
  return definition;
}

}  // namespace stagedoor
