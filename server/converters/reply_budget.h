#ifndef STAGEDOOR_SERVER_CONVERTERS_REPLY_BUDGET_H_
#define STAGEDOOR_SERVER_CONVERTERS_REPLY_BUDGET_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor {

// The bytes that one reply may have. Whoever fills a message charges what it is about to put in;
// the first charge that does not fit ends the budget: Charge is false from then on, and whoever
// made the budget answers with status() instead of the message. So converters need no status: they
// stop when a charge fails, and what they have left behind is thrown away.
//
//   if (!budget.Charge(8 * times.size())) return;
//   out->mutable_times()->Add(times.begin(), times.end());
//
// What is charged is also reserved with the request's context, and each charge counts as work, so
// that a loop which charges for its items observes deadline, cancellation and all other bounds.
// Charges are what a message takes in memory, roughly and never less than on the wire.
//
// The budget of a stream begins anew with each message and each item: see StartMessage.
//
// Not thread-safe. Outlived by its context.
class ReplyBudget {
 public:
  // `advice` ends the message of status(): "ask for fewer times, or use StreamValues". A literal.
  ReplyBudget(RequestContext& context, size_t max_bytes, std::string_view advice)
      : max_bytes_(max_bytes), advice_(advice), context_(context), pacer_(context) {}

  RequestContext& context() { return context_; }

  // Takes `bytes`. False: they do not fit, or the request is over; status() says why.
  bool Charge(size_t bytes) {
    if (bytes >= granted_ || !pacer_.Go()) [[unlikely]]
      return Grow(bytes);
    granted_ -= bytes;
    return true;
  }

  // `text` as a string field may hold it (see CoerceToUtf8), charged. Empty if it does not fit.
  std::string Text(std::string_view text);

  // A new element of a repeated message, charged but for what it is filled with. Loops ask ok()
  // before each.
  template <typename Message>
  Message* Add(google::protobuf::RepeatedPtrField<Message>* messages) {
    Charge(sizeof(Message) + sizeof(void*));
    return messages->Add();
  }
  // The same for a string.
  void AddText(std::string_view text, google::protobuf::RepeatedPtrField<std::string>* texts) {
    if (Charge(sizeof(std::string) + sizeof(void*))) *texts->Add() = Text(text);
  }

  // The failure of one item, charged.
  void FillError(const absl::Status& failure, uint32_t item, v1::ItemStatus* out);

  // Whether all charges so far did fit.
  bool ok() const { return status_.ok(); }
  // RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) for too many bytes; otherwise why the request is over.
  const absl::Status& status() const { return status_; }

  // Of a stream: the message before is out, what it took is given back.
  void StartMessage();
  // Of a stream: the next item of a message, which may again have all of `max_bytes`.
  void StartItem();
  // Charged since StartMessage.
  size_t message_bytes() const { return reserved_ - granted_; }
  // What was charged since message_bytes() was `bytes` is thrown away, to be made anew. No effect
  // once a charge has failed.
  void RollBackTo(size_t bytes) {
    if (ok()) granted_ = reserved_ - bytes;
  }

 private:
  bool Grow(size_t bytes);
  absl::Status TryGrow(size_t bytes);

  const size_t max_bytes_;
  const std::string_view advice_;
  RequestContext& context_;
  Pacer pacer_;
  absl::Status status_;
  size_t granted_ = 0;     // reserved and not yet charged
  size_t reserved_ = 0;    // of the message
  size_t item_start_ = 0;  // message_bytes() where the item began
};

// Ends an item of a stream, a message that has an `error`: one that did not fit is emptied and
// tells that. Only fails if the request is over. The caller sets anew what names the item.
template <typename Item>
absl::Status ReportIfTooLarge(ReplyBudget& budget, uint32_t number, Item* item) {
  if (budget.ok()) return absl::OkStatus();
  if (absl::Status over = budget.context().Check(); !over.ok()) return over;
  const absl::Status failure = budget.status();
  budget.StartItem();
  Item().Swap(item);
  budget.FillError(failure, number, item->mutable_error());
  return budget.status();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_REPLY_BUDGET_H_
