#include "tests/tools/geom_dump_skin.h"

#include "scene/skel/pose_cache.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skel_extent.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

void Add(std::string_view key, const Value& value, std::string* out) {
  *out += ',';
  AppendJsonString(key, out);
  *out += ':';
  AppendValueJson(value, out);
}

void AddArray(std::string_view key, const std::optional<Array<Vec3f>>& items, std::string* out) {
  if (items) Add(key, Value(*items), out);
}

std::string Record(RequestContext& context, const SkinningTarget& skin, const std::string& word,
                   PoseCache& poses) {
  const SkinningQuery& prim = *skin.skinned;
  std::string out = "{\"record\":\"skin\",\"path\":";
  AppendJsonString(skin.prim.PathText(), &out);
  out += ",\"time\":";
  AppendJsonString(word, &out);
  Add("skeleton", Value(skin.skeleton.PathText()), &out);
  if (skin.animation.valid()) Add("animationSource", Value(skin.animation.PathText()), &out);
  Add("jointOrder", Value(prim.joint_order()), &out);
  if (prim.is_rigidly_deformed()) out += ",\"rigid\":true";
  const SkinResult result = skin.Deform(context, poses, {});
  if (result.joints) Add("jointXforms", Value(Array<Matrix4d>::FromVector(*result.joints)), &out);
  AddArray("points", result.points, &out);
  AddArray("normals", result.normals, &out);
  if (result.xform) Add("xform", Value(*result.xform), &out);
  return out + "}\n";
}

}  // namespace

ComputeExtentFunction SkelExtents() { return ComputeSkelExtent; }

std::string DumpSkin(RequestContext& context, const Stage& stage,
                     const std::vector<std::pair<std::string, TimeCode>>& times) {
  std::vector<PoseCache> poses;
  for (const auto& [word, time] : times) poses.emplace_back(time);
  std::string out;
  const auto skins = SkelCache::Of(stage).FindBelow(context, stage.PseudoRoot());
  if (!skins.ok()) return out;
  for (const SkinningTarget& skin : *skins) {
    if (!skin.skinned) continue;
    for (size_t i = 0; i < times.size(); ++i) {
      out += Record(context, skin, times[i].first, poses[i]);
    }
  }
  return out;
}

}  // namespace stagedoor
