#ifndef STAGEDOOR_CLIENT_CLI_OUTPUT_H_
#define STAGEDOOR_CLIENT_CLI_OUTPUT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/json_writer.h"

namespace stagedoor {

// Standard output in large pieces. Not thread-safe.
class Output {
 public:
  Output() = default;
  ~Output() { Flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view text);
  void Line(std::string_view text) {
    Write(text);
    Write("\n");
  }
  // What the writer holds, as a line of its own.
  void Line(JsonWriter& json) { Line(json.Take()); }
  void Flush();

 private:
  std::string pending_;
};

// Writes a whole file, replacing it in one step. Errors name the file.
absl::Status WriteFile(const std::string& name, std::string_view content);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_OUTPUT_H_
