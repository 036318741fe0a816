#include "scene/skel/skin_sources.h"

#include <utility>

#include "base/pacer.h"
#include "scene/geom/geom_tokens.h"
#include "scene/skel/blend_shape_reader.h"
#include "scene/skel/skel_tokens.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// Normals without an interpolation are per vertex (UsdGeomPointBased::GetNormalsInterpolation).
NormalsLayout LayoutOfNormals(RequestContext& context, const Prim& prim, const Attribute& normals) {
  const Value value = normals.Metadata(context, Geom().interpolation);
  const Token* token = value.Get<Token>();
  const Token interpolation = token ? *token : Geom().vertex;
  if (interpolation == Geom().vertex || interpolation == Geom().varying) {
    return NormalsLayout::kPoints;
  }
  // Only a Mesh relates face vertices to points. Constant and uniform normals belong to no point.
  const bool corners = interpolation == Geom().faceVarying && prim.IsA(Geom().Mesh);
  return corners ? NormalsLayout::kFaceVertices : NormalsLayout::kNone;
}

void ReadShapes(RequestContext& context, const SkinBinding& binding, const SkeletonQuery& skeleton,
                SkinSources* sources) {
  if (!binding.blend_shapes || !binding.blend_shape_targets.valid()) return;
  const auto names = binding.blend_shapes->GetAs<Array<Token>>(context, TimeCode::Default());
  if (!names) return;
  // skel:blendShapes names the targets one by one; the animation has its weights under these names,
  // in an order of its own.
  const AnimQuery* animation = skeleton.animation();
  sources->to_shapes = AnimMapper(
      animation ? animation->blend_shape_order().span() : std::span<const Token>(), names->span());
  for (const Path& target : binding.blend_shape_targets.Targets()) {
    if (!context.Spend(16).ok()) return;
    sources->shapes.push_back(
        ReadBlendShape(context, binding.prim.stage().FindPrim(target), &sources->warnings));
  }
}

// Repeats the elements of points for their face vertices, `stride` elements per point.
template <typename T>
Array<T> Expanded(Pacer& pacer, const Array<int>& face_vertex_indices, size_t stride,
                  const Array<T>& from) {
  const size_t points = from.size() / stride;
  std::vector<T> to;
  to.reserve(face_vertex_indices.size() * stride);
  const auto steps = static_cast<int64_t>(1 + stride / 16);
  for (const int index : face_vertex_indices) {
    if (!pacer.Go(steps)) break;
    const bool there = index >= 0 && static_cast<size_t>(index) < points;
    const size_t first = there ? static_cast<size_t>(index) * stride : 0;
    to.insert(to.end(), from.begin() + first, from.begin() + first + stride);
  }
  return Array<T>::FromVector(std::move(to));
}

// The memory of an array that nothing else keeps, such as the layer that it was read from.
template <typename T>
size_t OwnBytes(const Array<T>& array) {
  return array.owner() && array.owner()->Unique() ? array.size() * sizeof(T) : 0;
}

}  // namespace

SkinSources SkinSources::Read(RequestContext& context, const SkinBinding& binding,
                              const SkeletonQuery& skeleton) {
  SkinSources sources;
  const Prim& prim = binding.prim;
  SkinArrays& arrays = SkinArrays::Of(prim.stage());
  // Other boundable prims can only be moved as a whole.
  if (prim.IsA(Geom().PointBased)) {
    sources.points = AttributeQuery(context, prim.GetAttribute(Geom().points));
    sources.normals = AttributeQuery(context, prim.GetAttribute(Geom().normals));
    // Normals that are not authored are left to the renderer, which computes them from the points.
    if (sources.normals.HasAuthoredValue()) {
      sources.normals_layout = LayoutOfNormals(context, prim, sources.normals.attribute());
    }
    if (sources.normals_layout == NormalsLayout::kFaceVertices) {
      sources.face_vertex_indices =
          arrays.Prepare(context, prim.GetAttribute(Skel().faceVertexIndices));
    }
  }
  ReadShapes(context, binding, skeleton, &sources);
  return sources;
}

size_t SkinSources::byte_size() const {
  size_t bytes = sizeof(*this);
  for (const BlendShape& shape : shapes) {
    bytes += sizeof(shape) + OwnBytes(shape.point_indices);
    bytes += shape.block_begins.size() * sizeof(shape.block_begins[0]);
    for (const SubShape& sub : shape.sub_shapes) {
      bytes += sizeof(sub) + OwnBytes(sub.offsets) + OwnBytes(sub.normal_offsets);
    }
  }
  return bytes;
}

bool ExpandByFaceVertex(RequestContext& context, const Array<int>& face_vertex_indices,
                        int per_point, Reservation* bytes, Array<int>* indices,
                        Array<float>* weights) {
  const size_t stride = static_cast<size_t>(per_point);
  // Without any influences there is nothing to repeat; SkinningInfluences rejects them later.
  if (indices->size() < stride || weights->size() < stride) return true;
  const size_t corner_bytes = stride * (sizeof(int) + sizeof(float));
  if (!bytes->Grow(face_vertex_indices.size() * corner_bytes, "joint influences").ok()) {
    return false;
  }
  Pacer pacer(context);
  *indices = Expanded(pacer, face_vertex_indices, stride, *indices);
  *weights = Expanded(pacer, face_vertex_indices, stride, *weights);
  return pacer.Go();
}

}  // namespace stagedoor
