#include "server/handlers/geom_stream_handlers.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
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

class InstanceStream final : public ItemStream<v1::ComputeInstanceTransformsResponse> {
 public:
  InstanceStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
                 PrimBatch batch, std::optional<TimeCode> base_time, InstanceOptions options)
      : ItemStream(context, limits, chunk_bytes, std::move(batch)),
        base_time_(base_time),
        options_(options) {}

 private:
  void Fill(const Prim& prim, TimeCode time, ReplyBudget& budget,
            v1::InstancerTransforms* out) override {
    RequestContext& context = budget.context();
    auto instances = stagedoor::ComputeInstanceTransforms(context, prim, time,
                                                          base_time_.value_or(time), options_);
    if (!instances.ok()) {
      return budget.FillError(instances.status(), out->item(), out->mutable_error());
    }
    FillPackedMatrices(std::move(instances->transforms), budget, out->mutable_transforms());
    if (!context.Reserve(instances->proto_indices.size() * sizeof(uint32_t), "indices").ok())
      return;
    FillPackedArray(ValueType::kUInt, PrototypeIndices(*instances), budget,
                    out->mutable_prototype_indices());
    context.Release(instances->proto_indices.size() * sizeof(uint32_t));
    for (const Path path : instances->prototypes) {
      if (!budget.ok()) return;
      budget.AddText(path.ToString(), out->mutable_prototypes());
    }
  }

  // The prototypes of the instances that are not masked.
  Array<uint32_t> PrototypeIndices(const InstanceTransforms& instances) const {
    std::vector<uint32_t> indices;
    indices.reserve(instances.proto_indices.size());
    for (size_t i = 0; i < instances.proto_indices.size(); ++i) {
      const bool masked = options_.apply_mask && !instances.mask.empty() && !instances.mask[i];
      if (!masked) indices.push_back(static_cast<uint32_t>(instances.proto_indices[i]));
    }
    return Array<uint32_t>::FromVector(std::move(indices));
  }

  const std::optional<TimeCode> base_time_;
  const InstanceOptions options_;
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
                                          std::move(batch), base_time, options);
}

}  // namespace stagedoor::server
