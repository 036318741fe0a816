// Fuzzes the replies of a hostile daemon to the calls of handles: every value is read as every
// type, through the C++ and the C interface.
//
// The input is a byte that selects the call, and then the messages of the reply, each after its
// size in two bytes, little-endian.
#include <google/protobuf/stubs/logging.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/sdk/c_objects.h"
#include "client/sdk/frame_contents.h"
#include "client/sdk/geometry_reply.h"
#include "client/sdk/imaging_reply.h"
#include "client/sdk/sample_collector.h"
#include "client/sdk/skinning_collector.h"
#include "client/sdk/values_call.h"
#include "client/sdk/values_reply.h"

namespace stagedoor::sdk {
namespace {

constexpr size_t kMaxMessages = 64;
constexpr size_t kMaxReads = 4;  // of paths and times that are asked for

// The paths of the request.
const std::vector<std::string>& Paths() {
  static const auto& paths = *new std::vector<std::string>{"/A.x", "/A.y", "/B.points"};
  return paths;
}

std::vector<std::string_view> MessagesIn(std::string_view input) {
  std::vector<std::string_view> messages;
  while (input.size() >= 2 && messages.size() < kMaxMessages) {
    const size_t size = static_cast<uint8_t>(input[0]) | static_cast<uint8_t>(input[1]) << 8;
    messages.push_back(input.substr(2, size));
    input.remove_prefix(2 + messages.back().size());
  }
  return messages;
}

template <typename Message>
std::optional<Message> Parse(std::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  return message;
}

// Reads all bytes of something, so that the sanitizers see it.
void Touch(const void* data, size_t size) {
  const auto* const bytes = static_cast<const uint8_t*>(data);
  static volatile uint8_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum = sum ^ bytes[i];
}

template <typename T>
void TouchArray(const Value& value) {
  const absl::StatusOr<Array<T>> array = value.Get<Array<T>>();
  if (array.ok()) Touch(array->data(), array->size() * sizeof(T));
  value.Get<std::vector<T>>().status().IgnoreError();
}

template <typename... T>
void TouchArrays(const Value& value) {
  (TouchArray<T>(value), ...);
}

template <typename... T>
void ReadAs(const Value& value) {
  (value.Get<T>().status().IgnoreError(), ...);
}

void ReadAll(const Value& value) {
  ReadAs<bool, int8_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double, std::string,
         AssetPath, Vec3f, Vec2d, Vec4h, Matrix2d, Matrix4d, std::vector<std::string>,
         std::vector<AssetPath>, std::optional<double>, std::optional<std::string>>(value);
  TouchArrays<uint8_t, int32_t, uint32_t, int64_t, uint64_t, Half, float, double, Vec3f, Vec3d,
              Vec4h, Matrix4d>(value);
  const absl::StatusOr<Value::Packed> packed = value.GetPacked();
  if (packed.ok()) Touch(packed->bytes.data(), packed->bytes.size());
}

size_t ComponentSize(sd_component component) {
  return ComponentBytes(static_cast<v1::ComponentType>(component)).value_or(0);
}

void ReadAllInC(const sd_values& values, size_t path, size_t time) {
  sd_value value;
  double number = 0;
  sd_values_number(&values, path, time, &number, nullptr);
  if (sd_values_get(&values, path, time, &value, nullptr) != SD_OK) return;
  if (value.kind == SD_TUPLE || value.kind == SD_ARRAY) {
    Touch(value.data, value.count * value.rows * value.columns * ComponentSize(value.component));
  }
  for (size_t i = 0; value.kind == SD_TEXT && i <= value.count; ++i) {
    const char* const text = sd_values_text(&values, path, time, i);
    if ((text == nullptr) != (i == value.count)) std::abort();
  }
}

void ReadAll(const absl::StatusOr<Values>& read) {
  if (!read.ok()) return;
  const sd_values values(*read);
  const size_t paths = std::min(read->path_count(), kMaxReads);
  const size_t times = std::min(read->time_count(), kMaxReads);
  for (size_t path = 0; path <= paths; ++path) {
    for (size_t time = 0; time <= times; ++time) {
      const absl::StatusOr<Value> value = read->Get(path, time);
      if (value.ok()) ReadAll(*value);
      ReadAllInC(values, path, time);
    }
    read->GetNumbers(path).status().IgnoreError();
  }
  // The last item that the reply says it has.
  read->Get(read->path_count() - 1, read->time_count() - 1).status().IgnoreError();
  read->warnings();
}

void DecodeBatch(const std::vector<std::string_view>& messages, ArrayCache& arrays) {
  for (const std::string_view bytes : messages) {  // later ones may refer to arrays of earlier ones
    auto reply = Parse<v1::BatchGetValuesResponse>(bytes);
    if (!reply.has_value()) return;
    ReadAll(ValuesCall(Paths(), {1, 2}, arrays).Finish(*std::move(reply)));
  }
}

void DecodeStream(const std::vector<std::string_view>& messages, ArrayCache& arrays) {
  StreamedBatch batch;
  for (const std::string_view bytes : messages) {
    auto part = Parse<v1::StreamValuesResponse>(bytes);
    if (!part.has_value() || !batch.Add(*std::move(part)).ok()) return;
  }
  ReadAll(ValuesCall(Paths(), {1, 2}, arrays).Finish(batch.Finish(Paths().size())));
}

void DecodeSamples(const std::vector<std::string_view>& messages, ArrayCache& arrays) {
  v1::SampleValuesRequest request;
  request.mutable_paths()->Add(Paths().begin(), Paths().end());
  v1::TimeInterval interval;
  interval.set_start(0);
  interval.set_end(10);
  ArrayExchange exchange(arrays);
  exchange.Expect(request.paths(), interval);
  std::vector<Samples> all;
  SampleCollector collector(request.paths(), exchange, &all);
  for (const std::string_view bytes : messages) {
    const auto part = Parse<v1::SampleValuesResponse>(bytes);
    if (!part.has_value() || !collector.Add(*part).ok()) break;
  }
  collector.Finish().IgnoreError();
  for (const Samples& samples : all) {
    for (const Samples::Sample& sample : samples.samples) ReadAll(sample.value);
  }
}

template <typename T>
void ReadAll(const absl::StatusOr<PrimTable<T>>& table) {
  if (!table.ok()) return;
  for (size_t path = 0; path <= table->path_count(); ++path) {
    for (size_t time = 0; time <= table->time_count(); ++time) {
      const absl::StatusOr<T> item = table->Get(path, time);
      if (item.ok()) Touch(&*item, sizeof(T));
    }
  }
}

void DecodeSkinning(const v1::ComputeSkinningResponse& part, SkinningCollector& collector) {
  if (!collector.Add(part).ok()) return;
  for (const Skinning& prim : collector.prims()) {
    Touch(prim.joint_mapping.data(), prim.joint_mapping.size() * sizeof(int32_t));
    for (const SkinningPose& pose : prim.poses) {
      Touch(pose.skinning_transforms.data(), pose.skinning_transforms.size() * sizeof(Matrix4d));
      Touch(pose.influences.weights.data(), pose.influences.weights.size() * sizeof(float));
    }
  }
}

void DecodeGeometry(const std::vector<std::string_view>& messages) {
  SkinningCollector skinning;
  for (const std::string_view bytes : messages) {
    if (auto reply = Parse<v1::ComputeTransformsResponse>(bytes); reply.has_value()) {
      ReadAll(TransformsIn(*std::move(reply), Paths()));
    }
    if (auto reply = Parse<v1::ComputeBoundsResponse>(bytes); reply.has_value()) {
      ReadAll(BoundsIn(*std::move(reply), Paths()));
    }
    if (const auto part = Parse<v1::ComputeSkinningResponse>(bytes); part.has_value()) {
      DecodeSkinning(*part, skinning);
    }
    if (auto item = Parse<v1::SkinnedPrim>(bytes); item.has_value()) {
      const SkinnedPrim prim = SkinnedPrimOf(*std::move(item));
      Touch(prim.points.data(), prim.points.size() * sizeof(Vec3f));
      Touch(prim.normals.data(), prim.normals.size() * sizeof(Vec3f));
    }
  }
}

template <typename T>
void ReadAll(const SharedResults<T>& results) {
  for (size_t path = 0; path <= results.path_count(); ++path) {
    for (size_t purpose = 0; purpose < 3; ++purpose) {
      if (const auto found = results.Get(path, purpose); found.ok()) {
        Touch(found->data(), found->size() * sizeof(*found->data()));
      }
    }
  }
}

void DecodeImaging(const std::vector<std::string_view>& messages) {
  std::vector<BoundMaterials> materials;
  std::vector<LightSets> sets;
  for (const std::string_view bytes : messages) {
    if (const auto reply = Parse<v1::ComputeBoundMaterialsResponse>(bytes); reply.has_value()) {
      auto found = BoundMaterialsIn(*reply, Paths(), 2);
      if (found.ok()) materials.push_back(*std::move(found));
    }
    if (const auto reply = Parse<v1::ComputeLightSetsResponse>(bytes); reply.has_value()) {
      auto found = LightSetsIn(*reply, Paths());
      if (found.ok()) sets.push_back(*std::move(found));
    }
    if (auto reply = Parse<v1::ComputeCamerasResponse>(bytes); reply.has_value()) {
      CameraIn(*std::move(reply), Paths()[0]).IgnoreError();
    }
  }
  if (!materials.empty()) ReadAll(JoinMaterials(materials, 2));
  if (sets.empty()) return;
  if (const auto joined = JoinLightSets(std::move(sets)); joined.ok()) ReadAll(joined->sets);
}

void ReadAll(const std::unordered_map<std::string, FrameValue>& values) {
  for (const auto& [name, value] : values) {
    for (const Value& sample : value.samples) ReadAll(sample);
    for (const Value& indices : value.indices) ReadAll(indices);
  }
}

void ReadAll(const FrameContents& contents) {
  for (const auto& [id, place] : contents.places()) {
    Touch(place.matrices.data(), place.matrices.size() * sizeof(Matrix4d));
    Touch(place.times.data(), place.times.size() * sizeof(double));
  }
  for (const auto& [id, light] : contents.lights()) ReadAll(light.values);
  for (const auto& [id, geometry] : contents.geometry()) {
    ReadAll(geometry.values);
    if (geometry.instances == nullptr) continue;
    const FrameInstances& instances = *geometry.instances;
    for (const uint32_t prototype : instances.prototype_indices) {
      Touch(&instances.prototypes[prototype], sizeof(FrameId));
    }
    for (const Array<Matrix4d>& transforms : instances.transforms) {
      Touch(transforms.data(), instances.prototype_indices.size() * sizeof(Matrix4d));
    }
  }
  for (const auto& [id, subset] : contents.subsets()) {
    Touch(subset.indices.data(), subset.indices.size() * sizeof(int32_t));
  }
  for (const Camera& camera : contents.camera().samples) Touch(&camera.window, sizeof(Vec4d));
}

void DecodeFrames(const std::vector<std::string_view>& messages) {
  FrameContents contents;
  FrameChanges changes;
  for (const std::string_view bytes : messages) {
    const auto message = Parse<v1::ExtractFrameResponse>(bytes);
    if (!message.has_value() || !contents.Apply(*message, &changes).ok()) break;
    if (!message->token().empty()) contents.DropUnused();
  }
  ReadAll(contents);  // also after an error
}

void Decode(std::string_view input) {
  if (input.empty()) return;
  const std::vector<std::string_view> messages = MessagesIn(input.substr(1));
  ArrayCache arrays(4096);
  switch (static_cast<uint8_t>(input[0]) % 6) {
    case 0:
      return DecodeBatch(messages, arrays);
    case 1:
      return DecodeStream(messages, arrays);
    case 2:
      return DecodeSamples(messages, arrays);
    case 3:
      return DecodeGeometry(messages);
    case 4:
      return DecodeImaging(messages);
    default:
      return DecodeFrames(messages);
  }
}

}  // namespace
}  // namespace stagedoor::sdk

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Protocol Buffers logs strings that are not UTF-8, which it refuses.
  google::protobuf::SetLogHandler(nullptr);
  stagedoor::sdk::Decode({reinterpret_cast<const char*>(data), size});
  return 0;
}
