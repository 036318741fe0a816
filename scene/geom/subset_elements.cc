#include "scene/geom/subset_elements.h"

#include <algorithm>

#include "scene/geom/attribute_values.h"
#include "scene/geom/basis_curves.h"
#include "scene/geom/geom_tokens.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// The attribute with an array whose size is the number of elements.
Token CountedAttribute(const Prim& geom, SubsetElementType type) {
  switch (type) {
    case SubsetElementType::kFace:
      return geom.IsA(Geom().TetMesh) ? Geom().surfaceFaceVertexIndices : Geom().faceVertexCounts;
    case SubsetElementType::kPoint:
      return Geom().points;
    case SubsetElementType::kEdge:
      return Geom().faceVertexIndices;
    case SubsetElementType::kSegment:
      return Geom().curveVertexCounts;
    case SubsetElementType::kTetrahedron:
      return Geom().tetVertexIndices;
  }
  return Token();
}

}  // namespace

std::optional<SubsetElementType> ElementTypeOf(const Prim& geom, Token element_type) {
  const GeomTokens& t = Geom();
  const bool mesh = geom.IsA(t.Mesh);
  const bool tets = geom.IsA(t.TetMesh);
  if (element_type == t.point && geom.IsA(t.PointBased)) return SubsetElementType::kPoint;
  if (element_type == t.face && (mesh || tets)) return SubsetElementType::kFace;
  if (element_type == t.edge && mesh) return SubsetElementType::kEdge;
  if (element_type == t.tetrahedron && tets) return SubsetElementType::kTetrahedron;
  if (element_type == t.segment && geom.IsA(t.BasisCurves)) return SubsetElementType::kSegment;
  return std::nullopt;
}

bool SubsetElements::MightVary(RequestContext& context, const Prim& geom, SubsetElementType type) {
  const Attribute attribute = geom.GetAttribute(CountedAttribute(geom, type));
  return attribute.valid() && attribute.Compile(context).MightBeTimeVarying(context);
}

absl::StatusOr<SubsetElements> SubsetElements::Read(RequestContext& context, const Prim& geom,
                                                    SubsetElementType type, TimeCode time) {
  SubsetElements elements(context, type);
  const Token name = CountedAttribute(geom, type);
  switch (type) {
    case SubsetElementType::kPoint:
      elements.count_ = AttributeArray<Vec3f>(context, geom, name, time).size();
      break;
    case SubsetElementType::kTetrahedron:
      elements.count_ = AttributeArray<Vec4i>(context, geom, name, time).size();
      break;
    case SubsetElementType::kFace:
      elements.count_ = geom.IsA(Geom().TetMesh)
                            ? AttributeArray<Vec3i>(context, geom, name, time).size()
                            : AttributeArray<int>(context, geom, name, time).size();
      break;
    case SubsetElementType::kSegment:
      elements.segment_counts_ = ComputeSegmentCounts(context, geom, time, &elements.reserved_);
      for (const int count : elements.segment_counts_) {
        elements.count_ += static_cast<size_t>(std::max(count, 0));
      }
      break;
    case SubsetElementType::kEdge:
      SD_RETURN_IF_ERROR(elements.ReadEdges(context, geom, time));
  }
  SD_RETURN_IF_ERROR(context.Check());
  return elements;
}

absl::Status SubsetElements::ReadEdges(RequestContext& context, const Prim& mesh, TimeCode time) {
  const auto counts = AttributeValueAs<Array<int>>(context, mesh, Geom().faceVertexCounts, time);
  const auto indices = AttributeValueAs<Array<int>>(context, mesh, Geom().faceVertexIndices, time);
  if (!counts || !indices) return absl::OkStatus();
  SD_RETURN_IF_ERROR(reserved_.Grow(indices->size() * sizeof(SubsetElement), "edges"));
  edges_.reserve(indices->size());
  Pacer pacer(context);
  size_t first = 0;
  for (const int count : *counts) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (count <= 0) continue;
    const auto size = static_cast<size_t>(count);
    if (size > indices->size() - first) break;  // vertices are missing
    for (size_t i = 0; i < size; ++i) {
      SD_RETURN_IF_ERROR(pacer.Step());
      const int a = (*indices)[first + i];
      const int b = (*indices)[first + (i + 1 == size ? 0 : i + 1)];
      edges_.emplace_back(std::min(a, b), std::max(a, b));
    }
    first += size;
  }
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  count_ = edges_.size();
  return absl::OkStatus();
}

}  // namespace stagedoor
