#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "resolver/access/url.h"

namespace {

// Checks that an accepted URL is in normal form: it parses to itself, and has no component "..".
void CheckNormal(const stagedoor::Url& url) {
  const auto again = stagedoor::ParseUrl(url.Text());
  if (!again.ok() || !(*again == url)) abort();
  if (url.path.front() != '/' || url.host.empty()) abort();
  if ((url.path + "/").find("/../") != std::string::npos) abort();
}

}  // namespace

// Reads any bytes as a URL, and as a reference to another.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto url = stagedoor::ParseUrl(text); url.ok()) CheckNormal(*url);
  const auto base = stagedoor::ParseUrl("https://host:8443/a/b.usd?q");
  if (const auto url = stagedoor::ParseUrlReference(*base, text); url.ok()) CheckNormal(*url);
  (void)stagedoor::UrlForMessage(text);
  return 0;
}
