#include "tests/tools/shade_dump_lights.h"

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scene/lux/light_list.h"
#include "scene/lux/light_sets.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

Json PathTexts(const std::vector<Path>& paths) {
  Json texts = Json::array();
  for (const Path path : paths) texts.push_back(path.ToString());
  return texts;
}

Json Describe(RequestContext& context, const Prim& light) {
  Json ids = Json::array();
  for (const std::vector<std::string>& contexts :
       {std::vector<std::string>(), {"ri"}, {"odd", "ri"}}) {
    ids.push_back(std::string(LightShaderId(context, light, contexts).text()));
  }
  Json record = {{"path", light.PathText()},
                 {"ids", ids},
                 {"filters", PathTexts(LightFilters(context, light))},
                 {"portals", PathTexts(LightPortals(context, light))}};
  for (const std::string link : {"lightLink", "shadowLink", "filterLink"}) {
    if (IsLightFilter(light) != (link == "filterLink")) continue;
    const CollectionMembershipQuery query =
        Collection(light, Token(link)).ComputeMembershipQuery(context);
    record["members of " + link] = PathTexts(query.Members(context, PrimFlagsPredicate::Default()));
  }
  return record;
}

// The lights, or the filters, of the stage.
std::vector<Prim> LightsOf(RequestContext& context, const Stage& stage, bool filters) {
  std::vector<Prim> lights;
  for (const Path path :
       ComputeLightList(context, stage.PseudoRoot(), LightListMode::kIgnoreCache)) {
    const Prim prim = stage.FindPrim(path);
    if (IsLightFilter(prim) == filters) lights.push_back(prim);
  }
  return lights;
}

}  // namespace

void PrintLights(RequestContext& context, const Stage& stage) {
  const std::vector<Prim> lights = LightsOf(context, stage, false);
  const std::vector<Prim> filters = LightsOf(context, stage, true);
  for (const auto* some : {&lights, &filters}) {
    for (const Prim& light : *some) std::cout << Describe(context, light).dump() << "\n";
  }
  LightSets by_light(context, lights, Token("lightLink"));
  LightSets by_shadow(context, lights, Token("shadowLink"));
  LightSets by_filter(context, filters, Token("filterLink"));
  for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
    Json record = {{"path", prim.PathText()},
                   {"all", PathTexts(ComputeLightList(context, prim, LightListMode::kIgnoreCache))},
                   {"models", PathTexts(ComputeLightList(
                                  context, prim, LightListMode::kConsultModelHierarchyCache))}};
    const auto link = [&](const char* name, LightSets& sets, const std::vector<Prim>& all) {
      record[name] = Json::array();
      for (const uint32_t light : sets.sets()[sets.Find(prim)]) {
        record[name].push_back(all[light].PathText());
      }
    };
    link("lightLink", by_light, lights);
    link("shadowLink", by_shadow, lights);
    link("filterLink", by_filter, filters);
    std::cout << record.dump() << "\n";
  }
}

}  // namespace stagedoor
