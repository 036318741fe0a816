// The geometry records that are printed for canned replies of a daemon.
#include "client/cli/geom_records.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "google/protobuf/text_format.h"
#include "stagedoor/v1/geom.grpc.pb.h"
#include "stagedoor/v1/skel.grpc.pb.h"

namespace stagedoor {
namespace {

// Sends the same canned replies to all requests, and keeps some of the requests.
class FakeDaemon final : public v1::GeomService::Service, public v1::SkelService::Service {
 public:
  v1::ComputeTransformsResponse transforms;
  v1::ComputeVisibilityResponse visibility;
  v1::ComputeBoundsResponse bounds;
  std::vector<v1::GetPrimvarsResponse> primvars;
  v1::ComputeSkinnedPointsResponse skin;

  std::vector<size_t> batches;
  v1::ComputeTransformsRequest received;
  v1::ComputeSkinnedPointsRequest received_skin;

 private:
  grpc::Status ComputeTransforms(grpc::ServerContext*, const v1::ComputeTransformsRequest* request,
                                 v1::ComputeTransformsResponse* response) override {
    batches.push_back(static_cast<size_t>(request->paths_size()));
    received = *request;
    *response = transforms;
    return grpc::Status::OK;
  }
  grpc::Status ComputeVisibility(grpc::ServerContext*, const v1::ComputeVisibilityRequest*,
                                 v1::ComputeVisibilityResponse* response) override {
    *response = visibility;
    return grpc::Status::OK;
  }
  grpc::Status ComputeBounds(grpc::ServerContext*, const v1::ComputeBoundsRequest*,
                             v1::ComputeBoundsResponse* response) override {
    *response = bounds;
    return grpc::Status::OK;
  }
  grpc::Status GetPrimvars(grpc::ServerContext*, const v1::GetPrimvarsRequest*,
                           grpc::ServerWriter<v1::GetPrimvarsResponse>* writer) override {
    for (const v1::GetPrimvarsResponse& response : primvars) writer->Write(response);
    return grpc::Status::OK;
  }
  grpc::Status ComputeSkinnedPoints(
      grpc::ServerContext*, const v1::ComputeSkinnedPointsRequest* request,
      grpc::ServerWriter<v1::ComputeSkinnedPointsResponse>* writer) override {
    received_skin = *request;
    writer->Write(skin);
    return grpc::Status::OK;
  }
};

template <typename Message>
Message Parsed(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

std::vector<TimeArgument> Times(const char* text) { return *ParseTimes(text); }

class GeomRecordsTest : public ::testing::Test {
 protected:
  GeomRecordsTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(static_cast<v1::GeomService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::SkelService::Service*>(&daemon_));
    server_ = builder.BuildAndStart();
    client_ = Client::FromChannel(server_->InProcessChannel({}), {});
  }
  // The lines printed by `print`.
  template <typename Print>
  static std::vector<std::string> Lines(const Print& print) {
    std::FILE* file = std::tmpfile();
    {
      Output output(::fileno(file));
      JsonWriter json;
      const absl::Status status = print(json, output);
      EXPECT_TRUE(status.ok()) << status;
    }
    std::rewind(file);
    std::vector<std::string> lines(1);
    for (int c; (c = std::fgetc(file)) != EOF;) {
      if (c == '\n') {
        lines.emplace_back();
      } else {
        lines.back().push_back(static_cast<char>(c));
      }
    }
    std::fclose(file);
    lines.pop_back();
    return lines;
  }
  std::vector<std::string> Geom(const std::vector<std::string>& paths, const char* times) {
    return Lines([&](JsonWriter& json, Output& output) {
      return PrintGeomRecords(*client_, {}, paths, Times(times), json, output);
    });
  }
  std::vector<std::string> Skin(const char* times) {
    return Lines([&](JsonWriter& json, Output& output) {
      return PrintSkinRecords(*client_, {}, Times(times), json, output);
    });
  }

  FakeDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
};

// The numbers from 0 to count - 1.
std::vector<double> Upto(int count) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

v1::PackedValues Pack(v1::ElementShape shape, uint32_t rows, uint32_t columns,
                      const std::vector<double>& numbers) {
  v1::PackedValues packed;
  packed.set_component_type(v1::COMPONENT_TYPE_FLOAT64);
  packed.set_shape(shape);
  packed.set_rows(rows);
  packed.set_columns(columns);
  packed.set_data(numbers.data(), numbers.size() * sizeof(double));
  return packed;
}

v1::PackedValues Matrices(const std::vector<double>& numbers) {
  return Pack(v1::ELEMENT_SHAPE_MATRIX, 4, 4, numbers);
}

v1::PackedValues Boxes(const std::vector<double>& numbers) {
  return Pack(v1::ELEMENT_SHAPE_RANGE, 2, 3, numbers);
}

TEST_F(GeomRecordsTest, ItemsAreWrittenPathByPath) {
  *daemon_.transforms.mutable_local_to_world() = Matrices(Upto(64));
  daemon_.transforms.add_resets_xform_stack(false);
  daemon_.transforms.add_resets_xform_stack(true);
  daemon_.visibility = Parsed<v1::ComputeVisibilityResponse>(R"(
      visibility: VISIBILITY_INHERITED visibility: VISIBILITY_INVISIBLE
      visibility: VISIBILITY_INHERITED visibility: VISIBILITY_INVISIBLE
      purpose: PURPOSE_PROXY purpose: PURPOSE_OTHER other_purposes: "" other_purposes: "mine")");
  *daemon_.bounds.mutable_bounds() = Boxes(Upto(24));
  const std::vector<std::string> lines = Geom({"/A", "/B"}, "default,pre:1,2");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            R"({"record":"geom","path":"/A","time":"default","localToWorld":[[0,1,2,3],[4,5,6,7],)"
            R"([8,9,10,11],[12,13,14,15]],"visibility":"inherited","purpose":"proxy",)"
            R"("worldBound":[[0,1,2],[3,4,5]]})");
  EXPECT_EQ(lines[1],
            R"({"record":"geom","path":"/A","time":"2","localToWorld":[[16,17,18,19],)"
            R"([20,21,22,23],[24,25,26,27],[28,29,30,31]],"resetsXformStack":true,)"
            R"("visibility":"invisible","purpose":"proxy","worldBound":[[6,7,8],[9,10,11]]})");
  EXPECT_EQ(lines[2].substr(0, 76),
            R"({"record":"geom","path":"/B","time":"default","localToWorld":[[32,33,34,35],)");
  EXPECT_NE(lines[3].find(R"("purpose":"mine","worldBound":[[18,19,20],[21,22,23]]})"),
            std::string::npos)
      << lines[3];
  EXPECT_EQ(daemon_.received.paths_size(), 2);
  EXPECT_EQ(daemon_.received.times().times_size(), 2) << "pre-times are left out";
}

TEST_F(GeomRecordsTest, FieldsMissingInAReplyAreLeftOut) {
  const std::string begin = R"({"record":"geom","path":"/A","time":"1")";
  const std::string no_bound = R"("worldBound":null)";
  EXPECT_EQ(Geom({"/A"}, "1"), (std::vector<std::string>{begin + "," + no_bound + "}"}));
  *daemon_.transforms.mutable_local_to_world() = Matrices(Upto(15));
  *daemon_.bounds.mutable_bounds() = Boxes(Upto(5));
  daemon_.visibility.add_purpose(v1::PURPOSE_OTHER);
  EXPECT_EQ(Geom({"/A"}, "1"),
            (std::vector<std::string>{begin + R"(,"purpose":"",)" + no_bound + "}"}));
}

TEST_F(GeomRecordsTest, AnEmptyBoundIsNull) {
  const struct {
    std::vector<double> bound;
    std::string expected;
  } kCases[] = {{{1, 1, 1, 0, 1, 1}, "null"},
                {{1, 1, 1, 1, 1, 1}, "[[1,1,1],[1,1,1]]"},
                {{-1, 0, 0, 1, 2, 3}, "[[-1,0,0],[1,2,3]]"}};
  for (const auto& c : kCases) {
    *daemon_.bounds.mutable_bounds() = Boxes(c.bound);
    EXPECT_EQ(Geom({"/A"}, "1")[0],
              R"({"record":"geom","path":"/A","time":"1","worldBound":)" + c.expected + "}");
  }
}

TEST_F(GeomRecordsTest, PurposesHaveNames) {
  const struct {
    v1::Purpose purpose;
    const char* expected;
  } kCases[] = {{v1::PURPOSE_DEFAULT, "default"},
                {v1::PURPOSE_RENDER, "render"},
                {v1::PURPOSE_PROXY, "proxy"},
                {v1::PURPOSE_GUIDE, "guide"}};
  for (const auto& c : kCases) {
    daemon_.visibility.Clear();
    daemon_.visibility.add_purpose(c.purpose);
    EXPECT_EQ(Geom({"/A"}, "1")[0], Concat(R"({"record":"geom","path":"/A","time":"1","purpose":")",
                                           c.expected, R"(","worldBound":null})"));
  }
}

TEST_F(GeomRecordsTest, PrimvarsOfAnItemMayBeSplitOverReplies) {
  daemon_.primvars = {Parsed<v1::GetPrimvarsResponse>(R"(
          items { item: 1 primvars { name: "a" type_name: "float" interpolation: "constant"
                                     element_size: 1 value { float_value: 2 } } }
          items { item: 2 primvars { name: "beyond" } })"),
                      Parsed<v1::GetPrimvarsResponse>(R"(
          items { item: 9 primvars { name: "beyond" } }
          items { item: 1 primvars { name: "b" type_name: "int[]" interpolation: "vertex"
                                     element_size: 3 value { int_value: 4 }
                                     indices { int_value: 5 } } })")};
  const std::vector<std::string> lines = Geom({"/A", "/B"}, "1");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], R"({"record":"geom","path":"/A","time":"1","worldBound":null})");
  EXPECT_EQ(lines[1],
            R"({"record":"geom","path":"/B","time":"1","worldBound":null,"primvars":{)"
            R"("a":{"typeName":"float","interpolation":"constant","value":2},)"
            R"("b":{"typeName":"int[]","interpolation":"vertex","elementSize":3,"value":4,)"
            R"("indices":5}}})");
}

TEST_F(GeomRecordsTest, ManyPrimsAreRequestedInBatches) {
  std::vector<std::string> paths;
  for (int i = 0; i < 401; ++i) paths.push_back(Concat("/P", i));
  const std::vector<std::string> lines = Geom(paths, "1");
  ASSERT_EQ(lines.size(), 401u);
  EXPECT_EQ(daemon_.batches, (std::vector<size_t>{200, 200, 1}));
  EXPECT_NE(lines[200].find(R"("path":"/P200")"), std::string::npos) << lines[200];
  EXPECT_NE(lines[400].find(R"("path":"/P400")"), std::string::npos) << lines[400];
  daemon_.batches.clear();
  Geom({paths.begin(), paths.begin() + 200}, "1");
  EXPECT_EQ(daemon_.batches, (std::vector<size_t>{200}));
}

TEST_F(GeomRecordsTest, WithoutPlainTimesNothingIsRequested) {
  EXPECT_TRUE(Geom({"/A"}, "pre:1").empty());
  EXPECT_TRUE(daemon_.batches.empty());
  EXPECT_TRUE(Skin("pre:1").empty());
  EXPECT_FALSE(daemon_.received_skin.with_joints());
}

TEST_F(GeomRecordsTest, SkinRecordsHaveTheFieldsOfTheReply) {
  daemon_.skin = Parsed<v1::ComputeSkinnedPointsResponse>(R"(
      items { path: "/A" time_index: 1 skeleton: "/S" animation_source: "/Anim"
              joint_order: "a" joint_order: "a/b" rigid: true joint_transforms {}
              points {} normals {} }
      items { path: "/Bad" error { code: 5 } }
      items { path: "/Late" time_index: 2 }
      items { path: "/B" })");
  v1::SkinnedPrim& rigid = *daemon_.skin.mutable_items(0);
  *rigid.mutable_xform() = Matrices(Upto(16));
  *daemon_.skin.mutable_items(3)->mutable_xform() = Matrices(Upto(15));
  const std::vector<std::string> lines = Skin("pre:1,1,2");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            R"({"record":"skin","path":"/A","time":"2","skeleton":"/S","animationSource":"/Anim",)"
            R"("jointOrder":["a","a/b"],"rigid":true,"jointXforms":[],"points":[],"normals":[],)"
            R"("xform":[[0,1,2,3],[4,5,6,7],[8,9,10,11],[12,13,14,15]]})");
  EXPECT_EQ(lines[1],
            R"({"record":"skin","path":"/B","time":"1","skeleton":"","jointOrder":[],)"
            R"("rigid":false,"jointXforms":null,"points":null,"normals":null,"xform":null})");
  EXPECT_TRUE(daemon_.received_skin.with_normals());
  EXPECT_TRUE(daemon_.received_skin.with_joints());
  EXPECT_EQ(daemon_.received_skin.paths_size(), 0) << "the whole stage";
}

}  // namespace
}  // namespace stagedoor
