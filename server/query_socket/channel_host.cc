#include "server/query_socket/channel_host.h"

namespace stagedoor::server {
namespace {

constexpr size_t kPartOfCalls = 4;

}  // namespace

ChannelHost::ChannelHost(CallAdmission& admission, const QueryState& state, int inline_slots)
    : admission_(admission),
      state_(state),
      counters_(admission.GetMethodCounters("stagedoor.v1.QueryService/BatchGetValues",
                                            {RpcGroup::kQuery, CallWeight::kInline})),
      memory_("query channels", admission.bytes().limit() / kPartOfCalls),
      free_slots_(inline_slots) {}

bool ChannelHost::TryAcquireInlineSlot() {
  if (free_slots_.fetch_sub(1, std::memory_order_acquire) > 0) return true;
  ReleaseInlineSlot();
  return false;
}

}  // namespace stagedoor::server
