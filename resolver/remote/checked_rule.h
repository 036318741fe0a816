#ifndef STAGEDOOR_RESOLVER_REMOTE_CHECKED_RULE_H_
#define STAGEDOOR_RESOLVER_REMOTE_CHECKED_RULE_H_

#include <string>
#include <string_view>
#include <vector>

namespace stagedoor {

// Options for checking a resolver service.
struct ServiceCheckOptions {
  // Asset paths, absolute, of assets that exist. At least one. Nothing is written to them.
  std::vector<std::string> paths;
  // A local directory whose files the service serves below a URI; both empty if there is none. One
  // file is written there and removed.
  std::string writable_directory;
  std::string writable_uri;
};

// The verdict on one rule of docs/resolver_service.md.
struct CheckedRule {
  enum class Verdict { kOk, kFailed, kSkipped };
  std::string_view rule;  // "ranges agree with the whole content"
  Verdict verdict = Verdict::kOk;
  std::string why;  // the reason; if it is kOk, what was checked, or empty
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_CHECKED_RULE_H_
