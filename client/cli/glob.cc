#include "client/cli/glob.h"

#include <fnmatch.h>
#include <locale.h>

#include <string>

namespace stagedoor {
namespace {

// Makes this thread read text as UTF-8 for the lifetime of the object.
class Utf8Scope {
 public:
  Utf8Scope() : before_(uselocale(Utf8())) {}
  ~Utf8Scope() { uselocale(before_); }
  Utf8Scope(const Utf8Scope&) = delete;
  Utf8Scope& operator=(const Utf8Scope&) = delete;

 private:
  // Null, which changes nothing, if the C library does not have the locale.
  static locale_t Utf8() {
    static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    return utf8;
  }

  const locale_t before_;
};

}  // namespace

bool GlobMatches(std::string_view pattern, std::string_view text) {
  const Utf8Scope scope;
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

}  // namespace stagedoor
