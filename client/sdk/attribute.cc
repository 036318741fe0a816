#include "client/sdk/attribute.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"

namespace stagedoor::sdk {

std::string_view Attribute::name() const {
  const size_t dot = path_.find('.');
  return std::string_view(path_).substr(dot == std::string::npos ? 0 : dot + 1);
}

std::string Attribute::prim_path() const { return path_.substr(0, path_.find('.')); }

absl::Status Attribute::At(const std::string& path, const absl::Status& status) {
  return WithReason(Annotate(status, path), ErrorReason(status), path);
}

absl::StatusOr<Value> Attribute::GetValue(const TimeCode& time, const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const Values values, stage_.GetValues({&path_, 1}, time, call));
  return values.Get(0, 0);
}

void Attribute::GetValueAsync(const TimeCode& time, StageView::Callback<Value> callback,
                              const CallOptions& call) const {
  stage_.GetValuesAsync(
      {&path_, 1}, time,
      [callback = std::move(callback)](const absl::StatusOr<Values>& values) {
        if (!values.ok()) return callback(values.status());
        callback(values->Get(0, 0));
      },
      call);
}

absl::StatusOr<std::vector<double>> Attribute::GetTimeSamples(const CallOptions& call) const {
  v1::StreamTimeSamplesRequest request;
  request.add_paths(path_);
  std::vector<double> times;
  SD_RETURN_IF_ERROR(stage_.Collect(
      &Client::StreamTimeSamples, std::move(request), [&] { times.clear(); },
      [&](const v1::StreamTimeSamplesResponse& part) {
        if (part.has_error()) return ItemErrorAt(path_, part.error());
        const std::span<const double> numbers = PackedNumbers<double>(part.times());
        times.insert(times.end(), numbers.begin(), numbers.end());
        return absl::OkStatus();
      },
      call));
  return times;
}

absl::StatusOr<Samples> Attribute::GetSamples(double start, double end,
                                              const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(std::vector<Samples> all, stage_.GetSamples({&path_, 1}, start, end, call));
  if (all.empty()) return DataLossError("the daemon's reply has no item for ", path_);
  if (!all[0].status.ok()) return At(path_, all[0].status);
  return std::move(all[0]);
}

absl::StatusOr<v1::Explanation> Attribute::Explain(const TimeCode& time,
                                                   const CallOptions& call) const {
  v1::ExplainRequest request;
  request.set_path(path_);
  *request.mutable_times()->add_times() = time.message();
  SD_ASSIGN_OR_RETURN(v1::ExplainResponse reply,
                      stage_.Call(&Client::Explain, std::move(request), call));
  if (reply.explanations().empty()) {
    return DataLossError("the daemon's reply has no explanation of ", path_);
  }
  return std::move(*reply.mutable_explanations(0));
}

}  // namespace stagedoor::sdk
