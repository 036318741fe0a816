#ifndef STAGEDOOR_CLIENT_CC_TOKEN_FILE_H_
#define STAGEDOOR_CLIENT_CC_TOKEN_FILE_H_

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace stagedoor {

// The bearer token in a file. Tokens expire, so the file is read again every few seconds.
// Thread-safe.
class TokenFile {
 public:
  using Clock = std::chrono::steady_clock;

  // An empty `path` means no token.
  explicit TokenFile(std::string path, std::function<Clock::time_point()> now = Clock::now)
      : path_(std::move(path)), now_(std::move(now)) {}

  // "Bearer TOKEN" for the metadata "authorization". Empty without a token. While the file
  // cannot be read, the last token.
  std::string Authorization();

 private:
  const std::string path_;
  const std::function<Clock::time_point()> now_;
  Mutex mu_;
  std::string authorization_ ABSL_GUARDED_BY(mu_);
  Clock::time_point read_again_ ABSL_GUARDED_BY(mu_) = Clock::time_point::min();
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_TOKEN_FILE_H_
