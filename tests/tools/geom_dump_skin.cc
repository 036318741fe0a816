#include "tests/tools/geom_dump_skin.h"

#include <map>
#include <set>

#include "scene/geom/xform_cache.h"
#include "scene/skel/skel_extent.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skinned_prim.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

void Add(std::string_view key, const Value& value, std::string* out) {
  *out += ",";
  AppendJsonString(key, out);
  *out += ":";
  AppendValueJson(value, out);
}

template <typename T>
void AddArray(std::string_view key, const std::optional<std::vector<T>>& items, std::string* out) {
  if (items) Add(key, Value(Array<T>::FromVector(*items)), out);
}

std::string Record(RequestContext& context, const SkinnedPrim& prim, const std::string& word,
                   XformCache& xforms) {
  std::string out = "{\"record\":\"skin\",\"path\":";
  AppendJsonString(prim.binding().prim.path().ToString(), &out);
  out += ",\"time\":";
  AppendJsonString(word, &out);
  Add("skeleton", Value(prim.skeleton().prim().path().ToString()), &out);
  if (prim.skeleton().animation()) {
    Add("animationSource", Value(prim.skeleton().animation()->prim().path().ToString()), &out);
  }
  Add("jointOrder", Value(prim.joint_order()), &out);
  if (prim.is_rigid()) out += ",\"rigid\":true";
  const SkinResult result = prim.Deform(context, xforms, {});
  AddArray("jointXforms", result.joints, &out);
  AddArray("points", result.points, &out);
  AddArray("normals", result.normals, &out);
  if (result.xform) Add("xform", Value(*result.xform), &out);
  return out + "}\n";
}

}  // namespace

ExtentFunction SkelExtents() { return ComputeSkelExtent; }

std::string DumpSkin(RequestContext& context, const Stage& stage,
                     const std::vector<std::pair<std::string, Time>>& times) {
  std::map<Path, std::shared_ptr<const Skeleton>> skeletons;
  std::set<Path> done;
  std::vector<XformCache> xforms;
  for (const auto& [word, time] : times) xforms.emplace_back(time);
  std::string out;
  for (const Prim& root : stage.Traverse(PrimPredicate::Default().WithInstanceProxies())) {
    if (!root.IsA(Skel().SkelRoot)) continue;
    for (SkinBinding& binding : FindSkinBindings(context, root)) {
      if (!done.insert(binding.prim.path()).second) continue;
      const Path path = binding.skeleton.path();
      if (!skeletons.contains(path)) {
        skeletons[path] = Skeleton::Compile(context, binding.skeleton).value_or(nullptr);
      }
      if (!skeletons[path]) continue;
      const auto prim = SkinnedPrim::Compile(context, std::move(binding), skeletons[path]);
      for (size_t i = 0; i < times.size(); ++i) {
        out += Record(context, *prim, times[i].first, xforms[i]);
      }
    }
  }
  return out;
}

}  // namespace stagedoor
