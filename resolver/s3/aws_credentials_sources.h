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

// A role that is assumed with the token of a service account (web identity), as EKS injects it.
struct AwsWebIdentity {
  std::string token_file;  // read again each time, because the token is replaced
  std::string role_arn;
  std::string session_name;  // "stagedoor" if empty
  Url endpoint;              // of the security token service (STS)
};

// Asks STS for credentials of a role. Errors name the token's file and the origin of the endpoint.
absl::StatusOr<AwsCredentials> LoadCredentialsFromWebIdentity(RequestContext& context,
                                                              HttpClient& client,
                                                              const AwsWebIdentity& identity);

// The endpoint of a container's credentials, such as that of EKS Pod Identity.
struct AwsContainer {
  Url url;
  std::string token;       // of the header "Authorization"; may be empty
  std::string token_file;  // instead of `token`; read again each time
};

// Asks the endpoint of a container. The same errors as those of LoadCredentialsFromUrl.
absl::StatusOr<AwsCredentials> LoadCredentialsFromContainer(RequestContext& context,
                                                            HttpClient& client,
                                                            const AwsContainer& container);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_SOURCES_H_
