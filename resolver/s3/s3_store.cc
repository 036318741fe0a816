#include "resolver/s3/s3_store.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/http/http_object_store.h"
#include "resolver/s3/aws_credentials_sources.h"
#include "resolver/s3/s3_protocol.h"

namespace stagedoor {
namespace {

void SetFromEnvironment(const char* name, std::string* value) {
  const char* const text = std::getenv(name);
  if (value->empty() && text != nullptr) *value = text;
}

absl::StatusOr<Url> ParseEndpoint(const std::string& text, std::string_view flag) {
  absl::StatusOr<Url> url = ParseUrl(text);
  if (!url.ok()) return Annotate(url.status(), flag);
  if (url->scheme == "s3") {
    return InvalidArgumentError(flag, ": the URL must begin with http:// or https://");
  }
  return url;
}

absl::Status CheckRegion(std::string_view region) {
  const bool plain = std::all_of(region.begin(), region.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (plain && region.size() <= 32) return absl::OkStatus();
  return InvalidArgumentError("--s3-region: ", Quoted(region), " is not the name of a region");
}

absl::StatusOr<AwsCredentialsProvider::Load> LoaderOf(const S3StoreOptions& options,
                                                      std::string_view region) {
  if (!options.credentials_url.empty()) {
    if (!options.credentials_file.empty()) {
      return InvalidArgumentError(
          "--s3-credentials and --s3-credentials-url cannot be used together");
    }
    SD_ASSIGN_OR_RETURN(const Url url,
                        ParseEndpoint(options.credentials_url, "--s3-credentials-url"));
    return [client = options.client, url](RequestContext& context) {
      return LoadCredentialsFromUrl(context, *client, url);
    };
  }
  if (!options.credentials_file.empty()) {
    const std::string profile = options.profile.empty() ? "default" : options.profile;
    return [path = options.credentials_file, profile](RequestContext&) {
      return LoadCredentialsFile(path, profile);
    };
  }
  AwsEnvironment environment = options.environment;
  if (!options.keys.access_key_id.empty() || !options.keys.secret_access_key.empty()) {
    environment.keys = options.keys;
  }
  if (!options.profile.empty()) environment.profile = options.profile;
  return MakeEnvironmentLoader(environment, region, options.client);
}

}  // namespace

void ReadS3Environment(S3StoreOptions* options) {
  options->environment = AwsEnvironment::Read();
  SetFromEnvironment("AWS_REGION", &options->region);
  SetFromEnvironment("AWS_DEFAULT_REGION", &options->region);
}

absl::StatusOr<std::shared_ptr<const ObjectStore>> MakeS3Store(S3StoreOptions options) {
  S3Protocol::Options protocol{
      std::nullopt, options.region,
      Concat("--s3-credentials, --s3-credentials-url, ", kAwsEnvironmentSources)};
  if (protocol.region.empty()) protocol.region = "us-east-1";
  SD_RETURN_IF_ERROR(CheckRegion(protocol.region));
  if (!options.endpoint.empty()) {
    SD_ASSIGN_OR_RETURN(protocol.endpoint, ParseEndpoint(options.endpoint, "--s3-endpoint"));
    if (!protocol.endpoint->query.empty()) {
      return InvalidArgumentError("--s3-endpoint: the URL must not have a query");
    }
  }
  AwsCredentialsProvider::Now now = options.now;
  if (!now) {
    now = [] {
      return std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    };
  }
  SD_ASSIGN_OR_RETURN(AwsCredentialsProvider::Load load, LoaderOf(options, protocol.region));
  auto credentials = std::make_shared<AwsCredentialsProvider>(std::move(load), now);
  const UrlAllowList& allowed = options.client->allowed_urls();
  return std::make_shared<const HttpObjectStore>(
      std::move(options.client), std::make_shared<const S3Protocol>(allowed, std::move(protocol),
                                                                    std::move(credentials), now));
}

}  // namespace stagedoor
