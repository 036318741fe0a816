#include "scene/engine/remote_backends.h"

#include <utility>

#include "base/status_macros.h"
#include "resolver/access/network_policy.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_store.h"
#include "resolver/store/store_resolver.h"

namespace stagedoor {
namespace {

absl::StatusOr<std::shared_ptr<HttpClient>> MakeHttpClient(const RemoteOptions& options) {
  HttpClientOptions http;
  SD_ASSIGN_OR_RETURN(http.allowed_urls, UrlAllowList::Parse(options.allowed_urls));
  SD_ASSIGN_OR_RETURN(http.transfers.network, NetworkPolicy::Parse(options.allowed_networks));
  http.transfers.proxy = options.http_proxy;
  http.transfers.ca_file = options.ca_file;
  return HttpClient::Create(std::move(http));
}

}  // namespace

absl::StatusOr<std::unique_ptr<const RemoteBackends>> RemoteBackends::Create(
    const RemoteOptions& options) {
  std::unique_ptr<RemoteBackends> backends(new RemoteBackends());
  if (options.allowed_urls.empty()) return backends;
  SD_ASSIGN_OR_RETURN(backends->http_client_, MakeHttpClient(options));
  SD_ASSIGN_OR_RETURN(backends->cache_, BlockCache::Create(options.cache));
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const ObjectStore> http,
                      MakeHttpStore({.client = backends->http_client_}));
  backends->Add(options, std::move(http), {"http", {"http", "https"}});
  return backends;
}

void RemoteBackends::Add(const RemoteOptions& options, std::shared_ptr<const ObjectStore> store,
                         const BackendInfo& info) {
  const auto resolver = std::make_shared<StoreResolver>(
      std::move(store), *cache_,
      StoreResolverOptions{.revalidate = options.revalidate,
                           .stale_if_error = options.stale_if_error});
  for (const std::string& scheme : info.schemes) by_scheme_[scheme] = resolver;
  infos_.push_back(info);
}

}  // namespace stagedoor
