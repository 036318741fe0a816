#include "tests/tools/imaging_dump_skinning.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/skel/packed_shapes.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skin_sources.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

template <typename T>
void PutList(std::string_view name, std::vector<T> items, Record& record) {
  record.Put(name, Value(Array<T>::FromVector(std::move(items))));
}

// The arrays of several shapes, as a list of lists.
class ListOfLists {
 public:
  void Add(const Value& value) {
    if (text_.size() > 1) text_ += ',';
    AppendValueJson(value, &text_);
  }
  std::string Text() const { return text_ + "]"; }

 private:
  std::string text_ = "[";
};

void PutShapes(RequestContext& context, const SkinSources& sources, TimeCode first,
               Record& record) {
  ListOfLists indices, offsets, normals;
  std::vector<int> owners;
  std::vector<Token> inbetweens;
  for (size_t i = 0; i < sources.shapes.size(); ++i) {
    indices.Add(Value(sources.shapes[i].point_indices));
    for (const SubShape& sub : sources.shapes[i].sub_shapes) {
      owners.push_back(static_cast<int>(i));
      inbetweens.push_back(sub.inbetween);
      offsets.Add(Value(sub.offsets));
      normals.Add(Value(sub.normal_offsets));
    }
  }
  PutList("owners", std::move(owners), record);
  PutList("inbetweens", std::move(inbetweens), record);
  record.Json("pointIndices", indices.Text());
  record.Json("offsets", offsets.Text());
  record.Json("normalOffsets", normals.Text());
  const auto points = sources.points.GetAs<Array<Vec3f>>(context, first);
  if (!points) return;
  const auto table = ComputePackedShapeTable(context, sources.shapes, points->size());
  if (!table.ok()) return;
  record.Put("packed", Value(table->offsets));
  record.Put("ranges", Value(table->ranges));
}

void PrintBinding(RequestContext& context, const SkinningTarget& skin, const Times& times) {
  const SkinningQuery& skinned = *skin.skinned;
  Record record("skinning", skin.prim);
  record.Text("skeleton", skin.skeleton.PathText());
  record.Text("method", skinned.skinning_method().text());
  record.Put("joints", Value(skinned.joint_order()));
  if (auto mapping = skinned.JointMapping()) PutList("mapping", *std::move(mapping), record);
  record.Bool("rigid", skinned.is_rigidly_deformed());
  if (skinned.has_joint_influences()) {
    record.Put("size", Value(skinned.influences_per_component()));
    record.Text("interpolation", skinned.has_constant_influences() ? "constant" : "vertex");
  }
  if (skinned.skeleton().has_bind_pose()) {
    PutList("inverseBind", skinned.skeleton().InverseBindTransforms(), record);
  }
  if (skinned.has_blend_shapes()) {
    record.Put("shapes", Value(skinned.BlendShapeOrder(context)));
    PutShapes(context, *skinned.Sources(context), times[0].time, record);
  }
  record.Print();
}

void PutWeights(RequestContext& context, const SkinningQuery& skinned, TimeCode time,
                Record& record) {
  const auto weights = skinned.BlendShapeWeights(context, time);
  if (!weights) return;
  PutList("shapeWeights", *weights, record);
  const auto active = ComputeSubShapeWeights(skinned.Sources(context)->shapes, *weights);
  if (!active) return;
  std::vector<int> firsts;
  int count = 0;
  for (const BlendShape& shape : skinned.Sources(context)->shapes) {
    firsts.push_back(count);
    count += static_cast<int>(shape.sub_shapes.size());
  }
  std::vector<float> sub_weights;
  std::vector<int> shapes, subs;
  for (const SubShapeWeight& sub : *active) {
    sub_weights.push_back(sub.weight);
    shapes.push_back(static_cast<int>(sub.shape));
    subs.push_back(firsts[sub.owner] + static_cast<int>(sub.sub_shape));
  }
  PutList("subWeights", std::move(sub_weights), record);
  PutList("weightedShapes", std::move(shapes), record);
  PutList("weightedSubs", std::move(subs), record);
}

void PrintSkinTime(RequestContext& context, const SkinningTarget& skin, const NamedTime& at) {
  const SkinningQuery& skinned = *skin.skinned;
  Record record("skinning", skin.prim);
  record.Text("time", at.name);
  Array<int> indices;
  Array<float> weights;
  if (skinned.JointInfluences(context, at.time, &indices, &weights)) {
    record.Put("indices", Value(indices));
    record.Put("weights", Value(weights));
  }
  record.Put("geomBind", Value(skinned.GeomBindTransform(context, at.time)));
  auto joints = skinned.skeleton().SkinningTransforms(context, at.time);
  if (joints) PutList("transforms", *std::move(joints), record);
  PutWeights(context, skinned, at.time, record);
  record.Print();
}

}  // namespace

bool PrintSkinningData(RequestContext& context, const Stage& stage, const Times& times) {
  const auto skins = SkelCache::Of(stage).FindBelow(context, stage.PseudoRoot());
  if (!skins.ok() || times.empty()) return false;
  for (const SkinningTarget& skin : *skins) {
    if (!skin.skinned) continue;
    PrintBinding(context, skin, times);
    for (const NamedTime& time : times) PrintSkinTime(context, skin, time);
  }
  return true;
}

}  // namespace stagedoor
