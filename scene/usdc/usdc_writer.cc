#include "scene/usdc/usdc_writer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/usdc/crate_layer_recorder.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

// Time samples that are being written.
struct SamplesAtHand {
  Value value;
  CrateValueRep times;
  std::vector<CrateValueRep> values;

  const TimeSamples& samples() const { return *value.samples(); }
};

class UsdcSource final : public ByteSource {
 public:
  explicit UsdcSource(std::shared_ptr<const Layer> layer)
      : layer_(std::move(layer)),
        values_(&tables_, nullptr),
        replay_(log_),
        order_(layer_->tree()) {}

  absl::StatusOr<bool> Next(RequestContext& context, size_t bytes, std::string* out) override {
    if (!laid_out_) SD_RETURN_IF_ERROR(LayOut(context));
    Pacer pacer(context);
    const size_t start = out->size();
    while (out->size() - start < bytes) {
      const size_t before = out->size();
      if (!Take(start + bytes - before, out) && !Advance()) break;
      SD_RETURN_IF_ERROR(values_.status());
      if (!replay_.consistent()) return Changed();
      SD_RETURN_IF_ERROR(pacer.Step(10 + static_cast<int64_t>((out->size() - before) / 1024)));
    }
    if (out->size() == start && !replay_.Ended(end_)) return Changed();
    return out->size() != start;
  }

 private:
  absl::Status Changed() const {
    return DataLossError(layer_->identifier(),
                         ": the file changed while the layer was being written");
  }

  // The first pass, which assigns the places and makes the tables that follow the values.
  absl::Status LayOut(RequestContext& context) {
    {
      CrateRecorder recorder(&log_);
      values_.set_placement(&recorder);
      SD_RETURN_IF_ERROR(
          CrateLayerRecorder(*layer_, &tables_, &values_).Run(context, recorder, &log_, &emits_));
      end_ = recorder.end();
      const uint64_t contents = tables_.AppendSections(end_, &sections_);
      replay_.text() = CrateTableBuilder::BootSection(values_.version(), contents);
      context.Release(recorder.byte_size());
    }
    SD_RETURN_IF_ERROR(context.Reserve(sections_.size() + log_.size() * sizeof(CrateValueRep),
                                       "the tables of a crate file"));
    values_.set_placement(&replay_);
    laid_out_ = true;
    return absl::OkStatus();
  }

  // Moves up to `most` bytes to `out`; false if there are none.
  bool Take(size_t most, std::string* out) {
    std::string& text = replay_.text();
    if (taken_ < text.size()) {
      const size_t bytes = std::min(most, text.size() - taken_);
      out->append(text, taken_, bytes);
      taken_ += bytes;
      return true;
    }
    text.clear();
    taken_ = 0;
    const std::string_view bulk = replay_.bulk().substr(0, most);
    out->append(bulk);
    replay_.TakeBulk(bulk.size());
    return !bulk.empty();
  }

  // Packs the next value of a field or of time samples; false once everything is done.
  bool Advance() {
    if (samples_) return AdvanceSamples();
    while (!fields_ || field_ == fields_->size()) {
      if (order_.done()) return TakeSections();
      const CrateSpecOrder::Visit visit = order_.Next();
      order_.AddChildren(visit, visit.parent_path);
      fields_.emplace(*layer_, visit.spec);
      field_ = 0;
    }
    const size_t field = field_++;
    if (!emits_[emit_++]) return true;
    Value value = fields_->value(field);
    if (value.samples() != nullptr) {
      samples_.emplace(SamplesAtHand{std::move(value), {}, {}});
      samples_->times = values_.PackTimes(samples_->samples());
    } else {
      PackKept(std::move(value));
    }
    return true;
  }

  bool AdvanceSamples() {
    const size_t next = samples_->values.size();
    if (next < samples_->samples().size()) {
      samples_->values.push_back(PackKept(samples_->samples().At(next)));
    } else {
      values_.PackSamples(samples_->times, samples_->values);
      samples_.reset();
    }
    return true;
  }

  // Packs a value and keeps it, so that the bytes of an array can be taken without copying them.
  CrateValueRep PackKept(Value value) {
    kept_ = std::move(value);
    replay_.set_keeps(kept_.is_array());
    const CrateValueRep rep = values_.Pack(kept_);
    replay_.set_keeps(false);
    return rep;
  }

  bool TakeSections() {
    if (sections_.empty()) return false;
    replay_.text() = std::exchange(sections_, std::string());
    return true;
  }

  const std::shared_ptr<const Layer> layer_;
  CrateTableBuilder tables_;
  CrateValueWriter values_;
  CrateLog log_;
  std::vector<bool> emits_;  // whether a field places new values, by field in order
  std::string sections_;
  uint64_t end_ = 0;  // the end of the values
  bool laid_out_ = false;

  // The state of the second pass.
  CrateReplay replay_;
  size_t taken_ = 0;  // number of bytes taken from its text
  CrateSpecOrder order_;
  std::optional<CrateSpecFields> fields_;  // of the current spec
  size_t field_ = 0;
  size_t emit_ = 0;
  std::optional<SamplesAtHand> samples_;
  Value kept_;
};

}  // namespace

absl::StatusOr<std::string> WriteUsdc(const Layer& layer) {
  RequestContext unbounded;
  CrateTableBuilder tables;
  std::string file(kCrateBootSize, '\0');
  CrateRecorder recorder(&file);
  CrateValueWriter values(&tables, &recorder);
  SD_RETURN_IF_ERROR(
      CrateLayerRecorder(layer, &tables, &values).Run(unbounded, recorder, nullptr, nullptr));
  const uint64_t end = recorder.end();
  const uint64_t contents = tables.AppendSections(end, &file);
  file.replace(0, kCrateBootSize, CrateTableBuilder::BootSection(values.version(), contents));
  return file;
}

ByteSourcePtr UsdcBytes(std::shared_ptr<const Layer> layer) {
  return std::make_unique<UsdcSource>(std::move(layer));
}

}  // namespace stagedoor
