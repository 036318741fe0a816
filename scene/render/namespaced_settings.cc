#include "scene/render/namespaced_settings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/pacer.h"
#include "scene/shade/connections.h"
#include "scene/shade/value_producers.h"

namespace stagedoor {
namespace {

// Whether the namespace of an attribute is asked for.
bool IsSelected(Token attribute, const std::vector<std::string>& namespaces) {
  const std::string_view name = IsOutput(attribute) ? BaseName(attribute) : attribute.text();
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) return false;
  return namespaces.empty() ||
         std::find(namespaces.begin(), namespaces.end(), name.substr(0, colon)) != namespaces.end();
}

// The prims that produce an output. As in OpenUSD, an output that has a value and no connection
// produces itself.
std::vector<Path> ProducersOf(RequestContext& context, const Attribute& output) {
  ConnectionProblems problems(context);
  std::vector<Path> prims;
  for (const Attribute& producer :
       ValueProducers(context, problems).Find(output, /*outputs_only=*/false)) {
    prims.push_back(producer.prim().path());
  }
  return prims;
}

Value SettingOf(RequestContext& context, const Attribute& attribute) {
  if (IsOutput(attribute.name())) {
    std::vector<Path> prims = ProducersOf(context, attribute);
    if (!prims.empty()) return Value(std::move(prims));
  }
  return attribute.Get(context, TimeCode::Default());
}

}  // namespace

std::vector<NamespacedSetting> ComputeNamespacedSettings(
    RequestContext& context, const Prim& prim, const std::vector<std::string>& namespaces) {
  std::vector<NamespacedSetting> settings;
  Pacer pacer(context);
  for (const Token name : prim.AuthoredPropertyNames()) {
    if (!pacer.Go()) break;
    const Property property = prim.GetProperty(name);
    if (!property.is_attribute()) {
      settings.push_back({name, Value(Relationship(property).Targets(context))});
    } else if (IsSelected(name, namespaces)) {
      Value value = SettingOf(context, Attribute(property));
      if (!value.empty()) settings.push_back({name, std::move(value)});
    }
  }
  std::sort(settings.begin(), settings.end(),
            [](const NamespacedSetting& a, const NamespacedSetting& b) {
              return a.name.text() < b.name.text();
            });
  return settings;
}

}  // namespace stagedoor
