#ifndef STAGEDOOR_CLIENT_SDK_VALUES_CALL_H_
#define STAGEDOOR_CLIENT_SDK_VALUES_CALL_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/array_exchange.h"
#include "client/sdk/times.h"
#include "client/sdk/values.h"

namespace stagedoor::sdk {

// One reading of values: what is asked, and what the reply becomes. Not thread-safe.
class ValuesCall {
 public:
  // `arrays` must outlive the call.
  ValuesCall(std::span<const std::string> paths, const Times& times, ArrayCache& arrays);

  const v1::BatchGetValuesRequest& request() const { return request_; }
  // The request as a stream, for a batch that is too large for one reply.
  v1::StreamValuesRequest StreamRequest() const;
  // The values of a reply. Call it once.
  absl::StatusOr<Values> Finish(absl::StatusOr<v1::BatchGetValuesResponse> reply);
  // The values of the parts of a batch, in order. At least one; DATA_LOSS if a reply has another
  // number of paths or times than the others let expect.
  static absl::StatusOr<Values> Join(std::vector<Values> parts);

 private:
  v1::BatchGetValuesRequest request_;
  ArrayExchange exchange_;
};

// Whether a batch is too large for one reply, so that it must be streamed.
bool IsTooLarge(const absl::Status& status);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_VALUES_CALL_H_
