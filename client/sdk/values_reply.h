#ifndef STAGEDOOR_CLIENT_SDK_VALUES_REPLY_H_
#define STAGEDOOR_CLIENT_SDK_VALUES_REPLY_H_

#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "client/cc/value_batch.h"
#include "client/sdk/array_cache.h"
#include "client/sdk/array_exchange.h"

namespace stagedoor::sdk {

// The reply that copies of a Values object share.
class ValuesReply {
 public:
  ValuesReply(v1::BatchGetValuesRequest asked, v1::BatchGetValuesResponse response,
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

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_VALUES_REPLY_H_
