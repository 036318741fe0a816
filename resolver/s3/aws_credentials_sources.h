#ifndef STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_SOURCES_H_
#define STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_SOURCES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/access/url.h"
#include "resolver/http/http_client.h"
#include "resolver/s3/aws_credentials.h"

namespace stagedoor {

// Reads a profile of a shared credentials file. Errors name the file.
absl::StatusOr<AwsCredentials> LoadCredentialsFile(const std::string& path,
                                                   const std::string& profile);

// Asks an endpoint that answers like that of an instance or a container: GET, JSON. If it wants a
// session token of the instance metadata service (version 2), asks for one first. Without a proxy.
// Errors name the origin of the URL only, because its path may be a secret.
absl::StatusOr<AwsCredentials> LoadCredentialsFromUrl(RequestContext& context, HttpClient& client,
                                                      const Url& url);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_SOURCES_H_
