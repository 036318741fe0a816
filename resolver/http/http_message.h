#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_MESSAGE_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_MESSAGE_H_

#include <vector>

#include "resolver/access/url.h"
#include "resolver/http/http_headers.h"

namespace stagedoor {

struct HttpRequest {
  Url url;
  bool head_only = false;           // HEAD instead of GET
  bool put_empty = false;           // PUT of an empty body instead of GET; not redirected
  std::vector<HttpHeader> headers;  // sent wherever the request is redirected to
  // Fields such as "Authorization", which are sent only to the origin of `url`.
  std::vector<HttpHeader> credentials;
  // Whether the allow-list of URLs does not apply, because the operator's configuration leads to
  // this URL, or another check was made; redirects are not followed then.
  bool is_allowed_url = false;
  // Whether the network policy does not apply, because the configuration names the host.
  bool is_allowed_host = false;
  bool use_proxy = true;
};

struct HttpResponseHead {
  int status = 0;
  Url url;  // what answered, after redirects
  HttpHeaders headers;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_MESSAGE_H_
