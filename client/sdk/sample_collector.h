#ifndef STAGEDOOR_CLIENT_SDK_SAMPLE_COLLECTOR_H_
#define STAGEDOOR_CLIENT_SDK_SAMPLE_COLLECTOR_H_

#include <string>
#include <vector>

#include "client/cc/sample_assembler.h"
#include "client/sdk/array_exchange.h"
#include "client/sdk/samples.h"

namespace stagedoor::sdk {

// Puts the messages of SampleValues together to Samples. Not thread-safe.
class SampleCollector {
 public:
  // All arguments must outlive the collector.
  SampleCollector(const google::protobuf::RepeatedPtrField<std::string>& paths,
                  ArrayExchange& exchange, std::vector<Samples>* all);

  // Takes the next message; the errors of SampleAssembler.
  absl::Status Add(const v1::SampleValuesResponse& part) { return assembler_.Add(part); }
  absl::Status Finish() { return assembler_.Finish(); }

 private:
  absl::Status Take(AttributeSamples item);

  const google::protobuf::RepeatedPtrField<std::string>& paths_;
  ArrayExchange& exchange_;
  std::vector<Samples>* const all_;
  SampleAssembler assembler_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_SAMPLE_COLLECTOR_H_
