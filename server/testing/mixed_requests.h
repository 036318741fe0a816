#ifndef STAGEDOOR_SERVER_TESTING_MIXED_REQUESTS_H_
#define STAGEDOOR_SERVER_TESTING_MIXED_REQUESTS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "server/testing/generic_call.h"

namespace stagedoor::server {

// A request about MixedScene() in protobuf's text format, in which $ stands for the handle of its
// stage and % for the folder that contains it. "%/package.usdz" is a package with "heavy.usda".
struct MixedRequest {
  const char* name;
  const char* method;  // "QueryService/GetPrim"
  const char* request;
  bool differs = false;  // whether the reply differs from one call to the next
};

void PrintTo(const MixedRequest& request, std::ostream* out);

// One or more requests for each method of the API.
const std::vector<MixedRequest>& MixedRequests();

const google::protobuf::MethodDescriptor& MethodOf(const MixedRequest& request);

std::unique_ptr<google::protobuf::Message> RequestOf(const MixedRequest& request,
                                                     const std::string& stage,
                                                     const std::string& folder);

// Clears the fields that differ from one stage, or one lease, to the next.
void Normalize(GenericReply* reply);

// Describes how the replies differ; empty if they are equal.
std::string Difference(const GenericReply& expected, const GenericReply& actual);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_MIXED_REQUESTS_H_
