#include "resolver/s3/aws_environment.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

using Load = AwsCredentialsProvider::Load;

std::string Variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

absl::StatusOr<Url> ParseHttpUrl(const std::string& text, std::string_view variable) {
  absl::StatusOr<Url> url = ParseUrl(text);
  if (!url.ok()) return Annotate(url.status(), variable);
  if (url->scheme == "s3") {
    return InvalidArgumentError(variable, ": the URL must begin with http:// or https://");
  }
  return url;
}

absl::StatusOr<Load> WebIdentityLoader(const AwsEnvironment& environment, std::string_view region,
                                       std::shared_ptr<HttpClient> client) {
  if (environment.role_arn.empty()) {
    return InvalidArgumentError("AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
  }
  std::string endpoint = environment.sts_endpoint;
  if (endpoint.empty()) {
    endpoint =
        Concat("https://sts.", region, ".amazonaws.com", region.starts_with("cn-") ? ".cn" : "");
  }
  AwsWebIdentity identity{.token_file = environment.web_identity_token_file,
                          .role_arn = environment.role_arn,
                          .session_name = environment.role_session_name,
                          .endpoint = {}};
  SD_ASSIGN_OR_RETURN(identity.endpoint, ParseHttpUrl(endpoint, "AWS_ENDPOINT_URL_STS"));
  if (!identity.endpoint.query.empty()) {
    return InvalidArgumentError("AWS_ENDPOINT_URL_STS: the URL must not have a query");
  }
  return [identity, client = std::move(client)](RequestContext& context) {
    return LoadCredentialsFromWebIdentity(context, *client, identity);
  };
}

// Whether credentials may be asked for without encryption at a host: only on this machine, and at
// the link-local addresses that ECS and EKS use.
bool IsContainerHost(const std::string& host) {
  static constexpr std::string_view kHosts[] = {"localhost", "::1", "169.254.170.2",
                                                "169.254.170.23", "fd00:ec2::23"};
  return host.starts_with("127.") ||
         std::find(std::begin(kHosts), std::end(kHosts), host) != std::end(kHosts);
}

absl::StatusOr<Load> ContainerLoader(const AwsEnvironment& environment,
                                     std::shared_ptr<HttpClient> client) {
  const std::string& relative = environment.container_relative_uri;
  const std::string text =
      relative.empty() ? environment.container_full_uri : "http://169.254.170.2" + relative;
  AwsContainer container{.url = {},
                         .token = environment.container_token,
                         .token_file = environment.container_token_file};
  SD_ASSIGN_OR_RETURN(container.url, ParseHttpUrl(text, "AWS_CONTAINER_CREDENTIALS_FULL_URI"));
  if (container.url.scheme == "http" && !IsContainerHost(container.url.host)) {
    return InvalidArgumentError(
        "AWS_CONTAINER_CREDENTIALS_FULL_URI: the URL must begin with https://, or name this "
        "machine, 169.254.170.2, 169.254.170.23 or [fd00:ec2::23]");
  }
  const std::string& token = container.token;
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c >= 0x20 && c < 0x7f; })) {
    return InvalidArgumentError(
        "AWS_CONTAINER_AUTHORIZATION_TOKEN has characters that cannot be sent");
  }
  return [container, client = std::move(client)](RequestContext& context) {
    return LoadCredentialsFromContainer(context, *client, container);
  };
}

}  // namespace

AwsEnvironment AwsEnvironment::Read() {
  AwsEnvironment found;
  found.keys.access_key_id = Variable("AWS_ACCESS_KEY_ID");
  found.keys.secret_access_key = Variable("AWS_SECRET_ACCESS_KEY");
  found.keys.session_token = Variable("AWS_SESSION_TOKEN");
  found.web_identity_token_file = Variable("AWS_WEB_IDENTITY_TOKEN_FILE");
  found.role_arn = Variable("AWS_ROLE_ARN");
  found.role_session_name = Variable("AWS_ROLE_SESSION_NAME");
  found.sts_endpoint = Variable("AWS_ENDPOINT_URL_STS");
  found.credentials_file = Variable("AWS_SHARED_CREDENTIALS_FILE");
  found.profile = Variable("AWS_PROFILE");
  found.container_relative_uri = Variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  found.container_full_uri = Variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  found.container_token = Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  found.container_token_file = Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  return found;
}

absl::StatusOr<Load> MakeEnvironmentLoader(const AwsEnvironment& environment,
                                           std::string_view region,
                                           std::shared_ptr<HttpClient> client) {
  const AwsCredentials& keys = environment.keys;
  if (!keys.access_key_id.empty() || !keys.secret_access_key.empty()) {
    SD_RETURN_IF_ERROR(Annotate(CheckKeys(keys), "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
    return [keys](RequestContext&) { return keys; };
  }
  if (!environment.web_identity_token_file.empty()) {
    return WebIdentityLoader(environment, region, std::move(client));
  }
  if (!environment.credentials_file.empty()) {
    const std::string profile = environment.profile.empty() ? "default" : environment.profile;
    return [path = environment.credentials_file, profile](RequestContext&) {
      return LoadCredentialsFile(path, profile);
    };
  }
  if (!environment.container_relative_uri.empty() || !environment.container_full_uri.empty()) {
    return ContainerLoader(environment, std::move(client));
  }
  return [](RequestContext&) { return AwsCredentials(); };
}

}  // namespace stagedoor
