#ifndef STAGEDOOR_CLIENT_SDK_ATTRIBUTE_H_
#define STAGEDOOR_CLIENT_SDK_ATTRIBUTE_H_

#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/stage_view.h"
#include "client/sdk/times.h"
#include "client/sdk/values.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::sdk {

// A handle to an attribute, which need not exist. Keeps its stage open. Thread-safe, but assigning
// to a handle is not. The errors of all methods that ask the daemon: PRIM_NOT_FOUND,
// ATTRIBUTE_NOT_FOUND, WRONG_KIND (a relationship), INVALID_PATH. To read many attributes, use
// Stage::GetValues.
class Attribute {
 public:
  const std::string& path() const { return path_; }
  std::string_view name() const;
  const StageView& stage() const { return stage_; }
  // The path of the prim that has the attribute.
  std::string prim_path() const;

  // The value at a time as a T: see Value::Get.
  //
  //   attribute.Get<double>(12)
  //   attribute.Get<std::span<const Vec3f>>(12)        // an Array<Vec3f>, without a copy
  //   attribute.Get<std::optional<std::string>>(TimeCode::Default())
  template <typename T>
  absl::StatusOr<typename ValueGetter<T>::Result> Get(const TimeCode& time,
                                                      const CallOptions& call = {}) const {
    return As<T>(path_, GetValue(time, call));
  }
  absl::StatusOr<Value> GetValue(const TimeCode& time, const CallOptions& call = {}) const;

  // As Get and GetValue, without waiting: the future or the callback gets what Get returns. The
  // call keeps the stage open until it has ended.
  //
  //   std::future points = attribute.GetAsync<std::span<const Vec3f>>(12);
  template <typename T>
  std::future<absl::StatusOr<typename ValueGetter<T>::Result>> GetAsync(
      const TimeCode& time, const CallOptions& call = {}) const {
    return FutureOf<absl::StatusOr<typename ValueGetter<T>::Result>>(
        [&](auto callback) { GetAsync<T>(time, std::move(callback), call); });
  }
  template <typename T>
  void GetAsync(const TimeCode& time, StageView::Callback<typename ValueGetter<T>::Result> callback,
                const CallOptions& call = {}) const {
    GetValueAsync(
        time,
        [path = path_, callback = std::move(callback)](const absl::StatusOr<Value>& value) {
          callback(As<T>(path, value));
        },
        call);
  }
  void GetValueAsync(const TimeCode& time, StageView::Callback<Value> callback,
                     const CallOptions& call = {}) const;

  // The times of the samples, in time codes of the stage.
  absl::StatusOr<std::vector<double>> GetTimeSamples(const CallOptions& call = {}) const;
  // The samples that determine the value from `start` to `end`.
  absl::StatusOr<Samples> GetSamples(double start, double end, const CallOptions& call = {}) const;
  // Where the value at a time comes from, or why there is none.
  absl::StatusOr<v1::Explanation> Explain(const TimeCode& time, const CallOptions& call = {}) const;

 private:
  friend class Prim;
  friend class Stage;
  Attribute(StageView stage, std::string path) : stage_(std::move(stage)), path_(std::move(path)) {}

  // `status` with the path of an attribute.
  static absl::Status At(const std::string& path, const absl::Status& status);
  // The value of an attribute as a T.
  template <typename T>
  static absl::StatusOr<typename ValueGetter<T>::Result> As(const std::string& path,
                                                            const absl::StatusOr<Value>& value) {
    if (!value.ok()) return value.status();
    auto result = value->Get<T>();
    if (!result.ok()) return At(path, result.status());
    return result;
  }

  StageView stage_;
  std::string path_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_ATTRIBUTE_H_
