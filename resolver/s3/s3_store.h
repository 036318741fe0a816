#ifndef STAGEDOOR_RESOLVER_S3_S3_STORE_H_
#define STAGEDOOR_RESOLVER_S3_S3_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "resolver/http/http_client.h"
#include "resolver/s3/aws_credentials.h"
#include "resolver/s3/aws_credentials_provider.h"
#include "resolver/s3/aws_environment.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// Where objects are, and with which credentials they are read: those of the URL, else of the file,
// else the keys, else what the environment names (AwsEnvironment); without any of them, requests
// are anonymous.
struct S3StoreOptions {
  std::shared_ptr<HttpClient> client;  // its allow-list holds the "s3://..." that may be read
  std::string endpoint;                // --s3-endpoint; empty for AWS
  std::string region;                  // --s3-region; empty for us-east-1
  AwsCredentials keys;
  AwsEnvironment environment;
  std::string credentials_file;     // --s3-credentials
  std::string profile;              // --s3-profile; empty for "default"
  std::string credentials_url;      // --s3-credentials-url
  AwsCredentialsProvider::Now now;  // may be null; for tests
};

// Reads the variables of AwsEnvironment, and AWS_REGION or AWS_DEFAULT_REGION if the region is
// empty.
void ReadS3Environment(S3StoreOptions* options);

// The objects of S3 and compatible servers, named "s3://BUCKET/KEY". INVALID_ARGUMENT names the
// option that is wrong. Credentials are loaded with the first request.
absl::StatusOr<std::shared_ptr<const ObjectStore>> MakeS3Store(S3StoreOptions options);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_S3_STORE_H_
