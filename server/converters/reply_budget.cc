#include "server/converters/reply_budget.h"

#include <algorithm>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/values/digest_of.h"
#include "scene/values/source_bytes.h"
#include "server/error_info.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {
namespace {

// Bytes are reserved in the context in slabs of this size, so that most charges need no
// reservation.
constexpr size_t kSlabBytes = 64 << 10;

}  // namespace

std::string ReplyBudget::Text(std::string_view text) {
  // An invalid byte takes three bytes as U+FFFD.
  std::string out;
  if (!Charge(text.size())) return out;
  out = CoerceToUtf8(text);
  if (out.size() > text.size() && !Charge(out.size() - text.size())) out.clear();
  return out;
}

void ReplyBudget::FillError(const absl::Status& failure, uint32_t item, v1::ItemStatus* out) {
  constexpr size_t kReasonBytes = 64;
  if (!Charge(sizeof(v1::ItemStatus) + kReasonBytes + Message(failure).size())) return;
  FillItemStatus(failure, item, out);
}

absl::Status ReplyBudget::AddStreamWarnings(google::protobuf::RepeatedPtrField<v1::Warning>* out) {
  // A clip that was not opened because the request is over is not a warning.
  SD_RETURN_IF_ERROR(context_.Check());
  StartItem();
  AddWarnings(out);
  return status();
}

void ReplyBudget::AddWarnings(google::protobuf::RepeatedPtrField<v1::Warning>* out) {
  if (context_.warning_count() == warnings_added_) return;
  const std::vector<Warning> warnings = context_.warnings();
  while (warnings_added_ < warnings.size()) {
    const Warning& warning = warnings[warnings_added_++];
    v1::Warning* added = Add(out);
    Charge(warning.asset.size() + warning.path.size() + warning.message.size());
    if (!ok()) return;
    FillWarning(warning, added);
  }
}

bool ReplyBudget::Grow(size_t bytes) {
  if (status_.ok()) status_ = TryGrow(bytes);
  if (!status_.ok()) granted_ = 0;  // so that later charges end up here too
  return status_.ok();
}

absl::Status ReplyBudget::TryGrow(size_t bytes) {
  SD_RETURN_IF_ERROR(context_.Check());
  if (bytes >= granted_) {
    const size_t left = max_bytes_ - (message_bytes() - item_start_);
    if (bytes > left) return TooLarge();
    const size_t more = std::min(std::max(bytes, kSlabBytes), left) - granted_;
    SD_RETURN_IF_ERROR(context_.Reserve(more, "a reply"));
    granted_ += more;
    reserved_ += more;
  }
  granted_ -= bytes;
  return absl::OkStatus();
}

absl::Status ReplyBudget::TooLarge() const {
  return WithReason(
      ResourceExhaustedError("the reply would exceed ", max_bytes_, " bytes; ", advice_),
      v1::ERROR_REASON_REQUEST_TOO_LARGE);
}

std::optional<ReplyBudget::KnownArray> ReplyBudget::DigestOf(ValueType type, const ArrayBase& array,
                                                             size_t element_bytes) {
  if (!known_digests_.has_value() || !ok()) return std::nullopt;
  const auto digest = stagedoor::DigestOf(context_, type, array, element_bytes);
  if (!digest.ok()) {
    status_ = digest.status();
    granted_ = 0;
    return std::nullopt;
  }
  if (!digest->has_value()) return std::nullopt;
  return KnownArray{**digest, known_digests_->Contains(**digest)};
}

void ReplyBudget::StreamArray(const ArrayBase& array, size_t bytes, v1::PackedValues* out) {
  if (!ok()) return;
  status_ = TryStream(array, bytes, out);
  if (!ok()) granted_ = 0;
}

absl::Status ReplyBudget::TryStream(const ArrayBase& array, size_t bytes, v1::PackedValues* out) {
  if (SourceOf(array) == nullptr) {
    if (item_array_bytes_ != 0 && bytes > max_bytes_ - std::min(max_bytes_, item_array_bytes_)) {
      return TooLarge();
    }
    item_array_bytes_ += bytes;
  }
  uint32_t id = 0;
  SD_RETURN_IF_ERROR(arrays_->Add(array, bytes, &id));
  auto streamed = std::make_unique<v1::StreamedArray>();
  streamed->set_id(id);
  streamed->set_total_bytes(bytes);
  out->set_allocated_streamed(streamed.release());
  return absl::OkStatus();
}

void ReplyBudget::StartMessage() {
  context_.Release(reserved_);
  reserved_ = granted_ = item_start_ = 0;
  status_ = absl::OkStatus();
}

void ReplyBudget::StartItem() {
  item_start_ = message_bytes();
  item_arrays_ = array_count();
  item_array_bytes_ = 0;
  status_ = absl::OkStatus();
}

void ReplyBudget::RestartItem() {
  ShrinkArrays(item_arrays_);
  StartItem();
}

}  // namespace stagedoor::server
