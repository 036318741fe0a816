#include "server/queries/volume_fields.h"

#include <algorithm>

#include "base/pacer.h"
#include "scene/render/volume_fields.h"
#include "scene/stage/stage.h"
#include "server/converters/reply_budget.h"

namespace stagedoor::server {
namespace {

constexpr int64_t kStepsPerFieldSample = 16;

void FillFieldSample(const VolumeFieldSample& sample, ReplyBudget& budget,
                     v1::VolumeFieldSample* out) {
  if (!sample.file.authored.empty()) {
    out->mutable_file()->set_authored(budget.Text(sample.file.authored));
    out->mutable_file()->set_evaluated(budget.Text(sample.file.evaluated));
    out->mutable_file()->set_resolved(budget.Text(sample.file.resolved));
  }
  out->set_field_name(budget.Text(sample.name.text()));
  if (sample.index) out->set_field_index(*sample.index);
  out->set_field_data_type(budget.Text(sample.data_type.text()));
  out->set_vector_data_role_hint(budget.Text(sample.vector_data_role_hint.text()));
  out->set_field_class(budget.Text(sample.field_class.text()));
  out->set_field_purpose(budget.Text(sample.field_purpose.text()));
}

// A single sample if it is the same at all times.
void FillFieldSamples(const Prim& prim, const std::vector<TimeCode>& times, ReplyBudget& budget,
                      v1::VolumeField* out) {
  RequestContext& context = budget.context();
  const VolumeFieldQuery query(context, prim);
  const auto is_default = [](TimeCode time) { return time.is_default(); };
  const bool same = query.is_steady() && std::none_of(times.begin(), times.end(), is_default);
  const size_t count = same ? std::min<size_t>(times.size(), 1) : times.size();
  Pacer pacer(context);
  for (size_t i = 0; i < count && budget.ok() && pacer.Go(kStepsPerFieldSample); ++i) {
    FillFieldSample(query.At(context, times[i]), budget, budget.Add(out->mutable_samples()));
  }
}

}  // namespace

void FillVolumeFields(const Prim& volume, const std::vector<TimeCode>& times, ReplyBudget& budget,
                      google::protobuf::RepeatedPtrField<v1::VolumeField>* out) {
  for (const VolumeField& field : VolumeFieldsOf(budget.context(), volume)) {
    if (!budget.ok()) return;
    v1::VolumeField* to = budget.Add(out);
    to->set_name(budget.Text(field.name.text()));
    to->set_path(budget.Text(field.path.ToString()));
    const Prim prim = volume.stage().FindPrim(field.path);
    if (!prim.valid()) continue;
    to->set_type_name(budget.Text(prim.type_name().text()));
    FillFieldSamples(prim, times, budget, to);
  }
}

}  // namespace stagedoor::server
