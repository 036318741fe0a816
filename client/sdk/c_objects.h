#ifndef STAGEDOOR_CLIENT_SDK_C_OBJECTS_H_
#define STAGEDOOR_CLIENT_SDK_C_OBJECTS_H_

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "client/sdk/error.h"
#include "client/sdk/stage.h"
#include "client/sdk/stagedoor.h"

// The definitions of the opaque objects of the C interface, and how its functions report errors.

struct sd_error {
  stagedoor::sdk::Error details;
};

struct sd_connection {
  std::shared_ptr<stagedoor::sdk::Connection> connection;
};

struct sd_stage {
  stagedoor::sdk::Stage stage;
};

struct sd_values {
  explicit sd_values(stagedoor::sdk::Values read) : values(std::move(read)) {}

  const stagedoor::sdk::Values values;
  // Values that sd_values_get has returned, by their item, which keep the memory that it refers to.
  mutable stagedoor::Mutex mu;
  mutable std::unordered_map<size_t, stagedoor::sdk::Value> returned ABSL_GUARDED_BY(mu);
};

struct sd_time_samples {
  std::vector<double> times;
};

struct sd_skinned {
  std::vector<stagedoor::sdk::SkinnedPrim> prims;
};

struct sd_transforms {
  stagedoor::sdk::PrimTable<stagedoor::sdk::Matrix4d> table;
};

struct sd_bounds {
  stagedoor::sdk::PrimTable<stagedoor::sdk::Range3d> table;
};

struct sd_messages {
  std::vector<std::string> messages;
};

struct sd_asset {
  stagedoor::sdk::Asset asset;
};

struct sd_watch {
  stagedoor::sdk::Watch watch;
};

struct sd_changes {
  stagedoor::sdk::StageChanges changes;
  std::vector<std::string> paths;  // the resynced ones first
};

struct sd_frame {
  explicit sd_frame(stagedoor::sdk::Frame asked) : frame(std::move(asked)) {}

  stagedoor::sdk::Frame frame;
  // The changes of the last call; in its callback, those of the last message.
  stagedoor::sdk::FrameChanges changes;
  mutable stagedoor::Mutex mu;
  // The arrays of IDs requested since `changes` was set, by kind and whether they are those of
  // changes.
  mutable std::map<std::pair<sd_frame_kind, bool>, std::vector<uint64_t>> ids ABSL_GUARDED_BY(mu);
  // The names of the values of each geometry in `changes`, once they were asked for.
  mutable std::optional<std::unordered_map<uint64_t, std::unordered_set<std::string>>>
      changed_values ABSL_GUARDED_BY(mu);
  // Cancels the call that runs; null if none does.
  std::shared_ptr<stagedoor::Cancellation> cancellation ABSL_GUARDED_BY(mu);
};

namespace stagedoor::sdk {

// The code of a status; fills *error if it is not OK and `error` is not null.
sd_code Report(const absl::Status& status, sd_error** error);
// INVALID_ARGUMENT for an argument that is null.
sd_code ReportNull(const char* argument, sd_error** error);

// Sets *out if there is a result.
template <typename Object, typename Result>
sd_code Return(absl::StatusOr<Result> result, Object** out, sd_error** error) {
  if (!result.ok()) return Report(result.status(), error);
  *out = new Object{*std::move(result)};
  return SD_OK;
}

// The text; empty if it is null.
std::string TextOf(const char* text);
// The texts. INVALID_ARGUMENT if one is null.
absl::StatusOr<std::vector<std::string>> TextsOf(const char* const* texts, size_t count);
// `options` may be null, and shorter than the struct of this version.
CallOptions CallOptionsOf(const sd_call_options* options);
// NaN is the default time.
TimeCode TimeOf(double time);
// The times. INVALID_ARGUMENT if there are none.
absl::StatusOr<Times> TimesOf(const double* times, size_t count);

// Describes a value, which must outlive *out. DATA_LOSS if it could not be decoded.
absl::Status FillValue(const Value& value, sd_value* out);
// A text of a value, in its message; null if there is none.
const char* TextAt(const Value& value, size_t index);

// A struct of options as this version knows it: zero where the caller's is shorter.
template <typename Options>
Options CopyOptions(const Options* options) {
  Options copy = {};
  if (options != nullptr) {
    std::memcpy(&copy, options, std::min(options->struct_size, sizeof(Options)));
  }
  return copy;
}

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_C_OBJECTS_H_
