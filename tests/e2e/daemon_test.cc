// Calls over TCP to a real daemon process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cc/client.h"
#include "client/cc/packed_numbers.h"
#include "client/cc/value_batch.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usdc/usdc_writer.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

constexpr char kScene[] = R"(#usda 1.0
(
    defaultPrim = "World"
    endTimeCode = 10
    startTimeCode = 1
)
def Xform "World"
{
    def Cube "Cube" (
        variants = { string shape = "big" }
        prepend variantSets = "shape"
    )
    {
        double size.timeSamples = { 1: 2, 5: 6, 7: None }
        float3[] points = [(1, 2, 3), (4, 5, 6)]
        token mood = "glad"
        rel friend = </World>
        variantSet "shape" = {
            "big" {
                int rank = 7
            }
            "small" {
                int rank = 1
            }
        }
    }
    def "Ref" ( references = @./ref.usda@ (offset = 10; scale = 2) ) {}
}
)";

constexpr char kReferenced[] = R"(#usda 1.0
( defaultPrim = "A" )
def "A"
{
    double x.timeSamples = { 0: 0, 1: 10 }
}
)";

class DaemonTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& flags = {}) {
    daemon_ = std::make_unique<DaemonProcess>(flags);
    client_ = Client::Connect({.address = daemon_->address(), .timeout = std::chrono::seconds(20)});
    daemon_->WriteFile("ref.usda", kReferenced);
    scene_ = daemon_->WriteFile("scene.usda", kScene);
  }

  absl::StatusOr<v1::OpenStageResponse> Open(const std::string& root) {
    v1::OpenStageRequest request;
    request.set_root_layer(root);
    return client_->OpenStage(request);
  }
  v1::StageRef OpenScene() {
    const auto response = Open(scene_);
    EXPECT_TRUE(response.ok()) << response.status();
    v1::StageRef ref;
    if (response.ok()) ref.set_handle(response->handle());
    return ref;
  }
  absl::StatusOr<v1::BatchGetValuesResponse> Get(const v1::StageRef& stage,
                                                 const std::vector<std::string>& paths,
                                                 const std::vector<double>& frames) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = stage;
    for (const std::string& path : paths) request.add_paths(path);
    for (const double frame : frames) request.mutable_times()->add_frames(frame);
    return client_->BatchGetValues(request);
  }
  void ExpectServing() {
    EXPECT_TRUE(daemon_->IsRunning());
    const auto values = Get(OpenScene(), {"/World/Cube.size"}, {1});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(ValueBatch(*values).GetDouble(0, 0), 2);
  }

  std::unique_ptr<DaemonProcess> daemon_;
  std::unique_ptr<Client> client_;
  std::string scene_;
};

TEST_F(DaemonTest, AnswersABatchOfMixedTypes) {
  Start();
  const auto response = Get(OpenScene(),
                            {"/World/Cube.size", "/World/Cube.points", "/World/Cube.mood",
                             "/World/Cube.rank", "/World/Ref.x"},
                            {1, 3, 7, 11});
  ASSERT_TRUE(response.ok()) << response.status();
  const ValueBatch values(*response);
  EXPECT_EQ(values.GetDouble(0, 0), 2);
  EXPECT_EQ(values.GetDouble(0, 1), 4);
  EXPECT_FALSE(values.has_value(0, 2));
  const auto points = values.GetNumbers<float>(1, 3);
  EXPECT_EQ(std::vector<float>(points.begin(), points.end()),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values.type_name(1, 0), "float3[]");
  EXPECT_EQ(values.GetString(2, 0), "glad");
  EXPECT_EQ(values.GetDouble(3, 0), 7);
  EXPECT_EQ(values.GetDouble(4, 3), 5) << "stage time 11 is time 0.5 of the referenced layer";
}

TEST_F(DaemonTest, StreamsArraysInChunks) {
  Start();
  std::string text = "#usda 1.0\ndef \"A\"\n{\n    int[] x = [0";
  constexpr int kCount = 50000;
  for (int i = 1; i < kCount; ++i) text += ", " + std::to_string(i);
  text += "]\n    double y = 3\n}\n";
  const auto opened = Open(daemon_->WriteFile("array.usda", text));
  ASSERT_TRUE(opened.ok()) << opened.status();
  v1::StreamValuesRequest request;
  request.mutable_stage()->set_handle(opened->handle());
  for (const char* path : {"/A.x", "/A.y", "/A.z"}) request.add_paths(path);
  request.mutable_times()->add_frames(1);
  request.mutable_stream_options()->set_chunk_bytes(64 << 10);
  std::vector<v1::StreamValuesResponse> items;
  const absl::Status status =
      client_->StreamValues(request, [&](const v1::StreamValuesResponse& response) {
        items.push_back(response);
        return absl::OkStatus();
      });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(items.size(), 3u) << "the four chunks of the array were put together";
  const v1::PackedValues& array = items[0].value().array_value();
  const std::string& data = array.data();
  EXPECT_EQ(array.count(), static_cast<uint64_t>(kCount));
  EXPECT_EQ(items[1].value().double_value(), 3);
  EXPECT_EQ(items[2].error().reason(), v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND);
  ASSERT_EQ(data.size(), kCount * sizeof(int32_t));
  for (int i = 0; i < kCount; ++i) {
    int32_t element;
    std::memcpy(&element, data.data() + i * sizeof(element), sizeof(element));
    ASSERT_EQ(element, i);
  }
}

TEST_F(DaemonTest, ListsSamplesInAnInterval) {
  Start();
  v1::ListTimeSamplesRequest request;
  *request.mutable_stage() = OpenScene();
  request.add_paths("/World/Cube.size");
  request.mutable_interval()->set_start(2);
  request.mutable_interval()->set_end(7);
  request.mutable_interval()->set_end_open(true);
  const auto response = client_->ListTimeSamples(request);
  ASSERT_TRUE(response.ok()) << response.status();
  const auto times = PackedNumbers<double>(response->attributes(0).times());
  EXPECT_EQ(std::vector<double>(times.begin(), times.end()), std::vector<double>{5});
}

TEST_F(DaemonTest, TraversesInStageOrder) {
  Start();
  v1::TraverseRequest request;
  *request.mutable_stage() = OpenScene();
  std::vector<std::string> paths;
  const absl::Status status = client_->Traverse(request, [&](const v1::TraverseResponse& response) {
    for (const v1::Prim& prim : response.prims()) paths.push_back(prim.path());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(paths, (std::vector<std::string>{"/World", "/World/Cube", "/World/Ref"}));
}

TEST_F(DaemonTest, TheSameStageIsShared) {
  Start();
  const auto first = Open(scene_), second = Open(scene_);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(first->opened());
  EXPECT_FALSE(second->opened());
  EXPECT_EQ(first->stage().snapshot(), second->stage().snapshot());
  EXPECT_NE(first->handle(), second->handle());
}

TEST_F(DaemonTest, AChangedFileIsSeenByTheNextOpen) {
  Start({"--check-interval=0"});
  OpenScene();
  std::string changed = kScene;
  changed.replace(changed.find("1: 2"), 4, "1: 42");
  daemon_->WriteFile("scene.usda", changed);
  const auto values = Get(OpenScene(), {"/World/Cube.size"}, {1});
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(ValueBatch(*values).GetDouble(0, 0), 42);
}

TEST_F(DaemonTest, SessionEditsAreSeenByTheirHandleOnly) {
  Start();
  const v1::StageRef mine = OpenScene(), theirs = OpenScene();
  v1::SetSessionLayerRequest request;
  *request.mutable_stage() = mine;
  request.mutable_session_layer()->set_content(
      "#usda 1.0\nover \"World\" {\n over \"Cube\" {\n  double size.timeSamples = { 1: 99 }\n "
      "}\n}\n");
  const auto edited = client_->SetSessionLayer(request);
  ASSERT_TRUE(edited.ok()) << edited.status();
  EXPECT_EQ(ValueBatch(*Get(mine, {"/World/Cube.size"}, {1})).GetDouble(0, 0), 99);
  EXPECT_EQ(ValueBatch(*Get(theirs, {"/World/Cube.size"}, {1})).GetDouble(0, 0), 2);
}

TEST_F(DaemonTest, ListStagesReturnsPages) {
  Start();
  OpenScene();
  ASSERT_TRUE(Open(daemon_->folder() + "/ref.usda").ok());
  v1::ListStagesRequest request;
  request.set_page_size(1);
  std::vector<std::string> roots;
  do {
    const auto page = client_->ListStages(request);
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_LE(page->stages_size(), 1);
    for (const v1::Stage& stage : page->stages()) roots.push_back(stage.root_layer());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(roots, (std::vector<std::string>{scene_, daemon_->folder() + "/ref.usda"}));
}

TEST_F(DaemonTest, LayerErrorsHaveCanonicalCodesAndNameTheAsset) {
  Start();
  const std::string broken =
      daemon_->WriteFile("broken.usda", "#usda 1.0\ndef \"A\" {\n  int = \n}\n");
  const struct {
    std::string root;
    absl::StatusCode code;
    std::string reason, part;
  } kCases[] = {
      {daemon_->folder() + "/missing.usda", absl::StatusCode::kNotFound, "LAYER_NOT_FOUND",
       "missing.usda"},
      {broken, absl::StatusCode::kInvalidArgument, "LAYER_SYNTAX", "broken.usda:3:"},
      {"/etc/passwd", absl::StatusCode::kPermissionDenied, "ASSET_FORBIDDEN", "/etc/passwd"},
      {"", absl::StatusCode::kInvalidArgument, "INVALID_FIELD", "root_layer"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = Open(c.root).status();
    EXPECT_EQ(status.code(), c.code) << status;
    EXPECT_EQ(ErrorReason(status), c.reason) << status;
    EXPECT_NE(std::string(Message(status)).find(c.part), std::string::npos) << status;
  }
  ExpectServing();
}

TEST_F(DaemonTest, ReferenceCyclesAreCompositionErrors) {
  Start();
  const std::string root = daemon_->WriteFile(
      "cycle.usda",
      "#usda 1.0\ndef \"A\" ( references = </B> ) {}\ndef \"B\" ( references = </A> ) {}\n");
  const auto opened = Open(root);
  ASSERT_TRUE(opened.ok()) << opened.status();
  v1::GetStageRequest request;
  request.mutable_stage()->set_handle(opened->handle());
  request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
  const auto stage = client_->GetStage(request);
  ASSERT_TRUE(stage.ok()) << stage.status();
  ASSERT_GT(stage->stage().composition_errors_size(), 0);
  EXPECT_EQ(stage->stage().composition_errors(0).type(), "ArcCycle");
  ExpectServing();
}

TEST_F(DaemonTest, PathErrorsAreReportedPerItem) {
  Start();
  const struct {
    std::string path;
    v1::ErrorReason reason;
  } kCases[] = {
      {"/World/Nobody.size", v1::ERROR_REASON_PRIM_NOT_FOUND},
      {"/World/Cube.nothing", v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND},
      {"/World/Cube.friend", v1::ERROR_REASON_WRONG_KIND},
      {"/World/Cube", v1::ERROR_REASON_INVALID_PATH},
      {"World/Cube.size", v1::ERROR_REASON_INVALID_PATH},
      {"", v1::ERROR_REASON_INVALID_PATH},
      {"/World/Cube.size\n", v1::ERROR_REASON_INVALID_PATH},
  };
  std::vector<std::string> paths = {"/World/Cube.rank"};
  for (const auto& c : kCases) paths.push_back(c.path);
  const auto response = Get(OpenScene(), paths, {1, 2});
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(static_cast<size_t>(response->path_errors_size()), std::size(kCases));
  for (int i = 0; i < response->path_errors_size(); ++i) {
    EXPECT_EQ(response->path_errors(i).reason(), kCases[i].reason) << kCases[i].path;
    EXPECT_EQ(response->path_errors(i).item(), static_cast<uint32_t>(i + 1));
  }
  EXPECT_EQ(ValueBatch(*response).GetDouble(0, 1), 7);
}

TEST_F(DaemonTest, UnknownStagesAndExpiredLeasesAreDifferent) {
  Start({"--lease-ttl=1"});
  v1::StageRef unknown;
  unknown.set_handle("stage-00000000000000000000000000000000");
  absl::Status status = Get(unknown, {"/World.x"}, {1}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(status), "STAGE_NOT_FOUND");

  const v1::StageRef stage = OpenScene();
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  status = Get(stage, {"/World/Cube.size"}, {1}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ErrorReason(status), "LEASE_EXPIRED");
  ExpectServing();
}

TEST_F(DaemonTest, OversizedRequestsAreRejected) {
  Start({"--max-request-bytes=64K", "--max-batch-items=1000"});
  const v1::StageRef stage = OpenScene();
  const absl::Status many =
      Get(stage, std::vector<std::string>(11, "/World/Cube.size"), std::vector<double>(100, 1))
          .status();
  EXPECT_EQ(many.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorReason(many), "REQUEST_TOO_LARGE");
  const absl::Status big = Get(stage, {std::string(100000, 'x')}, {1}).status();
  EXPECT_EQ(big.code(), absl::StatusCode::kResourceExhausted);
  v1::BatchGetValuesRequest endless;
  *endless.mutable_stage() = stage;
  endless.add_paths("/World/Cube.size");
  endless.mutable_times()->add_ranges("0:1e15");
  EXPECT_EQ(client_->BatchGetValues(endless).status().code(), absl::StatusCode::kResourceExhausted);
  ExpectServing();
}

// A crate large enough to be mapped is truncated while the daemon serves from the mapping.
TEST_F(DaemonTest, SurvivesACrateTruncatedWhileInUse) {
  Start();
  constexpr int kCount = 1000000;
  std::vector<double> numbers(kCount);
  for (int i = 0; i < kCount; ++i) numbers[i] = i * 0.37;  // does not compress well
  LayerBuilder builder;
  builder.Set(builder.EnsurePrim(*Path::Parse("/A")), Fields().specifier, Value(Specifier::kDef));
  const SpecId spec = builder.EnsureProperty(*Path::Parse("/A.x"), SpecType::kAttribute);
  builder.Set(spec, Fields().typeName, Value(Token("double[]")));
  builder.Set(spec, Fields().default_, Value(Array<double>::FromVector(std::move(numbers))));
  const std::string file =
      daemon_->WriteFile("big.usdc", *WriteUsdc(*std::move(builder).Build({})));
  const auto opened = Open(file);
  ASSERT_TRUE(opened.ok()) << opened.status();

  v1::StreamValuesRequest request;
  request.mutable_stage()->set_handle(opened->handle());
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  bool lost = false;
  const auto stream = [&] {
    size_t bytes = 0;
    const absl::Status status =
        client_->StreamValues(request, [&](const v1::StreamValuesResponse& response) {
          lost |= response.error().code() == static_cast<int>(absl::StatusCode::kDataLoss);
          bytes += response.value().array_value().data().size();
          return absl::OkStatus();
        });
    return std::pair(status, bytes);
  };
  EXPECT_EQ(stream().second, kCount * sizeof(double));
  ASSERT_EQ(truncate(file.c_str(), 4096), 0);
  const auto [status, bytes] = stream();
  EXPECT_TRUE(lost || status.code() == absl::StatusCode::kDataLoss) << status << " " << bytes;
  ExpectServing();
  const auto again = Open(file);
  EXPECT_FALSE(again.ok()) << "the truncated file is not a valid crate";
  ExpectServing();
}

TEST_F(DaemonTest, SchemaPathsAddSchemaPlugins) {
  const std::string folder = ::testing::TempDir() + "/studio_schemas";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/plugInfo.json") << R"({"Plugins": [{"Name": "studio", "Info": {
      "Types": {"StudioProp": {"schemaIdentifier": "Prop", "schemaKind": "concreteTyped",
                               "bases": ["UsdTyped"]}},
      "SdfMetadata": {"shotId": {"type": "int", "appliesTo": "prims"}}}}]})";
  std::ofstream(folder + "/generatedSchema.usda") << R"(#usda 1.0
class Prop "Prop"
{
    float weight = 2.5
}
)";
  Start({"--schema-path=" + folder});
  v1::StageRef stage;
  const auto opened = Open(daemon_->WriteFile("prop.usda", R"(#usda 1.0
def Prop "P" (
    shotId = 12
)
{
}
)"));
  ASSERT_TRUE(opened.ok()) << opened.status();
  stage.set_handle(opened->handle());
  const auto values = Get(stage, {"/P.weight"}, {1});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(ValueBatch(*values).GetDouble(0, 0), 2.5);
  v1::GetPrimRequest request;
  *request.mutable_stage() = stage;
  request.set_path("/P");
  request.mutable_read_mask()->add_paths("metadata");
  const auto prim = client_->GetPrim(request);
  ASSERT_TRUE(prim.ok()) << prim.status();
  ASSERT_EQ(prim->prim().metadata_size(), 1);
  EXPECT_EQ(prim->prim().metadata(0).name(), "shotId");
}

TEST_F(DaemonTest, TerminationIsClean) {
  Start();
  OpenScene();
  EXPECT_EQ(daemon_->Terminate(), 0);
}

}  // namespace
}  // namespace stagedoor
