#include "server/frames/object_steps.h"

#include <string>

#include "base/status_macros.h"
#include "scene/frame/frame_changes.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/lux/light_list.h"
#include "server/frames/value_fields.h"
#include "server/queries/network_fields.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {
namespace {

constexpr uint64_t kStepsOfObject = 16;

Array<int> IndicesAt(RequestContext& context, const FrameSubset& subset, TimeCode time) {
  return AttributeValueAs<Array<int>>(context, subset.subset.prim, Geom().indices, time)
      .value_or(Array<int>());
}

// Fills a light but for the arrays of its values, which it adds to the part.
void FillLight(const FrameLight& light, const FrameJob& job,
               const std::vector<SampledValue>& values, FrameWriter& writer, FramePart* part,
               v1::FrameLight* out) {
  ReplyBudget& budget = writer.budget();
  out->set_id(light.id);
  out->set_path(budget.Text(light.prim.PathText()));
  out->set_type_name(budget.Text(light.prim.type_name().text()));
  out->set_shader_id(budget.Text(
      LightShaderId(budget.context(), light.prim, job.request->selection.render_contexts).text()));
  out->set_is_filter(light.is_filter);
  if (!budget.Charge((light.filters.size() + light.portals.size()) * sizeof(FrameId))) return;
  out->mutable_filters()->Add(light.filters.begin(), light.filters.end());
  out->mutable_portals()->Add(light.portals.begin(), light.portals.end());
  out->set_material(light.material);
  out->set_prim(light.geometry);
  for (const SampledValue& value : values) {
    if (!budget.ok()) return;
    FillFrameValue(value, writer, part, budget.Add(out->mutable_values()));
  }
}

}  // namespace

absl::StatusOr<bool> ObjectStep::Continue(FrameWriter& writer) {
  RequestContext& context = writer.context();
  for (; next_ < indices_.size() && writer.HasRoom(); ++next_) {
    SD_RETURN_IF_ERROR(context.Spend(kStepsOfObject));
    const uint32_t index = indices_[next_];
    if (job_.base && !Differs(context, index)) continue;
    writer.budget().StartItem();
    SD_RETURN_IF_ERROR(Write(index, writer));
  }
  SD_RETURN_IF_ERROR(context.Check());
  return next_ == indices_.size();
}

// ------------------------------------------------------------------------------------- subsets

bool SubsetStep::Differs(RequestContext& context, uint32_t index) {
  const FrameSubset& subset = plan().subsets[index];
  return MayDiffer(context, subset, job().base->frame, job().frame()) &&
         !(IndicesAt(context, subset, job().base->frame) ==
           IndicesAt(context, subset, job().frame()));
}

absl::Status SubsetStep::Write(uint32_t index, FrameWriter& writer) {
  const FrameSubset& subset = plan().subsets[index];
  ReplyBudget& budget = writer.budget();
  if (!job().only_varying) writer.filter().AddObject(subset.id);
  v1::FrameSubset* out = budget.Add(writer.out().mutable_subsets());
  const std::string path = subset.subset.prim.PathText();
  out->set_id(subset.id);
  out->set_prim(plan().prims[subset.prim].id);
  out->set_path(budget.Text(path));
  out->set_element_type(budget.Text(subset.subset.element_type.text()));
  out->set_family_name(budget.Text(subset.subset.family_name.text()));
  out->set_material(subset.material);
  const Array<int> indices = IndicesAt(budget.context(), subset, job().frame());
  const FramePartId id{.object = subset.id, .kind = FramePartKind::kSubset};
  FramePart part(id, *out);
  part.AddArray(ValueType::kInt, indices, out->mutable_indices());
  SD_ASSIGN_OR_RETURN(const bool wanted, writer.Wants(part));
  if (wanted) part.FillArrays(budget);
  if (wanted && budget.ok()) return absl::OkStatus();
  SD_RETURN_IF_ERROR(budget.context().Check());
  const absl::Status failure = budget.status();
  writer.out().mutable_subsets()->RemoveLast();
  budget.RestartItem();
  if (failure.ok()) return failure;
  writer.filter().Forget(id);
  return writer.AddError(path, failure);
}

// ----------------------------------------------------------------------------------- materials

MaterialStep::MaterialStep(RequestContext& context, const FrameJob& job,
                           std::vector<uint32_t> indices)
    : ObjectStep(job, std::move(indices)),
      options_{.render_contexts = job.request->selection.render_contexts},
      budget_(context, job.limits.max_item_bytes(), "leave the material out") {}

bool MaterialStep::Differs(RequestContext& context, uint32_t index) {
  const FrameMaterial& material = plan().materials[index];
  const TimeCode base = job().base->frame;
  if (!MayDiffer(context, material, options_.render_contexts, base, job().frame())) return false;
  const std::string before = NetworkAt(material, base).SerializeAsString();
  const bool differs =
      !budget_.ok() || before != NetworkAt(material, job().frame()).SerializeAsString();
  budget_.StartMessage();  // releases its memory
  return differs;
}

v1::MaterialNetwork MaterialStep::NetworkAt(const FrameMaterial& material, TimeCode time) {
  budget_.StartMessage();
  v1::MaterialNetwork network;
  FillMaterialNetwork(material.prim, options_, {time}, budget_, &network);
  return network;
}

absl::Status MaterialStep::Write(uint32_t index, FrameWriter& writer) {
  const FrameMaterial& material = plan().materials[index];
  if (!job().only_varying) writer.filter().AddObject(material.id);
  budget_.StartMessage();
  budget_.StartItem();
  v1::FrameMaterials single;
  single.add_ids(material.id);
  budget_.AddText(material.prim.PathText(), single.mutable_paths());
  v1::MaterialNetwork* network = budget_.Add(single.mutable_networks());
  FillMaterialNetwork(material.prim, options_, {job().frame()}, budget_, network);
  SD_RETURN_IF_ERROR(ReportIfTooLarge(budget_, 0, network));
  SD_ASSIGN_OR_RETURN(
      const bool wanted,
      writer.Wants(FramePart({.object = material.id, .kind = FramePartKind::kMaterial}, single)));
  if (wanted) SD_RETURN_IF_ERROR(Send(&single, writer));
  budget_.StartMessage();  // releases its memory
  return writer.context().Check();
}

absl::Status MaterialStep::Send(v1::FrameMaterials* single, FrameWriter& writer) {
  v1::MaterialNetwork* network = single->mutable_networks(0);
  const KnownDigests* known = writer.budget().known_digests();
  if (known != nullptr && !network->has_error()) {
    budget_.StartItem();
    SD_RETURN_IF_ERROR(AddNetworkDigest(*known, budget_, network));
  }
  if (!writer.budget().Charge(single->SpaceUsedLong())) return writer.budget().status();
  v1::FrameMaterials* out = writer.out().mutable_materials();
  const auto item = static_cast<uint32_t>(out->ids_size());
  network->set_item(item);
  if (network->has_error()) network->mutable_error()->set_item(item);
  out->add_ids(single->ids(0));
  out->add_paths(std::move(*single->mutable_paths(0)));
  out->add_networks()->Swap(network);
  return absl::OkStatus();
}

// -------------------------------------------------------------------------------------- lights

bool LightStep::Differs(RequestContext& context, uint32_t index) {
  for (const FrameAttribute& attribute : plan().lights[index].varying) {
    if (!MayDiffer(context, attribute, *job().base, job().times())) continue;
    const auto before = base_sampler_->Sample(no_geometry_, attribute);
    const auto after = sampler_.Sample(no_geometry_, attribute);
    if (!before.ok() || !after.ok() || !AreSameSamples(context, *before, *after)) return true;
  }
  return false;
}

LightStep::LightStep(RequestContext& context, const FrameJob& job, std::vector<uint32_t> indices)
    : ObjectStep(job, std::move(indices)), sampler_(context, job.times(), job.executor) {
  if (job.base) base_sampler_.emplace(context, *job.base, job.executor);
}

absl::Status LightStep::Write(uint32_t index, FrameWriter& writer) {
  const FrameLight& light = plan().lights[index];
  if (job().only_varying && light.varying.empty()) return absl::OkStatus();
  if (!job().only_varying) writer.filter().AddObject(light.id);
  SD_ASSIGN_OR_RETURN(const std::vector<SampledValue> values, SampleValues(light, writer));
  ReplyBudget& budget = writer.budget();
  budget.StartItem();
  v1::FrameLight* out = budget.Add(writer.out().mutable_lights());
  const FramePartId id{.object = light.id, .kind = FramePartKind::kLight};
  FramePart part(id, *out);
  FillLight(light, job(), values, writer, &part, out);
  bool wanted = true;
  if (budget.ok()) {
    SD_ASSIGN_OR_RETURN(wanted, writer.Wants(part));
    if (wanted) part.FillArrays(budget);
  }
  if (wanted && budget.ok()) return absl::OkStatus();
  SD_RETURN_IF_ERROR(budget.context().Check());
  const absl::Status failure = budget.status();
  writer.out().mutable_lights()->RemoveLast();
  budget.RestartItem();
  if (failure.ok()) return failure;
  writer.filter().Forget(id);
  return writer.AddError(light.prim.PathText(), failure);
}

absl::StatusOr<std::vector<SampledValue>> LightStep::SampleValues(const FrameLight& light,
                                                                  FrameWriter& writer) {
  std::vector<SampledValue> values;
  for (const FrameAttribute& attribute : FrameAttributesOf(writer.context(), light)) {
    SD_ASSIGN_OR_RETURN(SampledValue value, sampler_.Sample(no_geometry_, attribute));
    if (!value.error.ok()) {
      SD_RETURN_IF_ERROR(writer.AddError(light.prim.PathText(), value.error));
    }
    if (value.HasValue()) values.push_back(std::move(value));
  }
  SD_RETURN_IF_ERROR(writer.context().Check());
  return values;
}

absl::Status LightSetStep::Write(uint32_t index, FrameWriter& writer) {
  const FrameLightSet& set = plan().light_sets[index];
  writer.filter().AddObject(set.id);
  v1::FrameLightSet* out = writer.budget().Add(writer.out().mutable_light_sets());
  out->set_id(set.id);
  if (!writer.budget().Charge(set.lights.size() * sizeof(FrameId))) {
    return writer.budget().status();
  }
  out->mutable_lights()->Add(set.lights.begin(), set.lights.end());
  SD_ASSIGN_OR_RETURN(
      const bool wanted,
      writer.Wants(FramePart({.object = set.id, .kind = FramePartKind::kLightSet}, *out)));
  if (!wanted) {
    writer.out().mutable_light_sets()->RemoveLast();
    writer.budget().RestartItem();
  }
  return writer.budget().status();
}

// -------------------------------------------------------------------------------------- removal

absl::StatusOr<bool> RemovalStep::Continue(FrameWriter& writer) {
  if (!started_) {
    SD_ASSIGN_OR_RETURN(const std::vector<FrameId> gone,
                        writer.filter().ObjectsGone(writer.context()));
    objects_.insert(objects_.end(), gone.begin(), gone.end());
    started_ = true;
  }
  writer.budget().StartItem();
  for (; next_ < objects_.size() && writer.HasRoom(); ++next_) {
    if (!writer.budget().Charge(sizeof(FrameId))) return writer.budget().status();
    writer.out().add_removed(objects_[next_]);
  }
  return next_ == objects_.size();
}

}  // namespace stagedoor::server
