#include "server/handlers/topology_handler.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/basis_curves.h"
#include "scene/geom/element_count.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/hermite_curves.h"
#include "scene/geom/mesh_topology.h"
#include "scene/geom/tet_mesh.h"
#include "server/check_count.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/queries/item_stream.h"
#include "server/queries/prim_batch.h"
#include "server/server_limits.h"
#include "server/sessions/query_state.h"
#include "server/streams/chunk_bytes.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxDataSizes = 16;

class TopologyStream final : public ItemStream<v1::ComputeTopologyResponse> {
 public:
  TopologyStream(RequestContext& context, const ServerLimits& limits, PrimBatch batch,
                 const v1::ComputeTopologyRequest& request)
      : ItemStream(context, limits, ChunkBytes(request, limits), std::move(batch)),
        with_surface_faces_(request.with_surface_faces()),
        with_inverted_elements_(request.with_inverted_elements()),
        with_segment_counts_(request.with_segment_counts()),
        with_tangents_(request.with_tangents()),
        with_problems_(request.with_problems()),
        data_sizes_(request.data_sizes().begin(), request.data_sizes().end()) {}

 private:
  void Fill(const Prim& prim, const ItemTime& at, ReplyBudget& budget,
            v1::PrimTopology* out) override {
    RequestContext& context = budget.context();
    const Token schema = TopologySchema(prim);
    if (schema.empty()) return;
    out->set_schema_type(budget.Text(schema.text()));
    out->set_element_count(ElementCount(context, prim, schema, at.time));
    out->set_point_count(PointCount(context, prim, at.time));
    if (schema == Geom().Mesh) {
      if (with_problems_) FillProblem(ValidateMeshTopology(context, prim, at.time), budget, out);
    } else if (schema == Geom().TetMesh) {
      FillTetMesh(prim, at.time, budget, out);
    } else if (schema == Geom().BasisCurves) {
      FillBasisCurves(prim, at.time, budget, out);
    } else if (schema == Geom().HermiteCurves) {
      FillHermiteCurves(prim, at.time, budget, out);
    }
  }

  static void FillProblem(const absl::Status& problem, ReplyBudget& budget, v1::PrimTopology* out) {
    out->set_problem(budget.Text(Message(problem)));
  }

  // Replaces what is filled by an error.
  static void Fail(const absl::Status& failure, ReplyBudget& budget, v1::PrimTopology* out) {
    const uint32_t item = out->item();
    out->Clear();
    budget.FillError(failure, item, out->mutable_error());
  }

  void FillTetMesh(const Prim& prim, TimeCode time, ReplyBudget& budget,
                   v1::PrimTopology* out) const {
    RequestContext& context = budget.context();
    if (with_problems_) FillProblem(ValidateTetMeshTopology(context, prim, time), budget, out);
    if (with_surface_faces_ && budget.ok()) {
      auto surface = ComputeSurfaceFaces(context, prim, time);
      if (!surface.ok()) return Fail(surface.status(), budget, out);
      FillPackedArray(ValueType::kVec3i, Array<Vec3i>::FromVector(std::move(surface->faces)),
                      budget, out->mutable_surface_faces());
    }
    if (with_inverted_elements_ && budget.ok()) {
      auto inverted = FindInvertedElements(context, prim, time);
      if (!inverted.ok()) return Fail(inverted.status(), budget, out);
      FillPackedArray(ValueType::kInt, Array<int>::FromVector(std::move(inverted->elements)),
                      budget, out->mutable_inverted_elements());
    }
  }

  void FillBasisCurves(const Prim& prim, TimeCode time, ReplyBudget& budget,
                       v1::PrimTopology* out) const {
    RequestContext& context = budget.context();
    if (with_segment_counts_) {
      Reservation reserved(context);
      auto segments = ComputeSegmentCounts(context, prim, time, &reserved);
      FillPackedArray(ValueType::kInt, Array<int>::FromVector(std::move(segments)), budget,
                      out->mutable_segment_counts());
    }
    const CurveDataSizes sizes = ComputeCurveDataSizes(context, prim, time);
    if (!budget.Charge(sizeof(v1::CurveDataSizes))) return;
    v1::CurveDataSizes* filled = out->mutable_data_sizes();
    filled->set_uniform(sizes.uniform);
    if (sizes.varying) filled->set_varying(*sizes.varying);
    filled->set_vertex(sizes.vertex);
    for (const uint64_t count : data_sizes_) {
      budget.AddText(ComputeInterpolationForSize(sizes, count).text(),
                     filled->mutable_interpolations());
    }
  }

  void FillHermiteCurves(const Prim& prim, TimeCode time, ReplyBudget& budget,
                         v1::PrimTopology* out) const {
    if (!with_tangents_ && !with_problems_) return;
    const auto arrays = ReadPointsAndTangents(budget.context(), prim, time);
    if (with_problems_) FillProblem(arrays.status(), budget, out);
    if (!with_tangents_) return;
    const auto& [points, tangents] = arrays.ok() ? *arrays : PointAndTangentArrays();
    FillPackedArray(ValueType::kVec3f, points, budget, out->mutable_points());
    FillPackedArray(ValueType::kVec3f, tangents, budget, out->mutable_tangents());
  }

  const bool with_surface_faces_;
  const bool with_inverted_elements_;
  const bool with_segment_counts_;
  const bool with_tangents_;
  const bool with_problems_;
  const std::vector<uint64_t> data_sizes_;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeTopology(
    const QueryState& state, RequestContext& context, const v1::ComputeTopologyRequest& request) {
  // Parse, and look up the stage and the prims.
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.data_sizes_size()), kMaxDataSizes, "sizes of data"));
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  // The stream calls the engine, and fills the messages.
  auto stream = std::make_unique<TopologyStream>(context, state.limits, std::move(batch), request);
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

}  // namespace stagedoor::server
