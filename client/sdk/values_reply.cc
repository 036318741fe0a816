#include "client/sdk/values_reply.h"

#include "base/status.h"
#include "client/sdk/times.h"

namespace stagedoor::sdk {
void TakeArrays(const v1::BatchGetValuesRequest& request, ArrayExchange& exchange,
                v1::BatchGetValuesResponse* response) {
  const std::vector<double> times = NumericTimes(request.times());
  const uint64_t time_count = response->time_count();
  if (time_count == 0) return;  // a valid reply has no items then
  for (v1::ValueColumn& column : *response->mutable_columns()) {
    for (int i = 0; i < column.values_size(); ++i) {
      if (!column.values(i).has_array_value()) continue;
      const uint64_t item = column.items().empty()    ? static_cast<uint64_t>(i)
                            : i < column.items_size() ? column.items(i)
                                                      : std::numeric_limits<uint64_t>::max();
      const uint64_t path = item / time_count;
      if (path >= static_cast<uint64_t>(request.paths_size())) continue;
      const uint64_t time = item % time_count;
      exchange.Take(request.paths(static_cast<int>(path)),
                    time < times.size() ? times[time] : kNoTime, column.mutable_values(i));
    }
  }
}

absl::Status StreamedBatch::Add(v1::StreamValuesResponse item) {
  if (item.item() != next_++) {
    return DataLossError("the daemon's reply is inconsistent: item ", item.item(),
                         " came in place of item ", next_ - 1);
  }
  if (!item.snapshot().empty()) reply_.set_snapshot(item.snapshot());
  for (v1::Warning& warning : *item.mutable_warnings()) reply_.add_warnings()->Swap(&warning);
  reply_.add_states(item.state());
  if (item.has_error()) {
    v1::ItemStatus* error = reply_.add_item_errors();
    error->Swap(item.mutable_error());
    error->set_item(item.item());
  }
  if (!item.has_value()) return absl::OkStatus();
  const auto [at, is_new] = columns_.try_emplace(item.type_name(), reply_.columns_size());
  if (is_new) reply_.add_columns()->set_type_name(item.type_name());
  v1::ValueColumn* column = reply_.mutable_columns(at->second);
  column->add_items(item.item());
  column->add_values()->Swap(item.mutable_value());
  return absl::OkStatus();
}

absl::StatusOr<v1::BatchGetValuesResponse> StreamedBatch::Finish(size_t path_count) {
  if (path_count == 0 || next_ % path_count != 0) {
    return DataLossError("the daemon's reply is inconsistent: it has ", next_, " items for ",
                         path_count, " paths");
  }
  reply_.set_path_count(static_cast<uint32_t>(path_count));
  reply_.set_time_count(static_cast<uint32_t>(next_ / path_count));
  return std::move(reply_);
}

}  // namespace stagedoor::sdk
