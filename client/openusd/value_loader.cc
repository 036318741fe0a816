#include "value_loader.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "daemon_stage.h"
#include "message_fields.h"
#include "value_decoder.h"
#include "wire.h"

namespace stagedoor::openusd {
namespace {

constexpr double kDefaultTime = std::numeric_limits<double>::quiet_NaN();
// The attributes of the first call of an application that reads something: few, because it may read
// only one.
constexpr size_t kFirstWindow = 32, kFirstArrays = 8;
// The size up to which a call reads ahead, in bytes, by the sizes of earlier values.
constexpr size_t kBytesAhead = 8 << 20;
// The attributes that a call looks at for each one that it asks for.
constexpr size_t kVisitsOfItem = 16;
// Default values of up to 128 bytes are kept with their attributes, and no others.
constexpr size_t kKeptBytes = kEntryBytes + 128;
// The samples of one call for all samples of an attribute.
constexpr size_t kSamplesOfArrays = 64, kSamples = 4096;

bool IsAnimated(const PropertyEntry& property) {
  return property.source == wire::VALUE_SOURCE_TIME_SAMPLES ||
         property.source == wire::VALUE_SOURCE_VALUE_CLIPS ||
         property.source == wire::VALUE_SOURCE_SPLINE;
}

// A time sample is a value block where there is no value.
std::optional<VtValue> AsSample(std::optional<VtValue> value) {
  if (value.has_value() && value->IsEmpty()) return VtValue(SdfValueBlock());
  return value;
}

// Whether a layer says something about the default value, besides its animation.
Result<bool> IsDefaultAuthored(const DaemonStage& stage, const std::string& path) {
  WireWriter time, times, request;
  time.Bytes(wire::TimeCode::kDefaultTime, "");
  times.Message(wire::TimeSelection::kTimes, time);
  request.Bytes(wire::ExplainRequest::kPath, path);
  request.Message(wire::ExplainRequest::kTimes, times);
  const Result<Messages> reply = stage.Call("Explain", request);
  if (!reply.ok()) return reply.failure();
  for (WireReader response((*reply)[0]); response.Next();) {
    if (response.field() != wire::ExplainResponse::kExplanations) continue;
    for (WireReader field = response.Message(); field.Next();) {
      if (field.field() == wire::Explanation::kSource) {
        return field.Number() == wire::VALUE_SOURCE_DEFAULT;
      }
    }
  }
  return false;
}

}  // namespace

const VtValue* ValueLoader::FindKept(const PropertyEntry& property) const {
  const VtValue* const kept = property.small_default.get();
  // An empty one is a value block in a layer at one time.
  if (kept == nullptr || kept->IsEmpty() || property.blocked) return nullptr;
  return HasDefault(property).value_or(false) ? kept : nullptr;
}

std::optional<VtValue> ValueLoader::FindHeld(const PropertyEntry& property,
                                             std::optional<double> time) {
  if (time.has_value()) {
    return property.type == nullptr ? VtValue(SdfValueBlock())
                                    : AsSample(cache_.Find(property, *time));
  }
  const std::optional<bool> has = HasDefault(property);
  if (!has.has_value()) return std::nullopt;
  if (!*has) return VtValue();
  if (property.blocked) return VtValue(SdfValueBlock());
  if (const VtValue* const kept = property.small_default.get()) {
    return time_.has_value() ? AsSample(*kept) : *kept;
  }
  std::optional<VtValue> held = cache_.Find(property, time_.value_or(kDefaultTime));
  return time_.has_value() ? AsSample(std::move(held)) : held;
}

std::optional<bool> ValueLoader::HasDefault(const PropertyEntry& property) const {
  if (property.is_relationship || property.type == nullptr) return false;
  if (property.blocked || property.source == wire::VALUE_SOURCE_DEFAULT) return true;
  if (!IsAnimated(property)) return false;
  if (time_.has_value()) return true;
  const KeptAnswer::Answer answer = property.has_default.get();
  if (answer == KeptAnswer::Answer::kUnknown) return std::nullopt;
  return answer == KeptAnswer::Answer::kYes;
}

Result<VtValue> ValueLoader::GetDefault(PrimEntry& prim, const PropertyEntry& property) {
  if (const std::optional<bool> has = HasDefault(property); has.has_value() && !*has)
    return VtValue();
  if (property.blocked) return VtValue(SdfValueBlock());
  if (property.source == wire::VALUE_SOURCE_DEFAULT) {
    return Get(prim, property, time_.value_or(kDefaultTime));
  }
  if (time_.has_value()) {
    Result<VtValue> value = Get(prim, property, *time_);
    if (value.ok() && value->IsEmpty()) return VtValue(SdfValueBlock());
    return value;
  }
  return GetBesidesAnimation(prim, property);
}

Result<VtValue> ValueLoader::GetBesidesAnimation(PrimEntry& prim, const PropertyEntry& property) {
  using Answer = KeptAnswer::Answer;
  if (property.has_default.get() == Answer::kNo) return VtValue();
  Result<VtValue> value = Get(prim, property, kDefaultTime);
  if (!value.ok() || property.has_default.get() == Answer::kYes) return value;
  // Nothing needs no explanation; a value may be the fallback of the schema.
  Result<bool> authored = false;
  if (!value->IsEmpty()) {
    authored =
        IsDefaultAuthored(*prim.block->stage, prim.ScenePath() + "." + property.name.GetString());
    if (!authored.ok()) return authored.failure();
  }
  property.has_default.Keep(*authored);
  return *authored ? value : VtValue();
}

Result<VtValue> ValueLoader::GetSample(PrimEntry& prim, const PropertyEntry& property,
                                       double time) {
  if (property.type == nullptr) return VtValue(SdfValueBlock());
  Result<VtValue> value = Get(prim, property, time);
  if (value.ok() && value->IsEmpty()) return VtValue(SdfValueBlock());
  return value;
}

Result<SdfTimeSampleMap> ValueLoader::GetSamples(PrimEntry& prim, const PropertyEntry& property) {
  SdfTimeSampleMap samples;
  if (property.type == nullptr) return samples;
  ValueRequest request;
  request.Add(prim, property);
  const size_t most = property.is_array ? kSamplesOfArrays : kSamples;
  for (size_t begin = 0; begin < property.times.size(); begin += most) {
    const auto first = property.times.begin() + static_cast<ptrdiff_t>(begin);
    const std::vector<double> times(
        first, first + static_cast<ptrdiff_t>(std::min(most, property.times.size() - begin)));
    const Result<Values> values = prim.block->stage->GetValues(request.Paths(), times);
    if (!values.ok()) return values.failure();
    for (size_t i = 0; i < times.size(); ++i) {
      Result<VtValue> value = DecodeValue(values->get(), 0, i, property);
      if (!value.ok()) return value.failure();
      samples[times[i]] = value->IsEmpty() ? VtValue(SdfValueBlock()) : *std::move(value);
    }
  }
  return samples;
}

Result<VtValue> ValueLoader::Get(PrimEntry& prim, const PropertyEntry& property, double time) {
  std::mutex& mu = fetching_[std::hash<const void*>()(&property) / 64 % fetching_.size()];
  const std::lock_guard<std::mutex> lock(mu);
  // Another thread may have fetched it meanwhile.
  const bool is_default = std::isnan(time) || time_.has_value();
  if (const VtValue* const kept = property.small_default.get(); is_default && kept != nullptr)
    return *kept;
  if (std::optional<VtValue> held = cache_.Find(property, time)) return *std::move(held);
  return Fetch(prim, property, time);
}

Result<VtValue> ValueLoader::Fetch(PrimEntry& prim, const PropertyEntry& property, double time) {
  const DaemonStage& stage = *prim.block->stage;
  const size_t window = NextWindow(prim, property.is_array);
  if (const std::unique_ptr<ValueCall> call = TakeCall(stage, property, time)) {
    const Result<Values> values = call->Wait();
    if (values.ok()) return KeepValues(prim, call->request(), *values, time, window);
  }
  ValueRequest request;
  request.Add(prim, property);
  Collect(prim, property.is_array, time, window, &request);
  const Result<Values> values = stage.GetValues(request.Paths(), {time});
  if (!values.ok()) return values.failure();
  return KeepValues(prim, request, *values, time, window);
}

Result<VtValue> ValueLoader::KeepValues(const PrimEntry& prim, const ValueRequest& request,
                                        const Values& values, double time, size_t window) {
  const std::vector<const PropertyEntry*>& properties = request.properties();
  const PropertyEntry& needed = *properties.front();
  Result<VtValue> value = DecodeValue(values.get(), 0, 0, needed);
  if (!value.ok()) return value;
  Keep(needed, time, *value);
  size_t bytes = BytesOf(needed, *value);
  for (size_t i = 1; i < properties.size(); ++i) {
    const Result<VtValue> other = DecodeValue(values.get(), i, 0, *properties[i]);
    if (!other.ok()) continue;  // an error only for those who need it
    Keep(*properties[i], time, *other);
    bytes += BytesOf(*properties[i], *other);
  }
  {
    const std::lock_guard<std::mutex> lock(mu_);
    read_ahead_[needed.is_array][prim.block] = {prim.index, request.last(), window,
                                                bytes / properties.size()};
  }
  if (window > FirstWindow(needed.is_array)) ReadOn(*prim.block, request.last(), needed, time);
  return value;
}

std::unique_ptr<ValueCall> ValueLoader::TakeCall(const DaemonStage& stage,
                                                 const PropertyEntry& property, double time) {
  if (!stage.IsOwnProcess()) return nullptr;
  const std::lock_guard<std::mutex> lock(mu_);
  std::unique_ptr<ValueCall>& call = next_calls_[property.is_array];
  return call != nullptr && call->BeginsWith(property, time) ? std::move(call) : nullptr;
}

void ValueLoader::ReadOn(const PrimBlock& block, uint32_t first, const PropertyEntry& after,
                         double time) {
  if (first >= block.prims.size()) return;
  const bool is_array = after.is_array;
  ValueRequest request;
  Collect(block.prims[first], is_array, time, NextWindow(block.prims[first], is_array), &request);
  if (request.properties().empty()) return;
  std::unique_ptr<ValueCall> unused;  // destroyed after the lock is released
  const std::lock_guard<std::mutex> lock(mu_);
  std::unique_ptr<ValueCall>& call = next_calls_[is_array];
  if (call != nullptr && !call->has_ended()) return;
  unused = std::move(call);
  call = ValueCall::Start(*block.stage, std::move(request), time);
}

void ValueLoader::Keep(const PropertyEntry& property, double time, const VtValue& value) {
  const bool is_default = std::isnan(time) || time_.has_value();
  if (is_default && BytesOf(property, value) <= kKeptBytes) {
    property.small_default.Keep(value);
  } else {
    cache_.Store(property, time, value);
  }
}

bool ValueLoader::IsHeld(const PropertyEntry& property, double time) const {
  const bool is_default = std::isnan(time) || time_.has_value();
  if (is_default && property.small_default.get() != nullptr) return true;
  return cache_.Holds(property, time);
}

bool ValueLoader::IsWanted(const PropertyEntry& property, double time) const {
  if (property.is_relationship || property.type == nullptr || property.blocked) return false;
  if (time_.has_value() || std::isnan(time)) {
    return property.source == wire::VALUE_SOURCE_DEFAULT || IsAnimated(property);
  }
  return std::binary_search(property.times.begin(), property.times.end(), time);
}

void ValueLoader::Collect(const PrimEntry& prim, bool is_array, double time, size_t window,
                          ValueRequest* request) const {
  const PrimBlock& block = *prim.block;
  const PropertyEntry* const needed =
      request->properties().empty() ? nullptr : request->properties().front();
  size_t visits = window * kVisitsOfItem;
  uint32_t last = prim.index;
  for (; last < block.prims.size(); ++last) {
    const PrimEntry& next = block.prims[last];
    const PropertyTable* const table = next.properties.load(std::memory_order_acquire);
    const size_t size = request->properties().size();
    if (table == nullptr || size >= window || visits < table->properties.size()) break;
    visits -= table->properties.size();
    for (const PropertyEntry& other : table->properties) {
      if (other.is_array != is_array || &other == needed) continue;
      if (!IsWanted(other, time) || IsHeld(other, time)) continue;
      if (request->properties().size() >= window) break;
      request->Add(next, other);
    }
  }
  request->set_last(last);
}

size_t ValueLoader::FirstWindow(bool is_array) const {
  return std::min(is_array ? kFirstArrays : kFirstWindow, prefetch_);
}

size_t ValueLoader::NextWindow(const PrimEntry& prim, bool is_array) {
  const size_t first = FirstWindow(is_array);
  const std::lock_guard<std::mutex> lock(mu_);
  const ReadAhead& state = read_ahead_[is_array][prim.block];
  const bool goes_on = prim.index >= state.first && prim.index <= state.last + 1;
  if (state.window == 0 || !goes_on) return first;
  return std::max(first, std::min({state.window * 4, prefetch_, kBytesAhead / state.bytes}));
}

}  // namespace stagedoor::openusd
