#include "client/cc/query_batch.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/status.h"

namespace stagedoor {
namespace {

using Request = v1::BatchGetValuesRequest;
using Response = v1::BatchGetValuesResponse;

constexpr size_t kMaxItems = 16;

size_t PathCount(const Request& request) { return static_cast<size_t>(request.paths_size()); }
size_t TimeCount(const Request& request) {
  return static_cast<size_t>(request.times().times_size()) +
         static_cast<size_t>(request.times().frames_size());
}

// Appends the value at `from` of a column to another one, and removes it from the column if that
// saves a copy. False if the column has no such value.
bool MoveValue(v1::ValueColumn* column, size_t from, v1::ValueColumn* to) {
  const auto has = [from](const auto& values) { return from < static_cast<size_t>(values.size()); };
  const int i = static_cast<int>(from);
  if (has(column->doubles())) {
    to->add_doubles(column->doubles(i));
  } else if (has(column->floats())) {
    to->add_floats(column->floats(i));
  } else if (has(column->ints())) {
    to->add_ints(column->ints(i));
  } else if (has(column->bools())) {
    to->add_bools(column->bools(i));
  } else if (has(column->strings())) {
    to->add_strings(std::move(*column->mutable_strings(i)));
  } else if (has(column->values())) {
    to->add_values()->Swap(column->mutable_values(i));
  } else if (from < column->tuples().count()) {
    const v1::PackedValues& all = column->tuples();
    const size_t bytes = all.data().size() / all.count();
    v1::PackedValues* some = to->mutable_tuples();
    some->set_component_type(all.component_type());
    some->set_shape(all.shape());
    some->set_rows(all.rows());
    some->set_columns(all.columns());
    some->set_count(some->count() + 1);
    some->mutable_data()->append(all.data(), from * bytes, bytes);
  } else {
    return false;
  }
  return true;
}

// Distributes the items of a joined reply.
class ReplySplitter {
 public:
  explicit ReplySplitter(std::span<const Request* const> requests) {
    for (const Request* request : requests) {
      const size_t times = TimeCount(*request), items = PathCount(*request) * times;
      for (size_t i = 0; i < items; ++i) {
        owners_.push_back({.query = replies_.size(), .item = i, .times = times});
      }
      Response& reply = replies_.emplace_back();
      reply.set_path_count(static_cast<uint32_t>(PathCount(*request)));
      reply.set_time_count(static_cast<uint32_t>(times));
    }
  }

  absl::StatusOr<std::vector<Response>> Split(Response* joined) {
    for (Response& reply : replies_) reply.set_snapshot(joined->snapshot());
    bool fits = joined->path_count() == owners_.size() && joined->time_count() == 1;
    for (v1::ValueColumn& column : *joined->mutable_columns()) fits = fits && SplitColumn(&column);
    fits = fits && SplitStates(*joined);
    for (Response& reply : replies_) *reply.mutable_warnings() = joined->warnings();
    for (v1::ItemStatus& error : *joined->mutable_path_errors()) {
      fits = fits && AddError(&error, &Response::mutable_path_errors, /*of_path=*/true);
    }
    for (v1::ItemStatus& error : *joined->mutable_item_errors()) {
      fits = fits && AddError(&error, &Response::mutable_item_errors, /*of_path=*/false);
    }
    const auto sources = static_cast<size_t>(joined->sources_size());
    fits = fits && (sources == 0 || sources == owners_.size());
    for (size_t i = 0; fits && i < sources; ++i) {
      if (IsFirstOfPath(i)) ReplyOf(i).add_sources(joined->sources(static_cast<int>(i)));
    }
    if (!fits) return InternalError("the daemon's reply does not have the items of the request");
    return std::move(replies_);
  }

 private:
  // The query to which an item of the joined request belongs.
  struct Owner {
    size_t query = 0;
    size_t item = 0;   // in the query
    size_t times = 1;  // of the query
  };

  Response& ReplyOf(size_t item) { return replies_[owners_[item].query]; }
  // Each path of a query is in the joined request once for each time.
  bool IsFirstOfPath(size_t item) const { return owners_[item].item % owners_[item].times == 0; }

  bool SplitColumn(v1::ValueColumn* column) {
    std::vector<v1::ValueColumn*> parts(replies_.size());
    const bool all = column->items().empty();
    const size_t count = all ? owners_.size() : static_cast<size_t>(column->items_size());
    for (size_t i = 0; i < count; ++i) {
      const size_t item = all ? i : column->items(static_cast<int>(i));
      if (item >= owners_.size()) return false;
      const Owner& owner = owners_[item];
      v1::ValueColumn*& part = parts[owner.query];
      if (part == nullptr) {
        part = replies_[owner.query].add_columns();
        part->set_type_name(column->type_name());
      }
      if (!MoveValue(column, i, part)) return false;
      part->add_items(static_cast<uint32_t>(owner.item));
    }
    for (size_t query = 0; query < parts.size(); ++query) {
      const Response& reply = replies_[query];
      if (parts[query] == nullptr) continue;
      const size_t items = size_t{reply.path_count()} * reply.time_count();
      if (static_cast<size_t>(parts[query]->items_size()) == items) parts[query]->clear_items();
    }
    return true;
  }

  bool SplitStates(const Response& joined) {
    if (joined.states().empty()) return true;
    if (static_cast<size_t>(joined.states_size()) != owners_.size()) return false;
    for (size_t i = 0; i < owners_.size(); ++i) {
      ReplyOf(i).add_states(joined.states(static_cast<int>(i)));
    }
    for (Response& reply : replies_) {
      const auto& states = reply.states();
      const auto is_value = [](int state) { return state == v1::ITEM_STATE_VALUE; };
      if (std::all_of(states.begin(), states.end(), is_value)) reply.clear_states();
    }
    return true;
  }

  bool AddError(v1::ItemStatus* error,
                google::protobuf::RepeatedPtrField<v1::ItemStatus>* (Response::*errors)(),
                bool of_path) {
    const size_t item = error->item();
    if (item >= owners_.size()) return false;
    if (of_path && !IsFirstOfPath(item)) return true;
    v1::ItemStatus* added = (ReplyOf(item).*errors)()->Add();
    added->Swap(error);
    const Owner& owner = owners_[item];
    added->set_item(static_cast<uint32_t>(of_path ? owner.item / owner.times : owner.item));
    return true;
  }

  std::vector<Owner> owners_;  // for each item of the joined request
  std::vector<Response> replies_;
};

}  // namespace

bool IsSmallQuery(const Request& request) {
  const v1::TimeSelection& times = request.times();
  const size_t paths = PathCount(request), count = TimeCount(request);
  return times.ranges().empty() && times.times().empty() != times.frames().empty() &&
         !request.paired() && paths != 0 && paths <= kMaxItems && count <= kMaxItems &&
         paths * count <= kMaxItems;
}

std::string JoinKey(const Request& request) {
  Request rest = request;
  rest.clear_paths();
  rest.clear_times();
  std::string key = rest.SerializeAsString();
  key += request.times().frames().empty() ? 't' : 'f';
  return key;
}

Request JoinQueries(std::span<const Request* const> requests) {
  Request joined = *requests.front();
  joined.clear_paths();
  joined.clear_times();
  joined.set_paired(true);
  for (const Request* request : requests) {
    const v1::TimeSelection& times = request->times();
    for (const std::string& path : request->paths()) {
      for (size_t i = 0; i < TimeCount(*request); ++i) joined.add_paths(path);
      joined.mutable_times()->mutable_times()->MergeFrom(times.times());
      joined.mutable_times()->mutable_frames()->MergeFrom(times.frames());
    }
  }
  return joined;
}

absl::StatusOr<std::vector<Response>> SplitReply(std::span<const Request* const> requests,
                                                 Response reply) {
  return ReplySplitter(requests).Split(&reply);
}

}  // namespace stagedoor
