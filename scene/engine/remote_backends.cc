#include "scene/engine/remote_backends.h"

#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/network_policy.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_store.h"
#include "resolver/remote/remote_change_source.h"
#include "resolver/s3/s3_store.h"
#include "resolver/store/store_resolver.h"

namespace stagedoor {
namespace {

absl::StatusOr<std::shared_ptr<HttpClient>> MakeHttpClient(const RemoteOptions& options,
                                                           UrlAllowList allowed_urls) {
  HttpClientOptions http;
  http.allowed_urls = std::move(allowed_urls);
  SD_ASSIGN_OR_RETURN(http.transfers.network, NetworkPolicy::Parse(options.allowed_networks));
  http.transfers.proxy = options.http_proxy;
  http.transfers.ca_file = options.ca_file;
  return HttpClient::Create(std::move(http));
}

absl::StatusOr<std::shared_ptr<const ObjectStore>> MakeS3(const RemoteOptions& options,
                                                          std::shared_ptr<HttpClient> client) {
  S3StoreOptions s3;
  s3.client = std::move(client);
  s3.endpoint = options.s3_endpoint;
  s3.region = options.s3_region;
  s3.credentials_file = options.s3_credentials_file;
  s3.profile = options.s3_profile;
  s3.credentials_url = options.s3_credentials_url;
  ReadS3Environment(&s3);
  return MakeS3Store(std::move(s3));
}

StoreResolverOptions StoreOptions(const RemoteOptions& options) {
  return {.revalidate = options.revalidate,
          .verify_content = options.verify_content,
          .stale_if_error = options.stale_if_error};
}

}  // namespace

absl::StatusOr<std::unique_ptr<const RemoteBackends>> RemoteBackends::Create(
    const RemoteOptions& options) {
  std::unique_ptr<RemoteBackends> backends(new RemoteBackends());
  if (options.allowed_urls.empty() && options.resolvers.empty()) return backends;
  SD_ASSIGN_OR_RETURN(backends->cache_, BlockCache::Create(options.cache));
  if (!options.allowed_urls.empty()) SD_RETURN_IF_ERROR(backends->AddUrls(options));
  for (const std::string& flag : options.resolvers) {
    SD_RETURN_IF_ERROR(backends->AddService(options, flag));
  }
  return backends;
}

absl::Status RemoteBackends::AddUrls(const RemoteOptions& options) {
  SD_ASSIGN_OR_RETURN(const UrlAllowList allowed, UrlAllowList::Parse(options.allowed_urls));
  SD_ASSIGN_OR_RETURN(http_client_, MakeHttpClient(options, allowed));
  absl::StatusOr<HttpLogins> logins = HttpLogins::Parse(options.http_logins);
  if (!logins.ok()) return Annotate(logins.status(), "--http-login");
  if (allowed.AllowsScheme("http") || allowed.AllowsScheme("https")) {
    SD_ASSIGN_OR_RETURN(std::shared_ptr<const ObjectStore> http,
                        MakeHttpStore({.client = http_client_, .logins = *std::move(logins)}));
    Add(std::make_shared<StoreResolver>(std::move(http), *cache_, StoreOptions(options)),
        {"http", {"http", "https"}});
  }
  if (allowed.AllowsScheme("s3")) {
    SD_ASSIGN_OR_RETURN(std::shared_ptr<const ObjectStore> s3, MakeS3(options, http_client_));
    Add(std::make_shared<StoreResolver>(std::move(s3), *cache_, StoreOptions(options)),
        {"s3", {"s3"}});
  }
  return absl::OkStatus();
}

absl::Status RemoteBackends::AddService(const RemoteOptions& options, const std::string& flag) {
  SD_ASSIGN_OR_RETURN(ResolverServiceOptions service, ParseResolverFlag(flag));
  service.may_name_files = options.resolvers_may_name_files && !service.scheme.empty();
  SD_ASSIGN_OR_RETURN(RemoteBackend backend, ConnectToResolverService(service));
  if (service.scheme.empty() ? without_scheme_ != nullptr : by_scheme_.contains(service.scheme)) {
    return InvalidArgumentError("two backends are given for the scheme ", Quoted(service.scheme));
  }
  auto store = std::make_shared<StoreResolver>(backend.store, *cache_, StoreOptions(options),
                                               backend.identifiers);
  // Results are cached because the same paths are resolved again and again.
  CachingResolverOptions caching;
  caching.found_ttl = caching.missing_ttl = options.revalidate;
  auto resolver = std::make_shared<CachingResolver>(store, std::move(caching));
  if (service.scheme.empty()) {
    without_scheme_ = std::move(resolver);
    infos_.push_back({"remote", {}});
  } else {
    Add(resolver, {"remote", {service.scheme}});
    services_.push_back(
        {std::move(backend), service.scheme, std::move(store), std::move(resolver)});
  }
  return absl::OkStatus();
}

std::vector<std::unique_ptr<ChangeSource>> RemoteBackends::MakeChangeSources() const {
  std::vector<std::unique_ptr<ChangeSource>> sources;
  for (const Service& service : services_) {
    const auto forget = [resolver = service.resolver,
                         paths = service.paths](const AssetChanges& changes) {
      paths->Invalidate();
      if (changes.all) resolver->ExpireAll();
      resolver->Expire(changes.paths);
    };
    sources.push_back(
        std::make_unique<RemoteChangeSource>(service.backend, service.scheme, forget));
  }
  return sources;
}

void RemoteBackends::Add(std::shared_ptr<const Resolver> resolver, const BackendInfo& info) {
  for (const std::string& scheme : info.schemes) by_scheme_[scheme] = resolver;
  infos_.push_back(info);
}

}  // namespace stagedoor
