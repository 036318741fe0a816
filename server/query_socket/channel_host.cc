#include "server/query_socket/channel_host.h"

namespace stagedoor::server {
namespace {

constexpr size_t kPartOfCalls = 4;

}  // namespace

ChannelHost::ChannelHost(CallAdmission& admission, const QueryState& state, int inline_slots,
                         QuerySource* source)
    : admission_(admission),
      state_(state),
      source_(source),
      counters_(admission.GetMethodCounters("stagedoor.v1.QueryService/BatchGetValues",
                                            {RpcGroup::kQuery, CallWeight::kInline})),
      memory_("query channels", admission.bytes().limit() / kPartOfCalls),
      has_own_slots_(inline_slots != kSlotOfGrpc),
      free_slots_(inline_slots) {}

bool ChannelHost::TryAcquireInlineSlot() {
  if (!has_own_slots_) return admission_.TryAcquireInlineSlot();
  if (free_slots_.fetch_sub(1, std::memory_order_acquire) > 0) return true;
  ReleaseInlineSlot();
  return false;
}

void ChannelHost::ReleaseInlineSlot() {
  if (!has_own_slots_) return admission_.ReleaseInlineSlot();
  free_slots_.fetch_add(1, std::memory_order_release);
}

}  // namespace stagedoor::server
