#ifndef STAGEDOOR_SERVER_CONVERTERS_REPLY_BUDGET_H_
#define STAGEDOOR_SERVER_CONVERTERS_REPLY_BUDGET_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "base/status_macros.h"
#include "scene/paths/token.h"
#include "scene/values/array_digest.h"
#include "server/converters/array_outbox.h"
#include "server/converters/known_digests.h"
#include "stagedoor/v1/errors.pb.h"

namespace stagedoor {
enum class ValueType : uint8_t;
}  // namespace stagedoor

namespace stagedoor::v1 {
class PackedValues;
}  // namespace stagedoor::v1

namespace stagedoor::server {

class ArrayPlacer;

// Limits the bytes of one reply. A converter charges the bytes of a field before it fills it. After
// the first charge that does not fit, Charge always returns false, and the handler that made the
// budget returns status() instead of the message. Converters therefore return no status: they stop
// when a charge fails, and the incomplete message is discarded.
//
//   if (!budget.Charge(8 * times.size())) return;
//   out->mutable_times()->Add(times.begin(), times.end());
//
// Charged bytes are also reserved in the request's context, and each charge counts as a step of
// work, so a loop that charges for its items observes the deadline, cancellation and all other
// limits. The amount charged is about what the message takes in memory, and never less than on the
// wire.
//
// The budget of a stream starts again with each message and each item: see StartMessage. A stream
// that sends arrays in chunks gives the budget an outbox for them.
//
// Not thread-safe. The context must outlive the budget.
class ReplyBudget {
 public:
  // `advice` ends the message of status(): "request fewer times, or use StreamValues". It must be a
  // literal.
  ReplyBudget(RequestContext& context, size_t max_bytes, std::string_view advice)
      : ReplyBudget(context, max_bytes, advice, nullptr) {}
  // `arrays` may be null, in which case all arrays are in the messages; it must outlive the budget.
  ReplyBudget(RequestContext& context, size_t max_bytes, std::string_view advice,
              ArrayOutbox* arrays)
      : max_bytes_(max_bytes),
        advice_(advice),
        context_(context),
        arrays_(arrays),
        pacer_(context) {}

  RequestContext& context() { return context_; }

  // Charges `bytes`. Returns false if they do not fit or the request is over; see status().
  bool Charge(size_t bytes) {
    if (bytes >= granted_ || !pacer_.Go()) [[unlikely]]
      return Grow(bytes);
    granted_ -= bytes;
    return true;
  }

  // Charges for `text` and returns it as valid UTF-8 (see CoerceToUtf8). Empty if it does not fit.
  std::string Text(std::string_view text);

  // Adds an empty element to a repeated message field and charges for it. Loops check ok() before
  // each element.
  template <typename Message>
  Message* Add(google::protobuf::RepeatedPtrField<Message>* messages) {
    Charge(sizeof(Message) + sizeof(void*));
    return messages->Add();
  }
  // Adds a string to a repeated field and charges for it, if it fits.
  void AddText(std::string_view text, google::protobuf::RepeatedPtrField<std::string>* texts) {
    if (Charge(sizeof(std::string) + sizeof(void*))) *texts->Add() = Text(text);
  }
  // Adds the texts of tokens, as far as they fit.
  void AddTokens(std::span<const Token> tokens,
                 google::protobuf::RepeatedPtrField<std::string>* texts) {
    for (size_t i = 0; i < tokens.size() && ok(); ++i) AddText(tokens[i].text(), texts);
  }

  // Fills the error of one item and charges for it.
  void FillError(const absl::Status& failure, uint32_t item, v1::ItemStatus* out);

  // Adds the warnings of the context that this budget has not added yet, and charges for them.
  void AddWarnings(google::protobuf::RepeatedPtrField<v1::Warning>* out);
  // As AddWarnings, for a message of a stream whose items are complete. Fails only if the request
  // is over.
  absl::Status AddStreamWarnings(google::protobuf::RepeatedPtrField<v1::Warning>* out);

  // Makes arrays carry their digests, and those that the client has be left out, if the request
  // asks for that.
  template <typename Request>
  absl::Status UseDigestOptions(const Request& request) {
    if (!request.has_digest_options()) return absl::OkStatus();
    SD_ASSIGN_OR_RETURN(known_digests_, KnownDigests::Parse(context_, request.digest_options()));
    return absl::OkStatus();
  }
  // The digests of the arrays that the client has; null if the request did not ask for digests.
  const KnownDigests* known_digests() const {
    return known_digests_.has_value() ? &*known_digests_ : nullptr;
  }
  // The digest of an array, and whether the client has it. Nothing if the array has none or the
  // client did not ask.
  struct KnownArray {
    ArrayDigest digest;
    bool known;
  };
  std::optional<KnownArray> DigestOf(ValueType type, const ArrayBase& array, size_t element_bytes);

  // Where arrays go that are sent in chunks; null if there are no chunks.
  const ArrayOutbox* arrays() const { return arrays_; }
  // Leaves an array of `bytes` bytes to the outbox and makes `out` refer to it. The arrays of one
  // item that are in memory may have as many bytes together as the item, or there is only one.
  // Requires arrays().
  void StreamArray(const ArrayBase& array, size_t bytes, v1::PackedValues* out);
  // The number of arrays in the outbox, and the removal of those above a number, because the
  // messages that refer to them are discarded.
  size_t array_count() const { return arrays_ == nullptr ? 0 : arrays_->size(); }
  void ShrinkArrays(size_t count) {
    if (arrays_ != nullptr) arrays_->Shrink(count);
  }

  // Lets large arrays of a unary reply be in memory that the client shares. `placer` may be null;
  // otherwise it must outlive the budget.
  void UsePlacer(ArrayPlacer* placer) { placer_ = placer; }
  ArrayPlacer* placer() const { return placer_; }

  // Whether all charges so far have fit.
  bool ok() const { return status_.ok(); }
  // OK while ok(); then RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) if a charge did not fit, or the
  // error of the context if the request is over.
  const absl::Status& status() const { return status_; }

  // Starts the next message of a stream; releases what the previous one reserved.
  void StartMessage();
  // Starts the next item of a stream's message, which may have `max_bytes` of its own.
  void StartItem();
  // Starts the item again, without what was filled and streamed of it.
  void RestartItem();
  // The bytes charged since StartMessage.
  size_t message_bytes() const { return reserved_ - granted_; }
  // Undoes the charges made since message_bytes() was `bytes`, because that part of the message is
  // filled again. No effect once a charge has failed.
  void RollBackTo(size_t bytes) {
    if (ok()) granted_ = reserved_ - bytes;
  }

 private:
  bool Grow(size_t bytes);
  absl::Status TryGrow(size_t bytes);
  absl::Status TooLarge() const;
  absl::Status TryStream(const ArrayBase& array, size_t bytes, v1::PackedValues* out);

  const size_t max_bytes_;
  const std::string_view advice_;
  RequestContext& context_;
  ArrayOutbox* const arrays_;
  ArrayPlacer* placer_ = nullptr;
  std::optional<KnownDigests> known_digests_;
  Pacer pacer_;
  absl::Status status_;
  size_t granted_ = 0;           // reserved but not yet charged
  size_t reserved_ = 0;          // reserved for the message
  size_t item_start_ = 0;        // message_bytes() at the start of the item
  size_t item_arrays_ = 0;       // array_count() at the start of the item
  size_t item_array_bytes_ = 0;  // of the item's arrays that are in memory
  size_t warnings_added_ = 0;
};

// Ends an item of a stream, which is a message with a field `error`. If the item did not fit,
// empties it and fills its `error`; the caller then sets the fields that name the item again. Fails
// only if the request is over.
template <typename Item>
absl::Status ReportIfTooLarge(ReplyBudget& budget, uint32_t number, Item* item) {
  if (budget.ok()) return absl::OkStatus();
  if (absl::Status over = budget.context().Check(); !over.ok()) return over;
  const absl::Status failure = budget.status();
  budget.RestartItem();
  Item().Swap(item);
  budget.FillError(failure, number, item->mutable_error());
  return budget.status();
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_REPLY_BUDGET_H_
