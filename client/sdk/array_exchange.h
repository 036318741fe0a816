#ifndef STAGEDOOR_CLIENT_SDK_ARRAY_EXCHANGE_H_
#define STAGEDOOR_CLIENT_SDK_ARRAY_EXCHANGE_H_

#include <string>
#include <vector>

#include "client/sdk/array_cache.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::sdk {

// Connects one call with the cache of arrays: states which ones the client has, and fills in those
// that the daemon left out. Not thread-safe.
class ArrayExchange {
 public:
  // `cache` must outlive the exchange.
  explicit ArrayExchange(ArrayCache& cache) : cache_(cache) {}

  // Expects the arrays that came before for paths at times, or in an interval.
  void Expect(const google::protobuf::RepeatedPtrField<std::string>& paths,
              const v1::TimeSelection& times);
  void Expect(const google::protobuf::RepeatedPtrField<std::string>& paths,
              const v1::TimeInterval& interval);
  // Fills the digest_options of a request with what is expected.
  template <typename Request>
  void Announce(Request* request) const {
    if (!cache_.enabled()) return;
    v1::DigestOptions* options = request->mutable_digest_options();
    options->clear_known();
    for (const auto& [digest, array] : expected_) options->add_known(digest);
  }

  // Takes the array out of a value of a reply if it has a digest; its bytes are then in arrays().
  // `time` is NaN if it is not a number.
  void Take(const std::string& path, double time, v1::Value* value);

  // The arrays that the reply has or refers to, by digest.
  ArraysByDigest& arrays() { return arrays_; }

 private:
  ArrayCache& cache_;
  ArraysByDigest expected_;
  ArraysByDigest arrays_;
};

// The numeric times of a selection, item by item; NaN for other kinds. Empty if it has ranges,
// which the daemon expands.
std::vector<double> NumericTimes(const v1::TimeSelection& times);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_ARRAY_EXCHANGE_H_
