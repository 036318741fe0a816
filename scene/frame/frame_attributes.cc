// The attributes of a frame's geometry and lights.
#include "scene/frame/frame_attributes.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "base/pacer.h"
#include "scene/frame/frame_sources.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/primvar.h"
#include "scene/lux/light_list.h"
#include "scene/schema/prim_definition.h"
#include "scene/stage/property.h"

namespace stagedoor {
namespace {

constexpr int64_t kStepsPerAttribute = 16;
constexpr std::string_view kLightInputs = "inputs:";
constexpr std::string_view kLightNames = "light:";

bool IsNamed(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Neither where a prim is and whether it is drawn, nor what is sent otherwise, nor expressions,
// whose paths are those of one instance.
bool IsPlainAttribute(Token name) {
  return !(name == Geom().xformOpOrder) && !(name == Geom().visibility) &&
         !(name == Geom().purpose) &&
         !IsNamed(name.text(), {"primvars:", "xformOp:", "collection:", "subsetFamily:"});
}

// An attribute of a light that is a gprim. Others have more; see IsOfLight.
bool IsOfLightSchema(Token name) {
  return IsNamed(name.text(), {kLightInputs, kLightNames, "lightFilter:"});
}

bool HasValueAtSomeTime(const AttributeQuery& query) {
  return query.numeric().kind() != ResolveInfoSource::kNone ||
         query.SourceFor(TimeCode::Default()).kind() != ResolveInfoSource::kNone;
}

// Lists attributes of one prim in property order.
class AttributeLister {
 public:
  // With `only_varying`, those that may vary.
  AttributeLister(RequestContext& context, const Prim& prim, bool only_varying)
      : context_(context), pacer_(context), prim_(prim), only_varying_(only_varying) {}

  // Adds those whose names `accepts` accepts; only those of the prim's schemas, and others for
  // whose names `is_free` is true.
  template <typename Accepts, typename IsFree>
  void AddNamed(const Accepts& accepts, const IsFree& is_free) {
    // Without an opinion an attribute has its fallback at all times, unless it is in clips.
    const bool has_clips = prim_.clips() != nullptr;
    const auto authored = prim_.index().index->property_names();
    const std::vector<Token> names =
        only_varying_ && !has_clips ? prim_.AuthoredPropertyNames() : prim_.PropertyNames();
    for (const Token name : names) {
      if (!pacer_.Go()) return;
      if (!accepts(name)) continue;
      const PropertyDefinition* builtin =
          prim_.definition() ? prim_.definition()->FindProperty(name) : nullptr;
      if (builtin == nullptr && !is_free(name)) continue;
      const bool is_authored =
          has_clips || std::find(authored.begin(), authored.end(), name) != authored.end();
      Add(name, builtin, is_authored);
    }
  }

  void AddPrimvar(const Primvar& primvar, bool flattened) {
    if (!pacer_.Go(kStepsPerAttribute)) return;
    FrameAttribute attribute{.kind = FrameAttribute::Kind::kPrimvar,
                             .name = primvar.attribute().name(),
                             .query = AttributeQuery(context_, primvar.attribute()),
                             .primvar = primvar,
                             .flattened = flattened};
    attribute.varies = Varies(attribute);
    if (attribute.varies || !only_varying_) found_.push_back(std::move(attribute));
  }

  // Sets the geometry of the attributes, for points and normals.
  void SetGeometry(const FrameGeometry& geometry) { geometry_ = &geometry; }

  std::vector<FrameAttribute> Take() { return std::move(found_); }

 private:
  void Add(Token name, const PropertyDefinition* builtin, bool is_authored) {
    if (!pacer_.Go(is_authored ? kStepsPerAttribute : 1)) return;
    if (builtin != nullptr && !builtin->is_attribute()) return;
    const Attribute handle = prim_.GetAttribute(name);
    if (!handle.valid() || handle.TypeName().text().starts_with("pathExpression")) return;
    FrameAttribute attribute{.name = name};
    if (is_authored || builtin == nullptr) {
      attribute.query = AttributeQuery(context_, handle);
      if (!HasValueAtSomeTime(attribute.query)) return;
    } else {
      if (builtin->fallback.empty() || builtin->fallback.is_block()) return;
      attribute.query = AttributeQuery(handle, builtin->fallback);
    }
    attribute.kind = KindOf(name);
    attribute.varies = Varies(attribute);
    if (attribute.varies || !only_varying_) found_.push_back(std::move(attribute));
  }

  FrameAttribute::Kind KindOf(Token name) const {
    if (name == Geom().points && prim_.IsA(Geom().PointBased)) return FrameAttribute::Kind::kPoints;
    const bool are_skinned =
        name == Geom().normals && geometry_ != nullptr && geometry_->skin &&
        geometry_->skin->skinned->Sources(context_)->normals_layout != NormalsLayout::kNone;
    return are_skinned ? FrameAttribute::Kind::kNormals : FrameAttribute::Kind::kPlain;
  }

  bool Varies(const FrameAttribute& attribute) {
    static const FrameGeometry kNone;
    const FrameGeometry& geometry = geometry_ ? *geometry_ : kNone;
    VaryingSources sources;
    if (!AddExactSources(context_, geometry, attribute, &sources).ok()) return true;
    return sources.any() || (geometry_ && IsAdvanced(context_, geometry, attribute));
  }

  RequestContext& context_;
  Pacer pacer_;
  const Prim& prim_;
  const bool only_varying_;
  const FrameGeometry* geometry_ = nullptr;
  std::vector<FrameAttribute> found_;
};

// The primvars that the prim authors and, with `inherits`, those that it inherits.
std::vector<Primvar> FindPrimvars(RequestContext& context, const Prim& prim, bool inherits,
                                  const std::function<bool(Token)>& is_wanted) {
  if (inherits) return FindPrimvarsWithInheritance(context, prim, is_wanted);
  std::vector<Primvar> primvars;
  Pacer pacer(context);
  for (const Token name : prim.AuthoredPropertyNames()) {
    if (!pacer.Go()) break;
    if (!Primvar::IsPrimvarName(name.text()) || !is_wanted(name)) continue;
    const Attribute attribute = prim.GetAttribute(name);
    if (attribute.HasAuthoredValue(context)) primvars.emplace_back(attribute);
  }
  return primvars;
}

bool IsSelectedPrimvar(Pacer& pacer, const FrameSelection& selection, const Primvar& primvar) {
  const std::vector<std::string>& names = selection.primvars;
  if (names.empty()) return true;
  return pacer.Go(static_cast<int64_t>(1 + names.size() / 8)) &&
         std::find(names.begin(), names.end(), primvar.name()) != names.end();
}

struct ListOptions {
  bool inherits = true;          // also primvars of ancestors
  bool only_varying = false;     // those that may vary
  std::span<const Token> names;  // those with these names; none: all

  bool Names(Token name) const {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
  bool NamesPrimvars() const {
    return names.empty() || std::any_of(names.begin(), names.end(), [](Token name) {
             return Primvar::IsPrimvarName(name.text());
           });
  }
};

std::vector<FrameAttribute> ListAttributes(RequestContext& context, const FrameSelection& selection,
                                           const FrameGeometry& geometry,
                                           const ListOptions& options) {
  const auto never = [](Token) { return false; };
  const Prim& prim = geometry.prim;
  AttributeLister lister(context, prim, options.only_varying);
  lister.SetGeometry(geometry);
  if (geometry.is_stand_in) {
    const auto is_of_model = [&](Token name) {
      return options.Names(name) &&
             (name == Geom().extentsHint || name.text().starts_with("model:"));
    };
    lister.AddNamed(is_of_model, is_of_model);
    return lister.Take();
  }
  // An instancer's arrays are in its instances.
  if (!geometry.is_instancer) {
    const bool is_light = IsLight(prim);
    const auto is_of_geometry = [&](Token name) {
      return options.Names(name) && IsPlainAttribute(name) && !selection.LeavesOut(name) &&
             !(is_light && IsOfLightSchema(name));
    };
    lister.AddNamed(is_of_geometry, never);
  }
  if (!options.NamesPrimvars()) return lister.Take();
  Pacer pacer(context);
  const auto is_wanted = [&](Token name) {
    return options.Names(name) && !selection.LeavesOut(name);
  };
  for (const Primvar& primvar : FindPrimvars(context, prim, options.inherits, is_wanted)) {
    if (!IsSelectedPrimvar(pacer, selection, primvar)) continue;
    lister.AddPrimvar(primvar, selection.flatten_primvars);
  }
  return lister.Take();
}

std::vector<FrameAttribute> ListAttributes(RequestContext& context, const FrameLight& light,
                                           bool only_varying) {
  AttributeLister lister(context, light.prim, only_varying);
  const bool is_gprim = light.prim.IsA(Geom().Gprim);
  lister.AddNamed(
      [&](Token name) { return is_gprim ? IsOfLightSchema(name) : IsPlainAttribute(name); },
      [](Token name) { return name.text().starts_with(kLightInputs); });
  return lister.Take();
}

}  // namespace

std::vector<FrameAttribute> FrameAttributesOf(RequestContext& context,
                                              const FrameSelection& selection,
                                              const FrameGeometry& geometry) {
  return ListAttributes(context, selection, geometry, {});
}

std::vector<FrameAttribute> FrameAttributesOf(RequestContext& context,
                                              const FrameSelection& selection,
                                              const FrameGeometry& geometry,
                                              std::span<const Token> names) {
  if (names.empty()) return {};
  return ListAttributes(context, selection, geometry, {.names = names});
}

std::vector<FrameAttribute> FrameAttributesOf(RequestContext& context, const FrameLight& light) {
  return ListAttributes(context, light, /*only_varying=*/false);
}

std::vector<FrameAttribute> VaryingAttributesOf(RequestContext& context,
                                                const FrameSelection& selection,
                                                const FrameGeometry& geometry, bool inherits) {
  return ListAttributes(context, selection, geometry, {.inherits = inherits, .only_varying = true});
}

std::vector<FrameAttribute> VaryingAttributesOf(RequestContext& context, const FrameLight& light) {
  return ListAttributes(context, light, /*only_varying=*/true);
}

}  // namespace stagedoor
