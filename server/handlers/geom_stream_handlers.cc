#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/primvars.h"
#include "server/converters/value_converter.h"
#include "server/converters/wire_text.h"
#include "server/handlers/geom_handlers.h"
#include "server/handlers/prim_batch.h"

namespace stagedoor {
namespace {

// A stream that makes items in order, as many in a message as fit.
template <typename Response>
class ItemStream : public ResponseStream<Response> {
 public:
  ItemStream(PrimBatch batch, size_t message_bytes)
      : batch_(std::move(batch)), message_bytes_(message_bytes) {}

  absl::StatusOr<bool> Next(RequestContext& context, Response* response) override {
    if (item_ == 0) response->set_snapshot(batch_.use.snapshot->number());
    size_t bytes = 0;
    while (item_ < batch_.item_count() && bytes < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      auto* out = response->add_items();
      const size_t prim = item_ / batch_.times.size();
      out->set_item(static_cast<uint32_t>(item_));
      if (batch_.prims[prim].valid()) {
        Fill(context, batch_.prims[prim], batch_.times[item_ % batch_.times.size()], out);
      } else {
        FillItemStatus(batch_.failures[prim], static_cast<uint32_t>(item_), out->mutable_error());
      }
      bytes += out->ByteSizeLong();
      ++item_;
    }
    SD_RETURN_IF_ERROR(batch_.use.CheckArrays());
    return response->items_size() != 0;
  }

 protected:
  using Item = std::remove_reference_t<decltype(*std::declval<Response>().mutable_items(0))>;
  virtual void Fill(RequestContext& context, const Prim& prim, Time time, Item* out) = 0;

 private:
  const PrimBatch batch_;
  const size_t message_bytes_;
  size_t item_ = 0;
};

class PrimvarStream final : public ItemStream<v1::GetPrimvarsResponse> {
 public:
  PrimvarStream(PrimBatch batch, size_t message_bytes, const v1::GetPrimvarsRequest& request)
      : ItemStream(std::move(batch), message_bytes),
        names_(request.names().begin(), request.names().end()),
        flatten_(request.flatten()) {}

 private:
  void Fill(RequestContext& context, const Prim& prim, Time time, v1::PrimPrimvars* out) override {
    if (names_.empty()) {
      for (const Primvar& primvar : FindPrimvarsWithInheritance(context, prim)) {
        FillPrimvar(context, primvar, time, out->add_primvars());
      }
    }
    for (const std::string& name : names_) {
      const auto primvar = FindPrimvarWithInheritance(context, prim, name);
      if (primvar) FillPrimvar(context, *primvar, time, out->add_primvars());
    }
  }

  void FillPrimvar(RequestContext& context, const Primvar& primvar, Time time,
                   v1::Primvar* out) const {
    out->set_name(WireText(primvar.name()));
    out->set_type_name(WireText(primvar.attribute().TypeName().text()));
    out->set_interpolation(WireText(primvar.Interpolation().text()));
    out->set_element_size(static_cast<uint32_t>(primvar.ElementSize()));
    out->set_source_path(primvar.attribute().prim().path().ToString());
    if (flatten_) return FillValue(primvar.ComputeFlattened(context, time), out->mutable_value());
    FillValue(primvar.Get(context, time), out->mutable_value());
    if (!primvar.IsIndexed(context)) return;
    // Indices without a value at this time are none.
    auto indices = primvar.GetIndices(context, time).value_or(Array<int>());
    FillValue(Value(std::move(indices)), out->mutable_indices());
  }

  const std::vector<std::string> names_;
  const bool flatten_;
};

class InstanceStream final : public ItemStream<v1::ComputeInstanceTransformsResponse> {
 public:
  InstanceStream(PrimBatch batch, size_t message_bytes, std::optional<Time> base_time,
                 InstanceOptions options)
      : ItemStream(std::move(batch), message_bytes), base_time_(base_time), options_(options) {}

 private:
  void Fill(RequestContext& context, const Prim& prim, Time time,
            v1::InstancerTransforms* out) override {
    const auto instances = stagedoor::ComputeInstanceTransforms(
        context, prim, time, base_time_.value_or(time), options_);
    if (!instances.ok()) {
      return FillItemStatus(instances.status(), out->item(), out->mutable_error());
    }
    FillPackedMatrices(instances->transforms, out->mutable_transforms());
    for (size_t i = 0; i < instances->proto_indices.size(); ++i) {
      const bool masked = options_.apply_mask && !instances->mask.empty() && !instances->mask[i];
      if (!masked) out->add_prototype_indices(static_cast<uint32_t>(instances->proto_indices[i]));
    }
    for (const Path path : instances->prototypes) out->add_prototypes(path.ToString());
  }

  const std::optional<Time> base_time_;
  const InstanceOptions options_;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::GetPrimvarsResponse>> GetPrimvars(
    ServerState& state, RequestContext&, const v1::GetPrimvarsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, request));
  return std::make_unique<PrimvarStream>(std::move(batch), state.limits.message_bytes, request);
}

absl::StatusOr<ResponseStreamPtr<v1::ComputeInstanceTransformsResponse>> ComputeInstanceTransforms(
    ServerState& state, RequestContext&, const v1::ComputeInstanceTransformsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, request));
  std::optional<Time> base_time;
  if (request.has_base_time()) {
    SD_ASSIGN_OR_RETURN(base_time, ParseTimeCode(request.base_time()));
  }
  InstanceOptions options;
  options.include_proto_transform = !request.exclude_prototype_transforms();
  options.apply_mask = !request.ignore_mask();
  return std::make_unique<InstanceStream>(std::move(batch), state.limits.message_bytes, base_time,
                                          options);
}

}  // namespace stagedoor
