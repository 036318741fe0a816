// Arrays and lists of more than 8 MiB, read through a channel that has gRPC's default limit of 4
// MiB for a message.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "client/cc/packed_numbers.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/testing/skeleton_text.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/vec.h"
#include "server/server.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMessageLimit = size_t{4} << 20;
constexpr size_t kPoints = 750000;    // 9 MB
constexpr size_t kInstances = 70000;  // 9 MB of transforms
constexpr size_t kSamples = 30000;    // 240 KB of times
constexpr size_t kWords = 300000;     // 9.6 MB
constexpr std::string_view kWord = "a word of thirty characters...";

std::vector<Vec3f> Points(float y) {
  std::vector<Vec3f> points(kPoints);
  for (size_t i = 0; i < kPoints; ++i) points[i] = Vec3f{{static_cast<float>(i), y, 0}};
  return points;
}

std::vector<int> Alternating(size_t count) {
  std::vector<int> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<int>(i % 2);
  return numbers;
}

// The opinions that are too large for text.
std::string MakeCrate() {
  LayerBuilder builder;
  const auto add = [&](std::string_view path, std::string_view type, Value value,
                       Token field = Fields().default_) {
    const SpecId spec = builder.EnsureProperty(*Path::Parse(path), SpecType::kAttribute);
    builder.Set(spec, Fields().typeName, Value(Token(type)));
    builder.Set(spec, field, std::move(value));
  };
  std::vector<Vec3f> positions = Points(0);
  positions.resize(kInstances);
  std::vector<std::pair<double, Value>> samples;
  for (size_t i = 0; i < kSamples; ++i) {
    samples.emplace_back(static_cast<double>(i), Value(static_cast<double>(i)));
  }
  add("/C/M.points", "point3f[]", Value(Array<Vec3f>::FromVector(Points(1))));
  add("/C/M.primvars:skel:jointIndices", "int[]",
      Value(Array<int>::FromVector(std::vector<int>(kPoints, 1))));
  add("/C/M.primvars:skel:jointWeights", "float[]",
      Value(Array<float>::FromVector(std::vector<float>(kPoints, 1))));
  add("/C/M.primvars:color", "color3f[]", Value(Array<Vec3f>::FromVector(Points(2))));
  add("/I.positions", "point3f[]", Value(Array<Vec3f>::FromVector(std::move(positions))));
  add("/I.protoIndices", "int[]", Value(Array<int>::FromVector(Alternating(kInstances))));
  add("/P.x", "double", Value::FromSamples(MakeTimeSamples(samples)), Fields().timeSamples);
  add("/P.words", "string[]",
      Value(Array<std::string>::FromVector(std::vector<std::string>(kWords, std::string(kWord)))));
  return *WriteUsdc(*std::move(builder).Build({.identifier = "made"}));
}

const std::string& RootText() {
  static const auto* text = new std::string(std::string(R"(#usda 1.0
(
  subLayers = [@./big.usdc@]
)
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)") + kTwoJoints + R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    int[] primvars:skel:jointIndices ( elementSize = 1; interpolation = "vertex" )
    float[] primvars:skel:jointWeights ( elementSize = 1; interpolation = "vertex" )
    color3f[] primvars:color ( interpolation = "vertex" )
  }
}
def PointInstancer "I" {
  rel prototypes = [</I/A>, </I/B>]
  def Cube "A" {}
  def Cube "B" {}
}
def "P" {}
)");
  return *text;
}

class DefaultChannelTest : public testing::Test {
 protected:
  DefaultChannelTest() {
    folder_.Write("big.usdc", MakeCrate());
    folder_.Write("root.usda", RootText());
    ServerOptions options;
    options.addresses = {"127.0.0.1:0"};
    auto server = Server::Start(options);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const auto channel = [&] {
      return grpc::CreateChannel(server_->addresses().front(), grpc::InsecureChannelCredentials());
    };
    client_ = Client::FromChannel(channel(), {});
    ClientOptions raw;
    raw.assemble_arrays = false;
    raw_client_ = Client::FromChannel(channel(), raw);
    v1::OpenStageRequest open;
    open.set_root_layer(folder_ / "root.usda");
    const auto opened = client_->OpenStage(open);
    EXPECT_TRUE(opened.ok()) << opened.status();
    if (opened.ok()) stage_.set_handle(opened->handle());
  }

  template <typename Request>
  Request RequestFor(std::initializer_list<const char*> paths) const {
    Request request;
    *request.mutable_stage() = stage_;
    for (const char* path : paths) request.add_paths(path);
    if constexpr (requires { request.mutable_times(); }) request.mutable_times()->add_frames(10);
    return request;
  }

  // The whole messages of a stream. Fails unless each message that arrives for them is within
  // gRPC's default limit, and there are several.
  template <typename Request, typename Response>
  std::vector<Response> All(absl::Status (Client::*method)(const Request&,
                                                           const Client::Sink<Response>&),
                            const Request& request) {
    size_t count = 0, largest = 0;
    absl::Status status = (*raw_client_.*method)(request, [&](const Response& part) {
      ++count;
      largest = std::max(largest, part.ByteSizeLong());
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_GT(count, 1u);
    EXPECT_LE(largest, kMessageLimit);
    std::vector<Response> whole;
    status = (*client_.*method)(request, [&](const Response& message) {
      EXPECT_FALSE(message.has_stream_parts());
      whole.push_back(message);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return whole;
  }

  template <typename T>
  static testing::AssertionResult Holds(const v1::PackedValues& packed,
                                        const std::vector<T>& expected) {
    if (packed.count() != expected.size()) {
      return testing::AssertionFailure() << packed.count() << " elements";
    }
    const std::string& data = packed.data();
    if (data.size() != expected.size() * sizeof(T)) {
      return testing::AssertionFailure() << data.size() << " bytes";
    }
    // Element by element, so that -0 equals 0.
    if (!std::equal(expected.begin(), expected.end(), reinterpret_cast<const T*>(data.data()))) {
      return testing::AssertionFailure() << "other numbers";
    }
    return testing::AssertionSuccess();
  }
  static bool HasAllWords(const v1::Value& value) {
    const auto& words = value.string_array().values();
    return static_cast<size_t>(words.size()) == kWords &&
           std::all_of(words.begin(), words.end(), [](const auto& word) { return word == kWord; });
  }

  const TempDir folder_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Client> raw_client_;  // gets the messages of streams as they arrive
  v1::StageRef stage_;
};

TEST_F(DefaultChannelTest, TheChannelHasTheDefaultLimit) {
  auto request = RequestFor<v1::BatchGetValuesRequest>({"/C/M.points"});
  EXPECT_EQ(client_->BatchGetValues(request).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(DefaultChannelTest, StreamsValues) {
  const auto items =
      All(&Client::StreamValues,
          RequestFor<v1::StreamValuesRequest>({"/C/M.points", "/P.words", "/I.protoIndices"}));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_TRUE(Holds(items[0].value().array_value(), Points(1)));
  EXPECT_TRUE(HasAllWords(items[1].value()));
  EXPECT_TRUE(Holds(items[2].value().array_value(), Alternating(kInstances)));
}

TEST_F(DefaultChannelTest, StreamsTimeSamples) {
  auto request = RequestFor<v1::StreamTimeSamplesRequest>({"/P.x"});
  request.mutable_stream_options()->set_chunk_bytes(64 << 10);
  const auto paths = All(&Client::StreamTimeSamples, request);
  ASSERT_EQ(paths.size(), 1u);
  std::vector<double> times(kSamples);
  for (size_t i = 0; i < kSamples; ++i) times[i] = static_cast<double>(i);
  EXPECT_TRUE(Holds(paths[0].times(), times));
}

TEST_F(DefaultChannelTest, StreamsPrimvars) {
  auto request = RequestFor<v1::GetPrimvarsRequest>({"/C/M", "/P"});
  request.add_names("color");
  std::vector<v1::PrimPrimvars> items;
  for (const auto& message : All(&Client::GetPrimvars, request)) {
    items.insert(items.end(), message.items().begin(), message.items().end());
  }
  ASSERT_EQ(items.size(), 2u);
  ASSERT_EQ(items[0].primvars_size(), 1);
  EXPECT_EQ(items[0].primvars(0).type_name(), "color3f[]");
  EXPECT_TRUE(Holds(items[0].primvars(0).value().array_value(), Points(2)));
}

TEST_F(DefaultChannelTest, StreamsTransformsOfInstances) {
  const auto messages = All(&Client::ComputeInstanceTransforms,
                            RequestFor<v1::ComputeInstanceTransformsRequest>({"/I"}));
  ASSERT_EQ(messages.size(), 1u);
  const v1::InstancerTransforms& item = messages[0].items(0);
  std::vector<Matrix4d> expected(kInstances, Matrix4d::Identity());
  std::vector<uint32_t> prototypes(kInstances);
  for (size_t i = 0; i < kInstances; ++i) {
    expected[i][3][0] = static_cast<double>(i);
    prototypes[i] = i % 2;
  }
  EXPECT_TRUE(Holds(item.transforms(), expected));
  EXPECT_EQ(item.transforms().rows(), 4u);
  EXPECT_TRUE(Holds(item.prototype_indices(), prototypes));
  EXPECT_EQ(item.prototypes_size(), 2);
}

TEST_F(DefaultChannelTest, StreamsSkinnedPoints) {
  const auto messages =
      All(&Client::ComputeSkinnedPoints, RequestFor<v1::ComputeSkinnedPointsRequest>({"/C/M"}));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(Holds(messages[0].items(0).points(), Points(3))) << "moved by the second joint";
}

TEST_F(DefaultChannelTest, TraversesWithValues) {
  v1::TraverseRequest request;
  *request.mutable_stage() = stage_;
  request.mutable_read_mask()->add_paths("properties.values");
  request.mutable_times()->add_frames(10);
  size_t found = 0;
  for (const auto& message : All(&Client::Traverse, request)) {
    for (const v1::Prim& prim : message.prims()) {
      EXPECT_FALSE(prim.has_error()) << prim.path();
      for (const v1::Property& property : prim.properties()) {
        const std::string path = prim.path() + "." + property.name();
        const v1::Value& value = property.uniform_value();
        if (path == "/C/M.points") {
          found += Holds(value.array_value(), Points(1));
        } else if (path == "/C/M.primvars:color") {
          found += Holds(value.array_value(), Points(2));
        } else if (path == "/P.words") {
          found += HasAllWords(value);
        }
      }
    }
  }
  EXPECT_EQ(found, 3u);
}

TEST_F(DefaultChannelTest, ReadsLayers) {
  v1::ReadLayerRequest request;
  request.set_identifier(folder_ / "big.usdc");
  size_t found = 0;
  for (const auto& message : All(&Client::ReadLayer, request)) {
    for (const v1::Spec& spec : message.specs()) {
      EXPECT_FALSE(spec.has_error()) << spec.path();
      for (const v1::Field& field : spec.fields()) {
        if (field.name() == "default" && spec.path() == "/C/M.points") {
          found += Holds(field.value().array_value(), Points(1));
        } else if (field.name() == "default" && spec.path() == "/P.words") {
          found += HasAllWords(field.value());
        } else if (field.name() == "timeSamples") {
          found += PackedNumbers<double>(field.value().time_samples().times()).size() == kSamples;
        }
      }
    }
  }
  EXPECT_EQ(found, 3u);
}

}  // namespace
}  // namespace stagedoor::server
