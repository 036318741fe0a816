#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_STORE_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_STORE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "resolver/http/http_client.h"
#include "resolver/http/http_logins.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

struct HttpStoreOptions {
  std::shared_ptr<HttpClient> client;  // says what may be read
  HttpLogins logins;
};

// The objects of HTTP servers, named by URLs ("https://host/a.usd"). See HttpObjectStore.
absl::StatusOr<std::shared_ptr<const ObjectStore>> MakeHttpStore(HttpStoreOptions options);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_STORE_H_
