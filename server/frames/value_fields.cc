#include "server/frames/value_fields.h"

#include <algorithm>

#include "scene/values/array.h"
#include "scene/values/value.h"
#include "server/converters/set_oneof.h"
#include "server/converters/value_converter.h"

namespace stagedoor::server {
namespace {

void FillSampleValue(const Value& value, ReplyBudget& budget, FramePart* part, v1::Value* out) {
  if (!IsPackedArray(value)) return FillValue(value, budget, out);
  part->AddArray(value.type(), *value.array(),
                 SetOneof(out, &v1::Value::set_allocated_array_value));
}

void FillSampleIndices(const FrameSample& sample, FramePart* part, v1::Value* out) {
  static const Array<int> kNoIndices;
  part->AddArray(ValueType::kInt, sample.indices ? *sample.indices : kNoIndices,
                 SetOneof(out, &v1::Value::set_allocated_array_value));
}

}  // namespace

void FillFrameValue(const SampledValue& sampled, FrameWriter& writer, FramePart* part,
                    v1::FrameValue* out) {
  ReplyBudget& budget = writer.budget();
  out->set_name(budget.Text(sampled.name.text()));
  out->set_type_name(budget.Text(sampled.layout.type_name.text()));
  out->set_interpolation(budget.Text(sampled.layout.interpolation.text()));
  out->set_element_size(sampled.layout.element_size);
  writer.FillTimes(sampled.times, out->mutable_times());
  for (const FrameSample& sample : sampled.samples) {
    if (!budget.ok()) return;
    FillSampleValue(sample.value, budget, part, budget.Add(out->mutable_values()));
  }
  const bool indexed =
      std::any_of(sampled.samples.begin(), sampled.samples.end(),
                  [](const FrameSample& sample) { return sample.indices.has_value(); });
  if (!indexed) return;
  for (const FrameSample& sample : sampled.samples) {
    if (!budget.ok()) return;
    FillSampleIndices(sample, part, budget.Add(out->mutable_indices()));
  }
}

void FillFrameInstances(const FramePlan& plan, const FrameGeometry& geometry,
                        const SampledInstances& sampled, FrameWriter& writer, FramePart* part,
                        v1::FrameInstances* out) {
  ReplyBudget& budget = writer.budget();
  if (!sampled.error.ok()) return;
  if (!budget.Charge(geometry.prototypes.size() * sizeof(FrameId))) return;
  for (const uint32_t prototype : geometry.prototypes) {
    out->add_prototypes(prototype == kNoIndex ? 0 : plan.prototypes[prototype].id);
  }
  for (const Path path : sampled.prototypes) {
    if (!budget.ok()) return;
    budget.AddText(path.ToString(), out->mutable_prototype_paths());
  }
  part->AddArray(ValueType::kUInt, sampled.indices.prototypes, out->mutable_prototype_indices());
  part->AddArray(ValueType::kUInt, sampled.indices.instances, out->mutable_instance_indices());
  if (sampled.indices.ids) {
    part->AddArray(ValueType::kInt64, *sampled.indices.ids, out->mutable_ids());
  }
  writer.FillTimes(sampled.times, out->mutable_times());
  for (const Array<Matrix4d>& transforms : sampled.transforms) {
    part->AddArray(ValueType::kMatrix4d, transforms, budget.Add(out->mutable_transforms()));
  }
}

}  // namespace stagedoor::server
