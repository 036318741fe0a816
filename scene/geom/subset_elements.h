#ifndef STAGEDOOR_SCENE_GEOM_SUBSET_ELEMENTS_H_
#define STAGEDOOR_SCENE_GEOM_SUBSET_ELEMENTS_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// An element: its index and 0; of an edge the indices of its points, the lower one first; of a
// segment the index of the curve and that of the segment in the curve.
using SubsetElement = std::pair<int, int>;

enum class SubsetElementType : unsigned char { kFace, kPoint, kEdge, kSegment, kTetrahedron };

// The type that a token of the attribute elementType names, if prims of the type of `geom` have
// such elements: meshes faces, points and edges, TetMeshes faces, points and tetrahedra,
// BasisCurves points and segments, other PointBased prims points.
std::optional<SubsetElementType> ElementTypeOf(const Prim& geom, Token element_type);

// Whether a subset names an element by two numbers.
constexpr bool IsNamedByPair(SubsetElementType type) {
  return type == SubsetElementType::kEdge || type == SubsetElementType::kSegment;
}

// The elements of a prim that subsets may name: faces, points, edges, segments or tetrahedra.
class SubsetElements {
 public:
  // Errors: those of the context.
  static absl::StatusOr<SubsetElements> Read(RequestContext& context, const Prim& geom,
                                             SubsetElementType type, TimeCode time);
  // Whether the number of elements may depend on the time.
  static bool MightVary(RequestContext& context, const Prim& geom, SubsetElementType type);

  size_t count() const { return count_; }
  // Only of edges, sorted.
  const std::vector<SubsetElement>& edges() const { return edges_; }
  // Only of segments: for each curve.
  const std::vector<int>& segment_counts() const { return segment_counts_; }

  // Calls visit(element), which returns a status, for all elements, sorted. Errors: those of the
  // context and of visit.
  template <typename Visit>
  absl::Status ForEach(RequestContext& context, const Visit& visit) const;

 private:
  SubsetElements(RequestContext& context, SubsetElementType type)
      : type_(type), reserved_(context) {}

  absl::Status ReadEdges(RequestContext& context, const Prim& mesh, TimeCode time);

  SubsetElementType type_;
  size_t count_ = 0;
  std::vector<SubsetElement> edges_;
  std::vector<int> segment_counts_;
  Reservation reserved_;
};

template <typename Visit>
absl::Status SubsetElements::ForEach(RequestContext& context, const Visit& visit) const {
  Pacer pacer(context);
  const auto one = [&](int a, int b) -> absl::Status {
    SD_RETURN_IF_ERROR(pacer.Step());
    return visit(SubsetElement{a, b});
  };
  if (type_ == SubsetElementType::kSegment) {
    for (size_t curve = 0; curve < segment_counts_.size(); ++curve) {
      for (int i = 0; i < segment_counts_[curve]; ++i) {
        SD_RETURN_IF_ERROR(one(static_cast<int>(curve), i));
      }
    }
    return absl::OkStatus();
  }
  for (size_t i = 0; i < count_; ++i) {
    if (type_ == SubsetElementType::kEdge) {
      SD_RETURN_IF_ERROR(one(edges_[i].first, edges_[i].second));
    } else {
      SD_RETURN_IF_ERROR(one(static_cast<int>(i), 0));
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_SUBSET_ELEMENTS_H_
