#include "client/sdk/sample_collector.h"

#include <memory>
#include <utility>

#include "base/status.h"
#include "client/sdk/times.h"

namespace stagedoor::sdk {
SampleCollector::SampleCollector(const google::protobuf::RepeatedPtrField<std::string>& paths,
                                 ArrayExchange& exchange, std::vector<Samples>* all)
    : paths_(paths),
      exchange_(exchange),
      all_(all),
      assembler_([this](AttributeSamples item) { return Take(std::move(item)); }) {}

absl::Status SampleCollector::Take(AttributeSamples item) {
  // The assembler has checked the order.
  if (item.item >= static_cast<uint32_t>(paths_.size())) {
    return DataLossError("the daemon's reply is inconsistent: it has more items than the ",
                         paths_.size(), " paths");
  }
  const std::string& path = paths_[static_cast<int>(item.item)];
  Samples samples;
  samples.status = item.status;
  samples.type_name = item.type_name;
  samples.constant = item.variation == v1::VALUE_VARIATION_CONSTANT;
  for (AttributeSamples::Sample& sample : item.samples) {
    exchange_.Take(path, sample.time.value_or(kNoTime), &sample.value);
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
