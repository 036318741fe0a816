#ifndef STAGEDOOR_RESOLVER_S3_AWS_ENVIRONMENT_H_
#define STAGEDOOR_RESOLVER_S3_AWS_ENVIRONMENT_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "resolver/http/http_client.h"
#include "resolver/s3/aws_credentials.h"
#include "resolver/s3/aws_credentials_provider.h"
#include "resolver/s3/aws_credentials_sources.h"

namespace stagedoor {

// Where variables of the environment say that credentials are. The first that is set counts, in the
// order of boto3's chain, without the sources that need a person or a home directory (profiles that
// assume roles, single sign-on, ~/.aws), and without the metadata of the instance, which must be
// asked for (--s3-credentials-url):
//
// 1. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN: keys
// 2. AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME, AWS_ENDPOINT_URL_STS: a role
// 3. AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE: a credentials file
// 4. AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE or
//    _TOKEN: the endpoint of a container, such as that of EKS Pod Identity
struct AwsEnvironment {
  AwsCredentials keys;
  std::string web_identity_token_file, role_arn, role_session_name, sts_endpoint;
  std::string credentials_file, profile;
  std::string container_relative_uri, container_full_uri;
  std::string container_token, container_token_file;

  static AwsEnvironment Read();
};

// The names of the variables above that decide, for messages.
inline constexpr std::string_view kAwsEnvironmentSources =
    "AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE, AWS_SHARED_CREDENTIALS_FILE and "
    "AWS_CONTAINER_CREDENTIALS_FULL_URI";

// Loads the credentials that the environment names; anonymous ones if it names none. The client is
// that of the store. INVALID_ARGUMENT names the variable that is wrong.
absl::StatusOr<AwsCredentialsProvider::Load> MakeEnvironmentLoader(
    const AwsEnvironment& environment, std::string_view region, std::shared_ptr<HttpClient> client);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_AWS_ENVIRONMENT_H_
