#include "client/sdk/values.h"

#include <limits>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/sdk/values_reply.h"

namespace stagedoor::sdk {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// `status` as the error of a path, which it names.
absl::Status ErrorAt(const std::string& path, const absl::Status& status) {
  return WithReason(Annotate(status, path), ErrorReason(status), path);
}

}  // namespace

size_t Values::path_count() const { return reply_->batch.path_count(); }
size_t Values::time_count() const { return reply_->batch.time_count(); }
const std::string& Values::snapshot() const { return reply_->batch.response().snapshot(); }

std::vector<v1::Warning> Values::warnings() const {
  const auto& warnings = reply_->batch.response().warnings();
  return {warnings.begin(), warnings.end()};
}

absl::StatusOr<Value> Values::Get(size_t path, size_t time) const {
  const ValueBatch& batch = reply_->batch;
  if (path >= path_count() || time >= time_count()) {
    return MakeStatus(
        absl::StatusCode::kOutOfRange,
        Concat("there is no value of path ", path, " at time ", time, ": the batch has ",
               path_count(), " paths and ", time_count(), " times"));
  }
  if (const absl::Status status = batch.status(path, time); !status.ok()) {
    const int index = static_cast<int>(path);
    const bool known = index < reply_->request.paths_size();
    return known ? ErrorAt(reply_->request.paths(index), status) : status;
  }
  const std::string type_name(batch.type_name(path, time));
  const v1::Value* found = batch.FindValue(path, time);
  if (found == nullptr) {
    return Value(type_name, std::make_shared<const v1::Value>(batch.GetValue(path, time)));
  }
  const std::shared_ptr<const v1::Value> message(reply_, found);
  if (!found->has_array_value() || !found->array_value().unchanged()) {
    return Value(type_name, message);
  }
  const auto array = reply_->arrays.find(found->array_value().digest());
  return Value(type_name, message, array == reply_->arrays.end() ? nullptr : array->second);
}

absl::StatusOr<std::vector<double>> Values::GetNumbers(size_t path) const {
  std::vector<double> numbers;
  numbers.reserve(time_count());
  for (size_t time = 0; time < time_count(); ++time) {
    const std::optional<double> number = reply_->batch.GetDouble(path, time);
    if (number.has_value()) {
      numbers.push_back(*number);
    } else {
      SD_ASSIGN_OR_RETURN(const double other, Get<double>(path, time));
      numbers.push_back(other);
    }
  }
  return numbers;
}

void TakeArrays(const v1::BatchGetValuesRequest& request, ArrayExchange& exchange,
                v1::BatchGetValuesResponse* response) {
  const std::vector<double> times = NumericTimes(request.times());
  const uint64_t time_count = response->time_count();
  for (v1::ValueColumn& column : *response->mutable_columns()) {
    for (int i = 0; i < column.values_size(); ++i) {
      if (!column.values(i).has_array_value()) continue;
      const uint64_t item = column.items().empty()    ? static_cast<uint64_t>(i)
                            : i < column.items_size() ? column.items(i)
                                                      : std::numeric_limits<uint64_t>::max();
      const uint64_t path = time_count == 0 ? item : item / time_count;
      if (path >= static_cast<uint64_t>(request.paths_size())) continue;
      const uint64_t time = item % time_count;
      exchange.Take(request.paths(static_cast<int>(path)),
                    time < times.size() ? times[time] : kNoNumber, column.mutable_values(i));
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

SampleCollector::SampleCollector(const google::protobuf::RepeatedPtrField<std::string>& paths,
                                 ArrayExchange& exchange, std::vector<Samples>* all)
    : paths_(paths),
      exchange_(exchange),
      all_(all),
      assembler_([this](AttributeSamples item) { return Take(std::move(item)); }) {}

absl::Status SampleCollector::Take(AttributeSamples item) {
  if (item.item != all_->size() || item.item >= static_cast<uint32_t>(paths_.size())) {
    return DataLossError("the daemon's reply is inconsistent: item ", item.item,
                         " came in place of item ", all_->size());
  }
  const std::string& path = paths_[static_cast<int>(item.item)];
  Samples samples;
  samples.status = item.status;
  samples.type_name = item.type_name;
  samples.constant = item.variation == v1::VALUE_VARIATION_CONSTANT;
  for (AttributeSamples::Sample& sample : item.samples) {
    exchange_.Take(path, sample.time.value_or(kNoNumber), &sample.value);
    auto message = std::make_shared<const v1::Value>(std::move(sample.value));
    SharedArray array;
    if (message->has_array_value() && message->array_value().unchanged()) {
      const auto at = exchange_.arrays().find(message->array_value().digest());
      if (at != exchange_.arrays().end()) array = at->second;
      samples.samples.push_back({sample.time, sample.pre_time, sample.status,
                                 Value(item.type_name, std::move(message), std::move(array))});
    } else {
      samples.samples.push_back(
          {sample.time, sample.pre_time, sample.status, Value(item.type_name, std::move(message))});
    }
  }
  all_->push_back(std::move(samples));
  return absl::OkStatus();
}

}  // namespace stagedoor::sdk
