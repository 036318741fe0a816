#include "tests/tools/imaging_dump_spaces.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "scene/render/render_tokens.h"
#include "scene/render/volume_fields.h"
#include "scene/shade/color_spaces.h"
#include "scene/shade/coord_sys.h"
#include "scene/stage/collection.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

std::string TextOf(Token token) { return std::string(token.text()); }

Json ColorSpaceOf(ColorSpaces& spaces, const Prim& prim, Token name) {
  Json record = Json::array({TextOf(name)});
  if (const ColorSpaceDefinition* found = spaces.FindDefinition(prim, name)) {
    record.push_back({found->red[0], found->red[1]});
    record.push_back(found->gamma);
    record.push_back(found->linear_bias);
  }
  return record;
}

Json CoordSysOf(RequestContext& context, const Prim& prim) {
  Json list = Json::array();
  CoordSysBindings bindings(context);
  const CoordSysBindings::List* found = bindings.Find(prim);
  for (const CoordSysBinding& b : found == nullptr ? CoordSysBindings::List() : *found) {
    list.push_back({TextOf(b.name), b.relationship.ToString(), b.target.ToString()});
  }
  return list;
}

Json FieldsOf(RequestContext& context, const Prim& volume, const std::vector<TimeCode>& times) {
  Json list = Json::array();
  for (const VolumeField& field : VolumeFieldsOf(context, volume)) {
    Json samples = Json::array();
    const Prim prim = volume.stage().FindPrim(field.path);
    for (const TimeCode time : prim.valid() ? times : std::vector<TimeCode>()) {
      const VolumeFieldSample s = VolumeFieldQuery(context, prim).At(context, time);
      samples.push_back(
          {s.file.evaluated.empty() ? s.file.authored : s.file.evaluated, !s.file.resolved.empty(),
           TextOf(s.name), s.index ? Json(*s.index) : Json(), TextOf(s.data_type),
           TextOf(s.vector_data_role_hint), TextOf(s.field_class), TextOf(s.field_purpose)});
    }
    list.push_back({TextOf(field.name), field.path.ToString(), samples});
  }
  return list;
}

Json MembersOf(RequestContext& context, const Prim& prim) {
  Json list = Json::array();
  for (const Collection& collection : Collection::AllOf(prim)) {
    const CollectionMembershipQuery query = collection.ComputeMembershipQuery(context);
    Json members = Json::array();
    for (const Prim& any : prim.stage().Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
      const Path path = any.path();
      if (query.Includes(path)) members.push_back(path.ToString());
      for (const Token name : any.PropertyNames()) {
        const Path property = path.AppendProperty(name);
        if (query.Includes(property)) members.push_back(property.ToString());
      }
    }
    list.push_back({TextOf(collection.name()), members});
  }
  return list;
}

}  // namespace

void PrintSpaces(RequestContext& context, const Prim& prim, const std::vector<TimeCode>& times) {
  ColorSpaces spaces(context);
  Json attributes = Json::array();
  for (const Token name : prim.PropertyNames()) {
    const Attribute attribute = prim.GetAttribute(name);
    if (!attribute.valid() || attribute.TypeName().text() != "color3f") continue;
    attributes.push_back({TextOf(name), ColorSpaceOf(spaces, prim, spaces.NameOf(attribute))});
  }
  Json record = {{"record", "spaces"},
                 {"path", prim.PathText()},
                 {"coordSys", CoordSysOf(context, prim)},
                 {"colorSpace", ColorSpaceOf(spaces, prim, spaces.NameOf(prim))},
                 {"colorSpaces", attributes},
                 {"members", MembersOf(context, prim)}};
  if (prim.IsA(Render().Volume)) record["fields"] = FieldsOf(context, prim, times);
  std::cout << record.dump() << "\n";
}

}  // namespace stagedoor
