#ifndef STAGEDOOR_CLIENT_SDK_VALUES_REPLY_H_
#define STAGEDOOR_CLIENT_SDK_VALUES_REPLY_H_

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/cc/sample_assembler.h"
#include "client/cc/value_batch.h"
#include "client/sdk/array_cache.h"
#include "client/sdk/array_exchange.h"
#include "client/sdk/values.h"

namespace stagedoor::sdk {

// What Values share.
struct Values::Reply {
  Reply(v1::BatchGetValuesRequest asked, v1::BatchGetValuesResponse response,
        ArraysByDigest arrays_of_reply)
      : request(std::move(asked)), batch(std::move(response)), arrays(std::move(arrays_of_reply)) {}

  const v1::BatchGetValuesRequest request;
  const ValueBatch batch;
  // The arrays that are not in the response, by digest.
  const ArraysByDigest arrays;
};

// Takes the arrays of a reply that have digests.
void TakeArrays(const v1::BatchGetValuesRequest& request, ArrayExchange& exchange,
                v1::BatchGetValuesResponse* response);

// Puts the messages of StreamValues together to the reply of BatchGetValues. Not thread-safe.
class StreamedBatch {
 public:
  // Takes the next message; DATA_LOSS if it is not the next item.
  absl::Status Add(v1::StreamValuesResponse item);
  // The reply, once the stream has ended. DATA_LOSS if items are missing.
  absl::StatusOr<v1::BatchGetValuesResponse> Finish(size_t path_count);

 private:
  v1::BatchGetValuesResponse reply_;
  std::unordered_map<std::string, int> columns_;  // by type name
  uint32_t next_ = 0;
};

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

#endif  // STAGEDOOR_CLIENT_SDK_VALUES_REPLY_H_
