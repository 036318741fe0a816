#ifndef STAGEDOOR_SERVER_CONFIG_CONFIG_ERRORS_H_
#define STAGEDOOR_SERVER_CONFIG_CONFIG_ERRORS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status.h"
#include "server/config/config_node.h"

namespace stagedoor::server {

// Collects what is wrong with a configuration, so that all of it is reported together.
class ConfigErrors {
 public:
  static constexpr size_t kMaxReported = 20;

  // `file` is the name of the configuration file in messages.
  explicit ConfigErrors(std::string file) : file_(std::move(file)) {}

  // "FILE:LINE:COLUMN", which begins the message of an error in the file.
  std::string Place(const ConfigPosition& position) const {
    return Concat(file_, ":", position.line, ":", position.column);
  }
  // Adds an error in the file; `pieces` are those of Concat.
  template <typename... Pieces>
  void AddAt(const ConfigPosition& position, const Pieces&... pieces) {
    Add(Concat(Place(position), ": ", pieces...));
  }
  // Adds an error that states its place itself.
  void Add(std::string error) {
    if (errors_.size() < kMaxReported) {
      errors_.push_back(std::move(error));
    } else {
      ++unreported_;
    }
  }

  bool empty() const { return errors_.empty(); }
  // INVALID_ARGUMENT with an error a line, or OK if there are none.
  absl::Status status() const {
    if (empty()) return absl::OkStatus();
    const std::string more =
        unreported_ == 0 ? std::string() : Concat("\nand ", unreported_, " more errors");
    return InvalidArgumentError(Join(errors_, "\n"), more);
  }

 private:
  const std::string file_;
  std::vector<std::string> errors_;
  size_t unreported_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_CONFIG_ERRORS_H_
