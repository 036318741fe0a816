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

absl::StatusOr<AwsCredentialsProvider::Load> LoaderOf(const S3StoreOptions& options) {
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
  const AwsCredentials& keys = options.keys;
  if (!keys.access_key_id.empty() || !keys.secret_access_key.empty()) {
    SD_RETURN_IF_ERROR(Annotate(CheckKeys(keys), "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
  }
  return [keys](RequestContext&) { return keys; };
}

}  // namespace

void ReadS3Environment(S3StoreOptions* options) {
  if (options->keys.anonymous()) {
    SetFromEnvironment("AWS_ACCESS_KEY_ID", &options->keys.access_key_id);
    SetFromEnvironment("AWS_SECRET_ACCESS_KEY", &options->keys.secret_access_key);
    SetFromEnvironment("AWS_SESSION_TOKEN", &options->keys.session_token);
  }
  SetFromEnvironment("AWS_REGION", &options->region);
}

absl::StatusOr<std::shared_ptr<const ObjectStore>> MakeS3Store(S3StoreOptions options) {
  S3Protocol::Options protocol{std::nullopt, options.region,
                               "--s3-credentials, --s3-credentials-url and AWS_ACCESS_KEY_ID"};
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
  SD_ASSIGN_OR_RETURN(AwsCredentialsProvider::Load load, LoaderOf(options));
  auto credentials = std::make_shared<AwsCredentialsProvider>(std::move(load), now);
  const UrlAllowList& allowed = options.client->allowed_urls();
  return std::make_shared<const HttpObjectStore>(
      std::move(options.client), std::make_shared<const S3Protocol>(allowed, std::move(protocol),
                                                                    std::move(credentials), now));
}

}  // namespace stagedoor
