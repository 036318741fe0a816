#include "client/cc/sample_assembler.h"

#include <limits>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"

namespace stagedoor {
namespace {

uint64_t BytesOf(v1::ComponentType type) {
  switch (type) {
    case v1::COMPONENT_TYPE_BOOL:
    case v1::COMPONENT_TYPE_UINT8:
      return 1;
    case v1::COMPONENT_TYPE_FLOAT16:
      return 2;
    case v1::COMPONENT_TYPE_INT32:
    case v1::COMPONENT_TYPE_UINT32:
    case v1::COMPONENT_TYPE_FLOAT32:
      return 4;
    case v1::COMPONENT_TYPE_INT64:
    case v1::COMPONENT_TYPE_UINT64:
    case v1::COMPONENT_TYPE_FLOAT64:
    case v1::COMPONENT_TYPE_TIME_CODE:
    case v1::COMPONENT_TYPE_DURATION:
      return 8;
    default:
      return 0;
  }
}

// The bytes of an array that is sent in chunks; nothing if its description makes no sense.
std::optional<uint64_t> BytesOf(const v1::PackedValues& array) {
  const uint64_t element = BytesOf(array.component_type()) * array.components();
  if (element == 0) return std::nullopt;
  if (array.count() > std::numeric_limits<uint64_t>::max() / element) return std::nullopt;
  return array.count() * element;
}

absl::Status Inconsistent(uint32_t item, std::string_view why) {
  return DataLossError("the reply is inconsistent at item ", item, ": ", why);
}

}  // namespace

SampleAssembler::SampleAssembler(Take take) : take_(std::move(take)) {}

absl::Status SampleAssembler::Add(const v1::SampleValuesResponse& message) {
  for (const v1::SampledItem& part : message.items()) SD_RETURN_IF_ERROR(AddPart(part));
  return message.data().empty() ? absl::OkStatus() : AddData(message.data());
}

absl::Status SampleAssembler::Finish() {
  const absl::Status status = HandOver();
  item_.reset();
  return status;
}

absl::Status SampleAssembler::AddPart(const v1::SampledItem& part) {
  if (bytes_missing_ != 0) return Inconsistent(part.item(), "an array before it is not complete");
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
  for (const v1::ValueSample& sample : part.samples()) SD_RETURN_IF_ERROR(AddSample(sample));
  return absl::OkStatus();
}

absl::Status SampleAssembler::AddSample(const v1::ValueSample& sample) {
  if (bytes_missing_ != 0) return Inconsistent(item_->item, "an array is not complete");
  AttributeSamples::Sample& added = item_->samples.emplace_back();
  if (sample.has_time()) added.time = sample.time();
  added.pre_time = sample.pre_time();
  switch (sample.state()) {
    case v1::ITEM_STATE_NONE:
      return absl::OkStatus();
    case v1::ITEM_STATE_BLOCKED:
      added.value.mutable_block();
      return absl::OkStatus();
    case v1::ITEM_STATE_ERROR:
      added.status = ItemError(sample.error());
      return absl::OkStatus();
    case v1::ITEM_STATE_VALUE:
      break;
    default:
      added.status = UnknownStateError(sample.state());
      return absl::OkStatus();
  }
  if (!sample.has_array()) {
    added.value = sample.value();
    return absl::OkStatus();
  }
  const std::optional<uint64_t> bytes = BytesOf(sample.array());
  if (!bytes) return Inconsistent(item_->item, "an array has no valid type and size");
  *added.value.mutable_array_value() = sample.array();
  bytes_missing_ = *bytes;
  return absl::OkStatus();
}

absl::Status SampleAssembler::AddData(const std::string& data) {
  if (data.size() > bytes_missing_) {
    return DataLossError("the reply is inconsistent: it has more bytes than its arrays");
  }
  bytes_missing_ -= data.size();
  item_->samples.back().value.mutable_array_value()->mutable_data()->append(data);
  return absl::OkStatus();
}

absl::Status SampleAssembler::HandOver() {
  if (!item_) return absl::OkStatus();
  if (bytes_missing_ != 0 || item_->samples.size() != sample_count_) {
    return Inconsistent(item_->item, "it is not complete");
  }
  return take_(std::move(*item_));
}

}  // namespace stagedoor
