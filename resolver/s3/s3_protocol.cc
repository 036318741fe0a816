#include "resolver/s3/s3_protocol.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/s3/aws_signature.h"

namespace stagedoor {
namespace {

constexpr std::string_view kVersionIdHeader = "x-amz-version-id";

// The two parts of a handle "V<version ID> <ETag>"; empty for other handles.
struct VersionedHandle {
  std::string_view version_id;
  std::string_view etag;
};

VersionedHandle ParseHandle(std::string_view handle) {
  if (!handle.starts_with('V')) return {};
  const size_t space = std::min(handle.find(' '), handle.size());
  return {handle.substr(1, space - 1), handle.substr(std::min(space + 1, handle.size()))};
}

template <size_t kSize>
bool IsOneOf(std::string_view code, const std::array<std::string_view, kSize>& codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool MeansExpired(std::string_view code) {
  static constexpr std::array<std::string_view, 4> kCodes = {"ExpiredToken", "TokenRefreshRequired",
                                                             "InvalidToken", "InvalidAccessKeyId"};
  return IsOneOf(code, kCodes);
}

bool IsRegionName(std::string_view region) {
  return !region.empty() && region.size() <= 32 &&
         std::all_of(region.begin(), region.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// Whether a bucket can be a part of the host name without breaking TLS certificates.
bool FitsHostName(std::string_view bucket) {
  return bucket.size() <= 63 && std::all_of(bucket.begin(), bucket.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

}  // namespace

Url S3Protocol::UrlOf(std::string_view bucket, std::string_view key) const {
  Url url;
  const std::string encoded_key = EncodeForAws(key, /*keep_slash=*/true);
  if (options_.endpoint) {
    url = *options_.endpoint;
    if (url.path.back() != '/') url.path += '/';
    url.path += Concat(bucket, "/", encoded_key);
    return url;
  }
  url.scheme = "https";
  url.port = 443;
  url.host = Concat("s3.", options_.region, ".amazonaws.com",
                    options_.region.starts_with("cn-") ? ".cn" : "");
  if (FitsHostName(bucket)) {
    url.host = Concat(bucket, ".", url.host);
    url.path = Concat("/", encoded_key);
  } else {
    url.path = Concat("/", bucket, "/", encoded_key);
  }
  return url;
}

absl::StatusOr<HttpRequest> S3Protocol::MakeRequest(const std::string& path,
                                                    const ObjectInfo* info) const {
  SD_ASSIGN_OR_RETURN(const Url url, allowed_.Admit(path));
  if (url.scheme != "s3" || url.path == "/") {
    return InvalidArgumentError("cannot read ", Quoted(UrlForMessage(path)),
                                " from S3: write s3://BUCKET/KEY");
  }
  HttpRequest request;
  request.url = UrlOf(url.host, std::string_view(url.path).substr(1));
  request.is_allowed_url = true;  // because of the allow-list, the path is
  request.is_allowed_host = options_.endpoint.has_value();
  if (info == nullptr) return request;
  const std::string_view version_id = ParseHandle(info->handle).version_id;
  if (!version_id.empty()) {
    request.url.query = Concat("?versionId=", EncodeForAws(version_id, /*keep_slash=*/false));
  }
  return request;
}

absl::Status S3Protocol::Authorize(RequestContext& context, HttpRequest& request) const {
  SD_ASSIGN_OR_RETURN(const AwsCredentials keys, credentials_->Get(context));
  if (!keys.anonymous()) SignForS3(keys, options_.region, now_(), &request);
  return absl::OkStatus();
}

ObjectInfo S3Protocol::Identify(const HttpHeaders& headers, uint64_t size) const {
  ObjectInfo info = IdentifyByValidators(headers, size);
  const std::string_view id = headers.Find(kVersionIdHeader).value_or("null");
  const std::string_view etag =
      info.handle.starts_with("E\"") ? std::string_view(info.handle).substr(1) : "";
  std::string handle = Concat("V", id, " ", etag);
  const bool plain = std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  // Objects from before the bucket kept versions, or since it no longer does, are all "null".
  if (id == "null" || !plain || handle.size() > kMaxHandleBytes) return info;
  Fingerprinter fingerprinter;
  fingerprinter.Add(id);
  fingerprinter.Add(Concat(size));
  info.version = AssetVersion(Concat("v-", fingerprinter.Finish()));
  info.by_time = false;
  info.handle = std::move(handle);
  return info;
}

void S3Protocol::AddIfChanged(const ObjectInfo& known, HttpRequest* request) const {
  if (!known.handle.starts_with('V')) {
    HttpObjectProtocol::AddIfChanged(known, request);
  } else if (const auto etag = ParseHandle(known.handle).etag; !etag.empty()) {
    // Another version with the same ETag has the same content.
    request->headers.push_back({"If-None-Match", std::string(etag)});
  }
}

void S3Protocol::AddIfUnchanged(const ObjectInfo& info, HttpRequest* request) const {
  if (!info.handle.starts_with('V')) HttpObjectProtocol::AddIfUnchanged(info, request);
}

absl::Status S3Protocol::ElsewhereError(const HttpErrorResponse& response) const {
  std::string_view region = response.headers.Find("x-amz-bucket-region").value_or("");
  if (!IsRegionName(region)) region = S3ErrorElement(response.body, "Region");
  if (!IsRegionName(region) || region == options_.region) {
    return FailedPreconditionError(
        "the bucket is in another region, or at another endpoint; check --s3-region and "
        "--s3-endpoint");
  }
  return FailedPreconditionError("the bucket is in the region ", Quoted(region), ", not in ",
                                 Quoted(options_.region), "; set --s3-region=", region);
}

absl::Status S3Protocol::ErrorOf(const HttpErrorResponse& response) const {
  static constexpr std::array<std::string_view, 6> kTemporary = {
      "SlowDown",       "InternalError",    "ServiceUnavailable",
      "RequestTimeout", "OperationAborted", "BadDigest"};
  static constexpr std::array<std::string_view, 5> kElsewhere = {
      "PermanentRedirect", "TemporaryRedirect", "Redirect", "AuthorizationHeaderMalformed",
      "IllegalLocationConstraintException"};
  const int status = response.status;
  const std::string_view code = S3ErrorCode(response.body);
  if (IsOneOf(code, kTemporary)) return UnavailableError("S3 answered ", code);
  const bool redirects = status == 301 || status == 307;
  if (IsOneOf(code, kElsewhere) || (code.empty() && redirects)) return ElsewhereError(response);
  if (code == "InvalidObjectState") {
    return PermissionDeniedError("the object is archived and must be restored first");
  }
  if (MeansExpired(code)) {
    return PermissionDeniedError("the credentials are not valid or have expired (S3 answered ",
                                 code, ")");
  }
  const absl::Status error = HttpStatusError(status);
  const std::string message = code.empty()
                                  ? std::string(Message(error))
                                  : Concat("S3 answered ", code, " (HTTP status ", status, ")");
  const bool unsigned_request = response.request.credentials.empty();
  if (error.code() != absl::StatusCode::kPermissionDenied || !unsigned_request) {
    return MakeStatus(error.code(), message);
  }
  return MakeStatus(error.code(),
                    Concat(message, "; the request was sent unsigned: no credentials found in ",
                           options_.credentials_sources));
}

bool S3Protocol::RenewCredentials(const HttpErrorResponse& response) const {
  const int status = response.status;
  if (status < 400 || status >= 500 || !MeansExpired(S3ErrorCode(response.body))) return false;
  std::string_view token;
  for (const HttpHeader& header : response.request.credentials) {
    if (header.name == "x-amz-security-token") token = header.value;
  }
  credentials_->Expire(token);
  return true;
}

}  // namespace stagedoor
