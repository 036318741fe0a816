#include "client/cc/sample_assembler.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"

namespace stagedoor {
namespace {

absl::Status Inconsistent(uint32_t item, std::string_view why) {
  return DataLossError("the reply is inconsistent at item ", item, ": ", why);
}

}  // namespace

SampleAssembler::SampleAssembler(Take take) : take_(std::move(take)) {}

absl::Status SampleAssembler::Add(const v1::SampleValuesResponse& message) {
  for (const v1::SampledItem& part : message.items()) SD_RETURN_IF_ERROR(AddPart(part));
  return absl::OkStatus();
}

absl::Status SampleAssembler::Finish() {
  const absl::Status status = HandOver();
  item_.reset();
  return status;
}

absl::Status SampleAssembler::AddPart(const v1::SampledItem& part) {
  if (!item_ || item_->item != part.item()) {
    if (part.item() != (item_ ? item_->item + 1 : 0)) {
      return Inconsistent(part.item(), "items are missing before it");
    }
    SD_RETURN_IF_ERROR(HandOver());
    item_.emplace();
    item_->item = part.item();
    item_->type_name = part.type_name();
    item_->variation = part.variation();
    sample_count_ = part.sample_count();
    if (part.has_error()) item_->status = ItemError(part.error());
  }
  for (const v1::ValueSample& sample : part.samples()) AddSample(sample);
  return absl::OkStatus();
}

void SampleAssembler::AddSample(const v1::ValueSample& sample) {
  AttributeSamples::Sample& added = item_->samples.emplace_back();
  if (sample.has_time()) added.time = sample.time();
  added.pre_time = sample.pre_time();
  switch (sample.state()) {
    case v1::ITEM_STATE_NONE:
      return;
    case v1::ITEM_STATE_BLOCKED:
      added.value.mutable_block();
      return;
    case v1::ITEM_STATE_ERROR:
      added.status = ItemError(sample.error());
      return;
    case v1::ITEM_STATE_VALUE:
    case v1::ITEM_STATE_UNCHANGED:
      added.value = sample.value();
      return;
    default:
      added.status = UnknownStateError(sample.state());
  }
}

absl::Status SampleAssembler::HandOver() {
  if (!item_) return absl::OkStatus();
  if (item_->samples.size() != sample_count_) {
    return Inconsistent(item_->item, "it is not complete");
  }
  return take_(std::move(*item_));
}

}  // namespace stagedoor
