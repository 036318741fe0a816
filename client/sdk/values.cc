#include "client/sdk/values.h"

#include <optional>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/sdk/values_inl.h"
#include "client/sdk/values_reply.h"

namespace stagedoor::sdk {
namespace {

// `status` as the error of a path, which it names.
absl::Status ErrorAt(const std::string& path, const absl::Status& status) {
  return WithReason(Annotate(status, path), ErrorReason(status), path);
}

}  // namespace

size_t Values::path_count() const {
  return parts_ == nullptr ? reply_->batch.path_count() : parts_->begins.back();
}
size_t Values::time_count() const { return reply_->batch.time_count(); }
const std::string& Values::snapshot() const { return reply_->batch.response().snapshot(); }

std::vector<v1::Warning> Values::warnings() const {
  std::vector<v1::Warning> found;
  if (parts_ != nullptr) {
    for (const Values& part : parts_->values) {
      for (v1::Warning& warning : part.warnings()) found.push_back(std::move(warning));
    }
    return found;
  }
  const auto& warnings = reply_->batch.response().warnings();
  return {warnings.begin(), warnings.end()};
}

const Values& Values::PartWith(size_t* path) const {
  if (parts_ == nullptr || *path >= path_count()) return *this;
  const size_t part = parts_->PartOf(*path);
  *path -= parts_->begins[part];
  return parts_->values[part];
}

absl::StatusOr<Value> Values::Get(size_t path, size_t time) const {
  if (const Values& part = PartWith(&path); &part != this) return part.Get(path, time);
  const ValueBatch& batch = reply_->batch;
  if (path >= path_count() || time >= time_count()) {
    return MakeStatus(
        absl::StatusCode::kOutOfRange,
        Concat("there is no value of path ", path, " at time ", time, ": the batch has ",
               path_count(), " paths and ", time_count(), " times"));
  }
  if (const absl::Status status = batch.status(path, time); !status.ok()) {
    // The reply may claim to have more paths than were asked for.
    if (path >= static_cast<size_t>(reply_->request.paths_size())) return absl::Status(status);
    return ErrorAt(reply_->request.paths(static_cast<int>(path)), status);
  }
  const std::string type_name(batch.type_name(path, time));
  const v1::Value* found = batch.FindValue(path, time);
  if (found == nullptr) {
    return Value(type_name, std::make_shared<const v1::Value>(batch.GetValue(path, time)));
  }
  const std::shared_ptr<const v1::Value> message(reply_, found);
  if (!found->has_array_value() || !found->array_value().unchanged()) {
    return Value(type_name, message);
  }
  const auto array = reply_->arrays.find(found->array_value().digest());
  return Value(type_name, message, array == reply_->arrays.end() ? nullptr : array->second);
}

ValueBatch::Place Values::FindPlain(size_t path, size_t time) const {
  if (const Values& part = PartWith(&path); &part != this) return part.FindPlain(path, time);
  return reply_->batch.FindPlain(path, time);
}

absl::StatusOr<std::vector<double>> Values::GetNumbers(size_t path) const {
  if (const Values& part = PartWith(&path); &part != this) return part.GetNumbers(path);
  std::vector<double> numbers;  // not reserved, because the daemon says how many times there are
  for (size_t time = 0; time < time_count(); ++time) {
    const std::optional<double> number = reply_->batch.GetDouble(path, time);
    if (number.has_value()) {
      numbers.push_back(*number);
    } else {
      SD_ASSIGN_OR_RETURN(const double other, Get<double>(path, time));
      numbers.push_back(other);
    }
  }
  return numbers;
}

}  // namespace stagedoor::sdk
