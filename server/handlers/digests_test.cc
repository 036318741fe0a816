// Digests and arrays that the client has, in all methods that send stored arrays.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "server/testing/data_streams.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Messages = std::vector<std::unique_ptr<google::protobuf::Message>>;
using Packed = std::vector<v1::PackedValues>;

// All PackedValues of a message.
void Collect(const google::protobuf::Message& message, Packed* out) {
  if (message.GetDescriptor() == v1::PackedValues::descriptor()) {
    out->emplace_back().CopyFrom(message);
    return;
  }
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) {
      Collect(reflection->GetMessage(message, field), out);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      Collect(reflection->GetRepeatedMessage(message, field, i), out);
    }
  }
}

class DigestsTest : public ServerTest {
 protected:
  static constexpr int kCount = 1000;

  static std::string Ints(int count, int first) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += Concat(i == 0 ? "" : ", ", first + i * i);
    return text + "]";
  }
  // A mesh whose arrays are of all kinds: small, large, held, interpolated.
  void WriteScene() {
    Write("root.usda",
          Concat("def Mesh \"M\"\n{\n    int[] faceVertexIndices = ", Ints(kCount, 0),
                 "\n    int[] small = [1, 2]\n    int[] held.timeSamples = { 1: ", Ints(kCount, 5),
                 ", 2: ", Ints(kCount, 6), " }\n    float[] moving.timeSamples = { 1: ",
                 Ints(kCount, 7), ", 2: ", Ints(kCount, 8), " }\n    int[] huge = ", Ints(40000, 9),
                 "\n    int[] primvars:p = ", Ints(kCount, 10), "\n}\n"));
  }
  // Writes the scene as a crate file, "/root.usdc".
  void ConvertScene() {
    WriteScene();
    v1::ConvertLayerRequest request;
    request.set_identifier("/root.usda");
    request.set_format(v1::LAYER_FORMAT_USDC);
    ASSERT_TRUE(files_->Put("/root.usdc", DataOf(All(&Client::ConvertLayer, request))).ok());
  }
  v1::StageRef OpenFile(const std::string& name) {
    v1::OpenStageRequest request;
    request.set_root_layer(name);
    return Open(request);
  }

  template <typename Request>
  Request About(const v1::StageRef& stage, const std::vector<std::string>& paths, double frame) {
    auto request = RequestFor<Request>(stage, paths, {frame});
    request.mutable_digest_options();
    return request;
  }
  v1::BatchGetValuesResponse Values(const v1::BatchGetValuesRequest& request) {
    auto reply = client().BatchGetValues(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *std::move(reply) : v1::BatchGetValuesResponse();
  }
  // The digest of one value; empty if it has none.
  std::string DigestOf(const v1::StageRef& stage, const std::string& path, double frame) {
    Packed packed;
    Collect(Values(About<v1::BatchGetValuesRequest>(stage, {path}, frame)), &packed);
    EXPECT_EQ(packed.size(), 1u) << path;
    return packed.empty() ? "" : packed[0].digest();
  }

  template <typename Response>
  static Packed AllOf(const std::vector<Response>& messages) {
    Packed packed;
    for (const Response& message : messages) Collect(message, &packed);
    return packed;
  }

  // Expects `count` arrays with digests in what `send` returns for a request, and the same arrays
  // without their bytes once the client has them.
  template <typename Request>
  static void ExpectUnchanged(Request request, size_t count,
                              const std::function<Packed(const Request&)>& send) {
    request.clear_digest_options();
    for (const v1::PackedValues& packed : send(request)) EXPECT_EQ(packed.digest(), "");
    request.mutable_digest_options();
    const Packed first = send(request);
    size_t digests = 0;
    for (const v1::PackedValues& packed : first) {
      if (packed.digest().empty()) continue;
      EXPECT_TRUE(packed.has_data());
      EXPECT_EQ(packed.digest().size(), 32u);
      request.mutable_digest_options()->add_known(packed.digest());
      ++digests;
    }
    EXPECT_EQ(digests, count);
    const Packed second = send(request);
    ASSERT_EQ(second.size(), first.size());
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(second[i].digest(), first[i].digest());
      EXPECT_EQ(second[i].unchanged(), !first[i].digest().empty());
      EXPECT_EQ(second[i].data(), first[i].digest().empty() ? first[i].data() : "");
      EXPECT_EQ(second[i].count(), first[i].count());
      EXPECT_EQ(second[i].component_type(), first[i].component_type());
      EXPECT_EQ(second[i].rows(), first[i].rows());
    }
  }
  // As ExpectUnchanged, for a streaming method.
  template <typename Request, typename Response>
  void ExpectUnchangedIn(absl::Status (Client::*method)(const Request&,
                                                        const Client::Sink<Response>&),
                         const Request& request, size_t count) {
    ExpectUnchanged<Request>(request, count,
                             [&](const Request& sent) { return AllOf(All(method, sent)); });
  }

  const std::vector<std::string> kPaths = {"/M.faceVertexIndices", "/M.small", "/M.held",
                                           "/M.moving", "/M.huge"};
};

TEST_F(DigestsTest, BatchesLeaveOutArraysThatTheClientHas) {
  WriteScene();
  ExpectUnchanged<v1::BatchGetValuesRequest>(
      About<v1::BatchGetValuesRequest>(Open(), kPaths, 1.5), 3,
      [&](const auto& request) { return AllOf(std::vector{Values(request)}); });
}

TEST_F(DigestsTest, BatchesHaveTheStateUnchanged) {
  WriteScene();
  auto request = About<v1::BatchGetValuesRequest>(Open(), {"/M.held", "/M.small", "/M.none"}, 1);
  request.mutable_times()->add_frames(2);
  request.mutable_digest_options()->add_known(DigestOf(request.stage(), "/M.held", 1));
  const v1::BatchGetValuesResponse reply = Values(request);
  const std::vector<int> states = {v1::ITEM_STATE_UNCHANGED, v1::ITEM_STATE_VALUE,
                                   v1::ITEM_STATE_VALUE,     v1::ITEM_STATE_VALUE,
                                   v1::ITEM_STATE_ERROR,     v1::ITEM_STATE_ERROR};
  EXPECT_EQ(std::vector<int>(reply.states().begin(), reply.states().end()), states);
  const ValueBatch batch(reply);
  EXPECT_TRUE(batch.status(0, 0).ok());
  EXPECT_EQ(batch.type_name(0, 0), "int[]");
  EXPECT_TRUE(batch.GetNumbers<int32_t>(0, 0).empty());
  EXPECT_TRUE(batch.GetValue(0, 0).array_value().unchanged());
  EXPECT_EQ(batch.GetNumbers<int32_t>(0, 1).size(), size_t{kCount});
}

TEST_F(DigestsTest, StreamsLeaveOutArraysThatTheClientHas) {
  WriteScene();
  const v1::StageRef stage = Open();
  ExpectUnchangedIn(&Client::StreamValues, About<v1::StreamValuesRequest>(stage, kPaths, 1.5), 3);

  v1::SampleValuesRequest samples;
  *samples.mutable_stage() = stage;
  *samples.mutable_paths() = {kPaths.begin(), kPaths.end()};
  samples.add_intervals()->set_start(1);
  samples.mutable_intervals(0)->set_end(2);
  ExpectUnchangedIn(&Client::SampleValues, samples, 6);

  ExpectUnchangedIn(&Client::GetPrimvars, About<v1::GetPrimvarsRequest>(stage, {"/M"}, 1), 1);

  v1::ReadLayerRequest layer;
  layer.set_identifier("/root.usda");
  ExpectUnchangedIn(&Client::ReadLayer, layer, 7);
}

TEST_F(DigestsTest, StreamedItemsHaveTheStateUnchanged) {
  WriteScene();
  auto request = About<v1::StreamValuesRequest>(Open(), {"/M.held", "/M.huge"}, 1);
  request.mutable_digest_options()->add_known(DigestOf(request.stage(), "/M.held", 1));
  request.mutable_digest_options()->add_known(DigestOf(request.stage(), "/M.huge", 1));
  const auto items = AllParts(&Client::StreamValues, request);
  ASSERT_EQ(items.size(), 2u) << "no chunks";
  for (const auto& item : items) EXPECT_EQ(item.state(), v1::ITEM_STATE_UNCHANGED);
}

TEST_F(DigestsTest, PrimsLeaveOutArraysThatTheClientHas) {
  WriteScene();
  v1::GetPrimRequest request;
  *request.mutable_stage() = Open();
  request.set_path("/M");
  request.mutable_read_mask()->add_paths("properties.values");
  request.mutable_times()->add_frames(1.5);
  ExpectUnchanged<v1::GetPrimRequest>(request, 4, [&](const auto& sent) {
    const auto reply = client().GetPrim(sent);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return AllOf(std::vector{reply.value_or(v1::GetPrimResponse())});
  });
  v1::TraverseRequest traversal;
  *traversal.mutable_stage() = request.stage();
  *traversal.mutable_read_mask() = request.read_mask();
  *traversal.mutable_times() = request.times();
  ExpectUnchangedIn(&Client::Traverse, traversal, 4);
}

TEST_F(DigestsTest, PropertiesHaveTheStateUnchanged) {
  WriteScene();
  v1::GetPrimRequest request;
  *request.mutable_stage() = Open();
  request.set_path("/M");
  request.mutable_read_mask()->add_paths("properties.values");
  request.add_property_names("held");
  request.add_property_names("faceVertexIndices");
  request.mutable_times()->add_frames(1);
  request.mutable_times()->add_frames(2);
  for (const char* path : {"/M.held", "/M.faceVertexIndices"}) {
    request.mutable_digest_options()->add_known(DigestOf(request.stage(), path, 2));
  }
  const auto reply = client().GetPrim(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->prim().properties_size(), 2);
  for (const v1::Property& property : reply->prim().properties()) {
    const auto& states = property.value_states();
    const std::vector<int> expected =
        property.name() == "held" ? std::vector<int>{v1::ITEM_STATE_VALUE, v1::ITEM_STATE_UNCHANGED}
                                  : std::vector<int>{v1::ITEM_STATE_UNCHANGED};
    EXPECT_EQ(std::vector<int>(states.begin(), states.end()), expected) << property.name();
  }
}

TEST_F(DigestsTest, InterpolatedArraysHaveNone) {
  WriteScene();
  const v1::StageRef stage = Open();
  EXPECT_EQ(DigestOf(stage, "/M.moving", 1.5), "");
  EXPECT_NE(DigestOf(stage, "/M.moving", 1), "") << "that of a sample is stored";
}

TEST_F(DigestsTest, CrateFilesHaveDigestsForCompressedArraysToo) {
  ConvertScene();
  const v1::StageRef stage = OpenFile("/root.usdc");
  for (const auto& [path, frame] : std::vector<std::pair<std::string, double>>{
           {"/M.faceVertexIndices", 1}, {"/M.held", 1}, {"/M.held", 2}, {"/M.moving", 2}}) {
    const std::string digest = DigestOf(stage, path, frame);
    EXPECT_EQ(digest.size(), 32u) << path;
    EXPECT_EQ(DigestOf(stage, path, frame), digest) << path;
  }
  EXPECT_NE(DigestOf(stage, "/M.held", 1), DigestOf(stage, "/M.held", 2));
  EXPECT_EQ(DigestOf(stage, "/M.small", 1), "");
}

TEST_F(DigestsTest, AreTheSameAfterARestart) {
  ConvertScene();
  std::vector<std::string> digests[2];
  for (auto& found : digests) {
    Start();
    for (const char* file : {"/root.usda", "/root.usdc"}) {
      found.push_back(DigestOf(OpenFile(file), "/M.faceVertexIndices", 1));
      found.push_back(DigestOf(OpenFile(file), "/M.held", 2));
    }
  }
  EXPECT_EQ(digests[0], digests[1]);
  for (const std::string& digest : digests[0]) EXPECT_NE(digest, "");
}

TEST_F(DigestsTest, ChangeWithTheContent) {
  ConvertScene();
  const std::string text = DigestOf(OpenFile("/root.usda"), "/M.huge", 1);
  const std::string crate = DigestOf(OpenFile("/root.usdc"), "/M.huge", 1);
  Write("root.usda", Concat("def \"M\" { int[] huge = ", Ints(40000, 8), "; }\n"));
  v1::ConvertLayerRequest request;
  request.set_identifier("/root.usda");
  request.set_format(v1::LAYER_FORMAT_USDC);
  ASSERT_TRUE(files_->Put("/root.usdc", DataOf(All(&Client::ConvertLayer, request))).ok());
  Start();
  EXPECT_NE(DigestOf(OpenFile("/root.usda"), "/M.huge", 1), text);
  EXPECT_NE(DigestOf(OpenFile("/root.usdc"), "/M.huge", 1), crate);
}

TEST_F(DigestsTest, UnknownDigestsAreIgnored) {
  WriteScene();
  auto request = About<v1::BatchGetValuesRequest>(Open(), {"/M.faceVertexIndices"}, 1);
  request.mutable_digest_options()->add_known("");
  request.mutable_digest_options()->add_known(std::string(32, 'x'));
  request.mutable_digest_options()->add_known(std::string(100, 'x'));
  const v1::BatchGetValuesResponse reply = Values(request);
  EXPECT_EQ(reply.states_size(), 0);
  EXPECT_FALSE(reply.columns(0).values(0).array_value().unchanged());
}

}  // namespace
}  // namespace stagedoor::server
