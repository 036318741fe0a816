#ifndef STAGEDOOR_CLIENT_OPENUSD_ASSET_CONTEXT_H_
#define STAGEDOOR_CLIENT_OPENUSD_ASSET_CONTEXT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "asset_source.h"
#include "usd.h"

namespace stagedoor::openusd {

// The object of an ArResolverContext, which an application binds to read assets from a daemon other
// than the default, or with search paths and pins. Two are equal if their texts are. Cheap to copy,
// thread-safe.
class AssetContext {
 public:
  AssetContext(std::string text, std::shared_ptr<const AssetSource> source)
      : text_(std::move(text)), source_(std::move(source)) {}

  const std::shared_ptr<const AssetSource>& source() const { return source_; }
  const std::string& text() const { return text_; }

  friend bool operator==(const AssetContext& a, const AssetContext& b) {
    return a.text_ == b.text_;
  }
  friend bool operator<(const AssetContext& a, const AssetContext& b) { return a.text_ < b.text_; }
  friend size_t hash_value(const AssetContext& context) {
    return std::hash<std::string>()(context.text_);
  }

 private:
  std::string text_;
  std::shared_ptr<const AssetSource> source_;
};

// For messages of OpenUSD.
inline std::string ArGetDebugString(const AssetContext& context) {
  return "stagedoor-asset: " + context.text();
}

}  // namespace stagedoor::openusd

// As AR_DECLARE_RESOLVER_CONTEXT, which must be in OpenUSD's namespace.
template <>
struct STAGEDOOR_USD::ArIsContextObject<stagedoor::openusd::AssetContext> {
  static const bool value = true;
};

#endif  // STAGEDOOR_CLIENT_OPENUSD_ASSET_CONTEXT_H_
