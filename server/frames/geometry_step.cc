#include "server/frames/geometry_step.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/render/volume_fields.h"
#include "server/frames/value_fields.h"
#include "server/queries/volume_fields.h"
#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/render.pb.h"

namespace stagedoor::server {
namespace {

// A batch has more geometry than the one before it, because the first one should come soon.
constexpr size_t kMostOfBatch = 256;

// Writes one geometry to a message.
class GeometryMessage {
 public:
  GeometryMessage(const FrameJob& job, const ComputedGeometry& computed, FrameWriter& writer)
      : plan_(*job.plan),
        geometry_(job.plan->geometry[computed.index]),
        frame_(job.frame()),
        base_(job.base),
        computed_(computed),
        writer_(writer),
        budget_(writer.budget()),
        out_(*budget_.Add(writer.out().mutable_geometry())) {}

  // Fails only if the request is over.
  absl::Status Write() {
    out_.set_id(geometry_.id);
    if (writer_.sent() != nullptr) writer_.sent()->Begin(geometry_.id);
    if (computed_.complete) SD_RETURN_IF_ERROR(WriteCompleteness());
    for (const auto& value : computed_.values) SD_RETURN_IF_ERROR(WriteValue(*value));
    if (computed_.with_fields) SD_RETURN_IF_ERROR(WriteFields());
    if (computed_.instances) SD_RETURN_IF_ERROR(WriteInstances(*computed_.instances));
    if (!any_) writer_.out().mutable_geometry()->RemoveLast();
    return writer_.context().Check();
  }

 private:
  FramePartId PartId(FramePartKind kind, std::string_view name = {}) const {
    return {.object = geometry_.id, .kind = kind, .name = name};
  }

  // All of it is sent if it may have other values than that which the client has, or has no fields
  // any more.
  absl::Status WriteCompleteness() {
    writer_.filter().AddObject(geometry_.id);
    v1::FrameGeometry names;
    if (writer_.filter().reads()) {
      budget_.StartItem();
      for (const Token name : computed_.names) {
        budget_.Add(names.mutable_values())->set_name(budget_.Text(name.text()));
      }
      if (HasFields()) names.add_fields();
      if (geometry_.is_instancer) names.mutable_instances();
      SD_RETURN_IF_ERROR(budget_.status());
    }
    SD_ASSIGN_OR_RETURN(is_new_,
                        writer_.Wants(FramePart(PartId(FramePartKind::kAttributes), names)));
    if (writer_.filter().reads()) budget_.RestartItem();
    out_.set_complete(is_new_);
    any_ = is_new_;
    return absl::OkStatus();
  }

  bool HasFields() {
    return geometry_.is_volume && !VolumeFieldsOf(writer_.context(), geometry_.prim).empty();
  }

  absl::Status WriteValue(const SampledValue& sampled) {
    budget_.StartItem();
    if (const FrameId other = SentWith(sampled); other != 0) return ShareValue(other, sampled.name);
    v1::FrameValue* out = budget_.Add(out_.mutable_values());
    const FramePartId id = PartId(FramePartKind::kValue, sampled.name.text());
    FramePart part(id, *out);
    bool removed = !sampled.HasValue();
    if (removed) {
      FillRemoved(sampled, out);
    } else {
      FillFrameValue(sampled, writer_, &part, out);
    }
    absl::Status failure = sampled.error;
    if (budget_.ok()) {
      SD_ASSIGN_OR_RETURN(const bool wanted, writer_.Wants(part));
      if (!(wanted || is_new_) || (removed && is_new_)) {
        DropValue();
        return failure.ok() ? absl::OkStatus() : AddError(failure);
      }
      SD_ASSIGN_OR_RETURN(const std::optional<SentValues::Key> key, KeyOf(part, removed));
      sampled.sent_as = key;
      if (const FrameId other = key ? writer_.sent()->Find(*key) : 0; other != 0) {
        DropValue();
        return ShareValue(other, sampled.name);
      }
      part.FillArrays(budget_);
      if (key && budget_.ok()) SD_RETURN_IF_ERROR(writer_.sent()->Add(*key));
    }
    if (!budget_.ok()) {
      // The value is too large.
      SD_RETURN_IF_ERROR(writer_.context().Check());
      failure = budget_.status();
      writer_.filter().Forget(id);
      DropValue();
      out = is_new_ ? nullptr : budget_.Add(out_.mutable_values());
      if (out != nullptr) FillRemoved(sampled, out);
    }
    any_ = any_ || out != nullptr;
    return failure.ok() ? budget_.status() : AddError(failure);
  }

  // The key under which other geometry refers to a value; nothing if it cannot.
  absl::StatusOr<std::optional<SentValues::Key>> KeyOf(const FramePart& value, bool removed) {
    if (removed || writer_.sent() == nullptr) return std::nullopt;
    return writer_.sent()->KeyOf(writer_.context(), value);
  }

  // The geometry that this very value was sent with, if all parts are wanted; 0 if there is none.
  FrameId SentWith(const SampledValue& sampled) {
    const bool may_be = sampled.sent_as && writer_.sent() != nullptr && !writer_.filter().reads();
    return may_be ? writer_.sent()->Find(*sampled.sent_as) : 0;
  }

  // Refers to the equal value of another geometry.
  absl::Status ShareValue(FrameId other, Token name) {
    auto& shared = *out_.mutable_shared();
    auto at = std::find_if(shared.begin(), shared.end(), [&](const v1::FrameSharedValues& values) {
      return values.geometry() == other;
    });
    if (at == shared.end()) {
      budget_.Add(&shared)->set_geometry(other);
      at = std::prev(shared.end());
    }
    budget_.AddText(name.text(), at->mutable_names());
    any_ = true;
    return budget_.status();
  }

  void FillRemoved(const SampledValue& sampled, v1::FrameValue* out) {
    out->set_name(budget_.Text(sampled.name.text()));
    out->set_removed(true);
  }

  void DropValue() {
    out_.mutable_values()->RemoveLast();
    budget_.RestartItem();
  }

  absl::Status WriteFields() {
    budget_.StartItem();
    v1::Volume volume;
    FillVolumeFields(geometry_.prim, {frame_}, budget_, volume.mutable_fields());
    if (!budget_.ok()) return GiveUp(FramePartKind::kFields);
    if (base_ && volume.SerializeAsString() == FieldsAt(base_->frame).SerializeAsString()) {
      budget_.RestartItem();
      return absl::OkStatus();
    }
    SD_ASSIGN_OR_RETURN(const bool wanted,
                        writer_.Wants(FramePart(PartId(FramePartKind::kFields), volume)));
    if (!wanted && !is_new_) {
      budget_.RestartItem();
      return absl::OkStatus();
    }
    out_.mutable_fields()->Swap(volume.mutable_fields());
    any_ = true;
    return absl::OkStatus();
  }

  v1::Volume FieldsAt(TimeCode time) {
    v1::Volume volume;
    FillVolumeFields(geometry_.prim, {time}, budget_, volume.mutable_fields());
    return volume;
  }

  absl::Status WriteInstances(const SampledInstances& sampled) {
    budget_.StartItem();
    v1::FrameInstances* out = out_.mutable_instances();
    FramePart part(PartId(FramePartKind::kInstances), *out);
    FillFrameInstances(plan_, geometry_, sampled, writer_, &part, out);
    if (budget_.ok()) {
      SD_ASSIGN_OR_RETURN(const bool wanted, writer_.Wants(part));
      if (!wanted && !is_new_) {
        out_.clear_instances();
        budget_.RestartItem();
        return sampled.error.ok() ? absl::OkStatus() : AddError(sampled.error);
      }
      part.FillArrays(budget_);
    }
    any_ = true;
    if (!budget_.ok()) {
      out->Clear();
      return GiveUp(FramePartKind::kInstances);
    }
    return sampled.error.ok() ? absl::OkStatus() : AddError(sampled.error);
  }

  // Reports a part that is too large.
  absl::Status GiveUp(FramePartKind kind) {
    SD_RETURN_IF_ERROR(writer_.context().Check());
    const absl::Status failure = budget_.status();
    writer_.filter().Forget(PartId(kind));
    budget_.RestartItem();
    return AddError(failure);
  }

  absl::Status AddError(const absl::Status& failure) {
    return writer_.AddError(geometry_.prim.PathText(), failure);
  }

  const FramePlan& plan_;
  const FrameGeometry& geometry_;
  const TimeCode frame_;
  const std::optional<FrameTimes>& base_;
  const ComputedGeometry& computed_;
  FrameWriter& writer_;
  ReplyBudget& budget_;
  v1::FrameGeometry& out_;
  bool is_new_ = false;  // all of it is sent
  bool any_ = false;     // whether something is sent
};

}  // namespace

absl::StatusOr<bool> GeometryStep::Continue(FrameWriter& writer) {
  while (writer.HasRoom()) {
    if (next_of_batch_ == batch_.size()) {
      if (next_ == indices_.size()) return true;
      SD_RETURN_IF_ERROR(TakeBatch(writer.context()));
    }
    ComputedGeometry& computed = batch_[next_of_batch_];
    SD_RETURN_IF_ERROR(Complete(writer.context(), &computed));
    writer.budget().StartItem();
    SD_RETURN_IF_ERROR(GeometryMessage(job_, computed, writer).Write());
    computed = ComputedGeometry();  // its arrays are in the message, or in the outbox
    ++next_of_batch_;
  }
  return next_of_batch_ == batch_.size() && next_ == indices_.size();
}

absl::Status GeometryStep::TakeBatch(RequestContext& context) {
  const size_t count = std::min(batch_size_, indices_.size() - next_);
  batch_.clear();
  next_of_batch_ = 0;
  SD_ASSIGN_OR_RETURN(
      batch_, ComputeGeometry(context, job_, std::span(indices_).subspan(next_, count), complete_));
  next_ += count;
  batch_size_ = std::min(batch_size_ * 2, kMostOfBatch);
  return absl::OkStatus();
}

absl::Status GeometryStep::Complete(RequestContext& context, ComputedGeometry* computed) const {
  if (computed->is_computed) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(auto single,
                      ComputeGeometry(context, job_, {&computed->index, 1}, complete_));
  *computed = std::move(single.front());
  return absl::OkStatus();
}

}  // namespace stagedoor::server
