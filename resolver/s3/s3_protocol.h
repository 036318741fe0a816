#ifndef STAGEDOOR_RESOLVER_S3_S3_PROTOCOL_H_
#define STAGEDOOR_RESOLVER_S3_S3_PROTOCOL_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_object_protocol.h"
#include "resolver/s3/aws_credentials_provider.h"

namespace stagedoor {

// How S3 and compatible servers offer objects: GET and HEAD, signed, of "s3://BUCKET/KEY".
//
// The version of an object is its version ID if the bucket keeps versions, so that ranges of old
// versions can still be read; otherwise its ETag. The handle of a version is "V", the version ID, a
// space and the ETag, or that of a plain server. Thread-safe.
class S3Protocol final : public HttpObjectProtocol {
 public:
  struct Options {
    std::optional<Url> endpoint;  // with the bucket in the path; without one, that of AWS
    std::string region;
    // Where credentials are looked for, for errors about requests that were sent without any.
    std::string credentials_sources;
  };

  // `allowed` must outlive it.
  S3Protocol(const UrlAllowList& allowed, Options options,
             std::shared_ptr<AwsCredentialsProvider> credentials, AwsCredentialsProvider::Now now)
      : allowed_(allowed),
        options_(std::move(options)),
        credentials_(std::move(credentials)),
        now_(std::move(now)) {}

  absl::StatusOr<HttpRequest> MakeRequest(const std::string& path,
                                          const ObjectInfo* info) const override;
  absl::Status Authorize(RequestContext& context, HttpRequest& request) const override;
  ObjectInfo Identify(const HttpHeaders& headers, uint64_t size) const override;
  void AddIfChanged(const ObjectInfo& known, HttpRequest* request) const override;
  void AddIfUnchanged(const ObjectInfo& info, HttpRequest* request) const override;
  absl::Status ErrorOf(const HttpErrorResponse& response) const override;
  bool RenewCredentials(const HttpErrorResponse& response) const override;

 private:
  Url UrlOf(std::string_view bucket, std::string_view key) const;
  absl::Status ElsewhereError(const HttpErrorResponse& response) const;

  const UrlAllowList& allowed_;
  const Options options_;
  const std::shared_ptr<AwsCredentialsProvider> credentials_;
  const AwsCredentialsProvider::Now now_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_S3_PROTOCOL_H_
