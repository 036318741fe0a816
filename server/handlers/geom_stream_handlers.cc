#include "server/handlers/geom_stream_handlers.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/point_based.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/primvar.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "server/handlers/chunk_bytes.h"
#include "server/handlers/chunked_stream.h"
#include "server/handlers/prim_batch.h"

namespace stagedoor::server {
namespace {

// Base of item streams. Makes the items in order, as many per message as fit.
template <typename Response>
class ItemStream : public ChunkedStream<Response> {
 public:
  ItemStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
             PrimBatch batch)
      : ChunkedStream<Response>(context, limits, chunk_bytes, "request fewer values of this prim"),
        batch_(std::move(batch)) {}

 protected:
  using Item = std::remove_reference_t<decltype(*std::declval<Response>().mutable_items(0))>;
  // Fills an item; stops when the budget is used up.
  virtual void Fill(const Prim& prim, TimeCode time, ReplyBudget& budget, Item* out) = 0;

 private:
  absl::StatusOr<bool> Make(RequestContext& context, Response* response) override {
    if (item_ == 0) response->set_snapshot(batch_.leased.snapshot->fingerprint());
    while (item_ < batch_.item_count() && this->HasRoom()) {
      SD_RETURN_IF_ERROR(context.Check());
      SD_RETURN_IF_ERROR(FillItem(response));
      ++item_;
    }
    SD_RETURN_IF_ERROR(batch_.leased.CheckRead());
    return response->items_size() != 0;
  }

  // Fails only if the request is over.
  absl::Status FillItem(Response* response) {
    const auto item = static_cast<uint32_t>(item_);
    const size_t prim = item_ / batch_.times.size();
    ReplyBudget& budget = this->budget();
    budget.StartItem();
    Item* out = budget.Add(response->mutable_items());
    out->set_item(item);
    if (!batch_.prims[prim].valid()) {
      budget.FillError(batch_.failures[prim], item, out->mutable_error());
    } else {
      Fill(batch_.prims[prim], batch_.times[item_ % batch_.times.size()], budget, out);
    }
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget, item, out));
    out->set_item(item);
    return absl::OkStatus();
  }

  const PrimBatch batch_;
  size_t item_ = 0;
};

class PrimvarStream final : public ItemStream<v1::GetPrimvarsResponse> {
 public:
  PrimvarStream(RequestContext& context, const ServerLimits& limits, PrimBatch batch,
                const v1::GetPrimvarsRequest& request)
      : ItemStream(context, limits, ChunkBytes(request, limits), std::move(batch)),
        names_(request.names().begin(), request.names().end()),
        flatten_(request.flatten()) {}

 private:
  void Fill(const Prim& prim, TimeCode time, ReplyBudget& budget, v1::PrimPrimvars* out) override {
    RequestContext& context = budget.context();
    if (names_.empty()) {
      for (const Primvar& primvar : FindPrimvarsWithInheritance(context, prim)) {
        if (!budget.ok() || !context.Spend(1).ok()) return;
        FillPrimvar(primvar, time, budget, budget.Add(out->mutable_primvars()));
      }
    }
    for (const std::string& name : names_) {
      if (!budget.Charge(0)) return;
      const auto primvar = FindPrimvarWithInheritance(context, prim, name);
      if (primvar) FillPrimvar(*primvar, time, budget, budget.Add(out->mutable_primvars()));
    }
  }

  void FillPrimvar(const Primvar& primvar, TimeCode time, ReplyBudget& budget,
                   v1::Primvar* out) const {
    RequestContext& context = budget.context();
    budget.Charge(2 * sizeof(v1::Value));
    out->set_name(budget.Text(primvar.name()));
    out->set_type_name(budget.Text(primvar.attribute().TypeName().text()));
    out->set_interpolation(budget.Text(primvar.Interpolation(context).text()));
    out->set_element_size(primvar.ElementSize(context));
    out->set_source_path(budget.Text(primvar.attribute().prim().path().ToString()));
    if (flatten_) {
      return FillValue(primvar.ComputeFlattened(context, time), budget, out->mutable_value());
    }
    FillValue(primvar.Get(context, time), budget, out->mutable_value());
    if (!primvar.IsIndexed(context)) return;
    // An indexed primvar without a value for its indices at this time has no elements.
    auto indices = primvar.GetIndices(context, time).value_or(Array<int>());
    FillValue(Value(std::move(indices)), budget, out->mutable_indices());
  }

  const std::vector<std::string> names_;
  const bool flatten_;
};

class PointsStream final : public ItemStream<v1::ComputePointsResponse> {
 public:
  PointsStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
               PrimBatch batch, std::optional<TimeCode> base_time)
      : ItemStream(context, limits, chunk_bytes, std::move(batch)), base_time_(base_time) {}

 private:
  void Fill(const Prim& prim, TimeCode time, ReplyBudget& budget, v1::MovingPoints* out) override {
    RequestContext& context = budget.context();
    if (prim.IsA(Geom().PointBased)) {
      const auto points = stagedoor::ComputePoints(context, prim, time, base_time_.value_or(time));
      if (!points.ok()) {
        return budget.FillError(points.status(), out->item(), out->mutable_error());
      }
      FillPackedArray(ValueType::kVec3f, points->points, budget, out->mutable_points());
    }
    const MotionSettings motion = ComputeMotionSettings(context, prim, time);
    out->set_blur_scale(motion.blur_scale);
    out->set_nonlinear_sample_count(motion.nonlinear_sample_count);
    out->set_velocity_scale(motion.velocity_scale);
  }

  const std::optional<TimeCode> base_time_;
};

class InstanceStream final : public ItemStream<v1::ComputeInstanceTransformsResponse> {
 public:
  InstanceStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
                 PrimBatch batch, std::optional<TimeCode> base_time, InstanceOptions options,
                 bool with_ids)
      : ItemStream(context, limits, chunk_bytes, std::move(batch)),
        base_time_(base_time),
        options_(options),
        with_ids_(with_ids) {}

 private:
  void Fill(const Prim& prim, TimeCode time, ReplyBudget& budget,
            v1::InstancerTransforms* out) override {
    RequestContext& context = budget.context();
    auto instances = stagedoor::ComputeInstanceTransforms(context, prim, time,
                                                          base_time_.value_or(time), options_);
    if (!instances.ok()) {
      return budget.FillError(instances.status(), out->item(), out->mutable_error());
    }
    const size_t count = instances->proto_indices.size();
    out->set_instance_count(static_cast<uint32_t>(count));
    FillPackedMatrices(std::move(instances->transforms), budget, out->mutable_transforms());
    // At most three arrays of numbers for each instance, while they are copied.
    const size_t bytes = count * (2 * sizeof(uint32_t) + sizeof(int64_t));
    if (!context.Reserve(bytes, "indices").ok()) return;
    FillIndices(*instances, budget, out);
    context.Release(bytes);
    for (const Path path : instances->prototypes) {
      if (!budget.ok()) return;
      budget.AddText(path.ToString(), out->mutable_prototypes());
    }
  }

  // Fills what there is for each instance besides its transform.
  void FillIndices(const InstanceTransforms& instances, ReplyBudget& budget,
                   v1::InstancerTransforms* out) const {
    const size_t count = instances.proto_indices.size();
    const bool drops = options_.apply_mask && !instances.mask.empty();
    std::vector<uint32_t> kept;
    for (size_t i = 0; i < count; ++i) {
      if (!drops || instances.mask[i]) kept.push_back(static_cast<uint32_t>(i));
    }
    FillPackedArray(ValueType::kUInt, Picked<uint32_t>(instances.proto_indices, kept), budget,
                    out->mutable_prototype_indices());
    // As OpenUSD's mask, ids that do not match the instances in number are not those of instances.
    if (with_ids_ && !instances.ids.empty() && instances.ids.size() == count) {
      FillPackedArray(ValueType::kInt64, Picked<int64_t>(instances.ids, kept), budget,
                      out->mutable_ids());
    }
    if (drops) {
      FillPackedArray(ValueType::kUInt, Array<uint32_t>::FromVector(std::move(kept)), budget,
                      out->mutable_instance_indices());
    } else if (instances.mask.size() == count && count != 0) {
      bool* mask;
      const auto array = Array<bool>::Uninitialized(count, &mask);
      std::copy(instances.mask.begin(), instances.mask.end(), mask);
      FillPackedArray(ValueType::kBool, array, budget, out->mutable_mask());
    }
  }

  // The elements of `all` at `indices`.
  template <typename To, typename From>
  static Array<To> Picked(const Array<From>& all, std::span<const uint32_t> indices) {
    To* out;
    auto picked = Array<To>::Uninitialized(indices.size(), &out);
    for (size_t i = 0; i < indices.size(); ++i) out[i] = static_cast<To>(all[indices[i]]);
    return picked;
  }

  const std::optional<TimeCode> base_time_;
  const InstanceOptions options_;
  const bool with_ids_;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> GetPrimvars(ServerState& state,
                                                          RequestContext& context,
                                                          const v1::GetPrimvarsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  auto stream = std::make_unique<PrimvarStream>(context, state.limits, std::move(batch), request);
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputePoints(
    ServerState& state, RequestContext& context, const v1::ComputePointsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  std::optional<TimeCode> base_time;
  if (request.has_base_time()) {
    SD_ASSIGN_OR_RETURN(base_time, ParseTimeCode(request.base_time()));
  }
  return std::make_unique<PointsStream>(context, state.limits, ChunkBytes(request, state.limits),
                                        std::move(batch), base_time);
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeInstanceTransforms(
    ServerState& state, RequestContext& context,
    const v1::ComputeInstanceTransformsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  std::optional<TimeCode> base_time;
  if (request.has_base_time()) {
    SD_ASSIGN_OR_RETURN(base_time, ParseTimeCode(request.base_time()));
  }
  InstanceOptions options;
  options.include_proto_transform = !request.exclude_prototype_transforms();
  options.apply_mask = !request.ignore_mask();
  return std::make_unique<InstanceStream>(context, state.limits, ChunkBytes(request, state.limits),
                                          std::move(batch), base_time, options, request.with_ids());
}

}  // namespace stagedoor::server
