#ifndef STAGEDOOR_RESOLVER_S3_AWS_SIGNATURE_H_
#define STAGEDOOR_RESOLVER_S3_AWS_SIGNATURE_H_

#include <chrono>
#include <string>
#include <string_view>

#include "resolver/http/http_message.h"
#include "resolver/s3/aws_credentials.h"

namespace stagedoor {

// Signs a request without a body for S3 with AWS Signature Version 4: adds "Authorization" and the
// fields "x-amz-..." to its credentials. All its headers are signed, so it must be complete. Its
// path and query must be encoded as by EncodeForAws.
void SignForS3(const AwsCredentials& keys, std::string_view region, std::chrono::sys_seconds now,
               HttpRequest* request);

// Percent-encodes all but unreserved characters, and '/' if `keep_slash`.
std::string EncodeForAws(std::string_view text, bool keep_slash);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_AWS_SIGNATURE_H_
