#include "server/access/bounded_json.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

using Json = nlohmann::json;

// Checks a text without building a tree of it.
class Checker final : public nlohmann::json_sax<Json> {
 public:
  absl::Status status() const { return status_; }

  bool start_object(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool key(string_t& key) override {
    if (members_.back().insert(std::move(key)).second) return true;
    return Reject("has a member twice in one object");
  }
  bool null() override { return Scalar(); }
  bool boolean(bool) override { return Scalar(); }
  bool number_integer(number_integer_t) override { return Scalar(); }
  bool number_unsigned(number_unsigned_t) override { return Scalar(); }
  bool number_float(number_float_t, const string_t&) override { return Scalar(); }
  bool string(string_t&) override { return Scalar(); }
  bool binary(binary_t&) override { return Scalar(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    // The parser counts the bytes it has consumed, the one at fault included.
    status_ = InvalidArgumentError("is not valid JSON at byte ", std::max<size_t>(position, 1) - 1);
    return false;
  }

 private:
  bool Enter() {
    if (members_.size() == kMaxJsonDepth) {
      return Reject(Concat("is nested more than ", kMaxJsonDepth, " deep"));
    }
    members_.emplace_back();
    return true;
  }
  bool Leave() {
    members_.pop_back();
    return true;
  }
  bool Scalar() { return !members_.empty() || Reject("is not a JSON object"); }
  bool Reject(std::string_view reason) {
    status_ = InvalidArgumentError(reason);
    return false;
  }

  std::vector<std::set<std::string>> members_;  // of the objects around the current value
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Json> ParseJsonObject(std::string_view text) {
  Checker checker;
  Json::sax_parse(text, &checker);
  SD_RETURN_IF_ERROR(checker.status());
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return InvalidArgumentError("is not a JSON object");
  return json;
}

}  // namespace stagedoor::server
