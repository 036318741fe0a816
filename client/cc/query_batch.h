#ifndef STAGEDOOR_CLIENT_CC_QUERY_BATCH_H_
#define STAGEDOOR_CLIENT_CC_QUERY_BATCH_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stagedoor/v1/query.pb.h"

// Joins several small BatchGetValues requests into one with paired times, and takes its reply
// apart.
namespace stagedoor {

// Whether a request may be joined with others: it has at most 16 items, and its times are frames
// only or time codes only.
bool IsSmallQuery(const v1::BatchGetValuesRequest& request);

// Text that is equal for requests that may be joined: all of a request but its paths and times.
std::string JoinKey(const v1::BatchGetValuesRequest& request);

// Joins requests for which IsSmallQuery is true and whose JoinKey is the same. `requests` must not
// be empty.
v1::BatchGetValuesRequest JoinQueries(std::span<const v1::BatchGetValuesRequest* const> requests);

// Takes the reply to JoinQueries(requests) apart: for each request, the reply that it would have
// got by itself. INTERNAL if the daemon's reply does not fit the request; nothing is read or
// allocated beyond the bytes of the reply.
absl::StatusOr<std::vector<v1::BatchGetValuesResponse>> SplitReply(
    std::span<const v1::BatchGetValuesRequest* const> requests, v1::BatchGetValuesResponse reply);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_QUERY_BATCH_H_
