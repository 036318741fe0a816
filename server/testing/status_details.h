#ifndef STAGEDOOR_SERVER_TESTING_STATUS_DETAILS_H_
#define STAGEDOOR_SERVER_TESTING_STATUS_DETAILS_H_

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include "google/rpc/status.pb.h"

namespace stagedoor::server {

// The detail of type `Detail` in a status; a default one if there is none.
template <typename Detail>
Detail DetailOf(const grpc::Status& status) {
  google::rpc::Status all;
  EXPECT_TRUE(all.ParseFromString(status.error_details()));
  Detail detail;
  for (const google::protobuf::Any& any : all.details()) any.UnpackTo(&detail);
  return detail;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_STATUS_DETAILS_H_
