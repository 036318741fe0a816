// The output of commands for canned replies of a daemon.
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "google/protobuf/text_format.h"
#include "stagedoor/v1/cache.grpc.pb.h"
#include "stagedoor/v1/layers.grpc.pb.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/server.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor {
namespace {

// Sends the same canned replies to all requests.
class FakeDaemon final : public v1::StagesService::Service,
                         public v1::LayersService::Service,
                         public v1::QueryService::Service,
                         public v1::CacheService::Service,
                         public v1::ServerService::Service {
 public:
  v1::ValidateLayerResponse diagnostics;
  v1::ListDependenciesResponse dependencies;
  v1::GetServerStatisticsResponse server;
  v1::GetCacheStatisticsResponse caches;
  v1::ExplainResponse explanation;
  v1::ListTimeSamplesResponse samples;
  v1::GetPrimResponse prim;
  v1::TraverseResponse prims;
  v1::ReadLayerResponse layer;
  v1::GetStageResponse stage;
  v1::StitchClipsRequest stitch;
  v1::GenerateClipManifestRequest manifest;
  std::vector<std::string> closed;

 private:
  grpc::Status OpenStage(grpc::ServerContext*, const v1::OpenStageRequest*,
                         v1::OpenStageResponse* response) override {
    response->set_handle("handle");
    return grpc::Status::OK;
  }
  grpc::Status CloseStage(grpc::ServerContext*, const v1::CloseStageRequest* request,
                          v1::CloseStageResponse*) override {
    closed.push_back(request->handle());
    return grpc::Status::OK;
  }
  grpc::Status GetStage(grpc::ServerContext*, const v1::GetStageRequest*,
                        v1::GetStageResponse* response) override {
    *response = stage;
    return grpc::Status::OK;
  }
  grpc::Status ValidateLayer(grpc::ServerContext*, const v1::ValidateLayerRequest*,
                             v1::ValidateLayerResponse* response) override {
    *response = diagnostics;
    return grpc::Status::OK;
  }
  grpc::Status ListDependencies(grpc::ServerContext*, const v1::ListDependenciesRequest*,
                                grpc::ServerWriter<v1::ListDependenciesResponse>* writer) override {
    writer->Write(dependencies);
    return grpc::Status::OK;
  }
  grpc::Status ReadLayer(grpc::ServerContext*, const v1::ReadLayerRequest*,
                         grpc::ServerWriter<v1::ReadLayerResponse>* writer) override {
    writer->Write(layer);
    return grpc::Status::OK;
  }
  grpc::Status StitchClips(grpc::ServerContext*, const v1::StitchClipsRequest* request,
                           grpc::ServerWriter<v1::StitchClipsResponse>*) override {
    stitch = *request;
    return grpc::Status::OK;
  }
  grpc::Status GenerateClipManifest(
      grpc::ServerContext*, const v1::GenerateClipManifestRequest* request,
      grpc::ServerWriter<v1::GenerateClipManifestResponse>*) override {
    manifest = *request;
    return grpc::Status::OK;
  }
  grpc::Status GetServerStatistics(grpc::ServerContext*, const v1::GetServerStatisticsRequest*,
                                   v1::GetServerStatisticsResponse* response) override {
    *response = server;
    return grpc::Status::OK;
  }
  grpc::Status GetCacheStatistics(grpc::ServerContext*, const v1::GetCacheStatisticsRequest*,
                                  v1::GetCacheStatisticsResponse* response) override {
    *response = caches;
    return grpc::Status::OK;
  }
  grpc::Status Explain(grpc::ServerContext*, const v1::ExplainRequest*,
                       v1::ExplainResponse* response) override {
    *response = explanation;
    return grpc::Status::OK;
  }
  grpc::Status ListTimeSamples(grpc::ServerContext*, const v1::ListTimeSamplesRequest*,
                               v1::ListTimeSamplesResponse* response) override {
    *response = samples;
    return grpc::Status::OK;
  }
  grpc::Status GetPrim(grpc::ServerContext*, const v1::GetPrimRequest*,
                       v1::GetPrimResponse* response) override {
    *response = prim;
    return grpc::Status::OK;
  }
  grpc::Status Traverse(grpc::ServerContext*, const v1::TraverseRequest*,
                        grpc::ServerWriter<v1::TraverseResponse>* writer) override {
    writer->Write(prims);
    return grpc::Status::OK;
  }
};

template <typename Message>
void Parse(const std::string& text, Message* message) {
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, message)) << text;
}

class ReportedAnswersTest : public ::testing::Test {
 protected:
  using Command = absl::Status (*)(Client&, const CommandLine&, Output&);

  ReportedAnswersTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(static_cast<v1::StagesService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::LayersService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::QueryService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::CacheService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::ServerService::Service*>(&daemon_));
    server_ = builder.BuildAndStart();
    client_ = Client::FromChannel(server_->InProcessChannel({}), {});
  }
  absl::Status Run(Command command, const std::vector<std::string>& args, std::string* printed) {
    const auto line = CommandLine::Parse(args);
    EXPECT_TRUE(line.ok()) << line.status();
    std::FILE* file = std::tmpfile();
    absl::Status status;
    {
      Output output(::fileno(file));
      status = command(*client_, *line, output);
    }
    std::rewind(file);
    printed->clear();
    for (int c; (c = std::fgetc(file)) != EOF;) printed->push_back(static_cast<char>(c));
    std::fclose(file);
    return status;
  }
  std::string Printed(Command command, const std::vector<std::string>& args) {
    std::string printed;
    const absl::Status status = Run(command, args, &printed);
    EXPECT_TRUE(status.ok()) << status;
    return printed;
  }

  FakeDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ReportedAnswersTest, ValidatePrintsTheLocationOfEachDiagnostic) {
  Parse(R"(
      diagnostics { severity: SEVERITY_WARNING message: "odd" file: "a.usda" line: 3 column: 7 }
      diagnostics { severity: SEVERITY_ERROR message: "bad" file: "a.usdc" offset: 88 path: "/P" }
      diagnostics { severity: SEVERITY_ERROR message: "worse" file: "b" line: 1 offset: 1 })",
        &daemon_.diagnostics);
  std::string printed;
  const absl::Status status = Run(RunValidate, {"validate", "/a.usda"}, &printed);
  EXPECT_EQ(printed,
            "a.usda:3:7: warning: odd\n"
            "a.usdc at byte 88 </P>: error: bad\n"
            "b:1:0 at byte 1: error: worse\n");
  EXPECT_EQ(Message(status), "/a.usda is invalid: 2 error(s)");
  EXPECT_EQ(ToExitStatus(status), kExitBrokenFile);
  daemon_.diagnostics.mutable_diagnostics()->DeleteSubrange(1, 2);
  EXPECT_EQ(Printed(RunValidate, {"validate", "/a.usda"}), "a.usda:3:7: warning: odd\n");
}

TEST_F(ReportedAnswersTest, DepsAnchorsInLayersAndInPackages) {
  const struct {
    std::string authored, layer, anchored;
  } kCases[] = {
      {"./x.png", "/show/a.usda", "/show/x.png"},
      {"../x.png", "/show/a.usda", "/x.png"},
      {"x.png", "/show/a.usda", "x.png"},
      {".x.png", "/show/a.usda", ".x.png"},
      {"./x.png", "/show/p.usdz[a.usda]", "/show/p.usdz[x.png]"},
      {"./x.png", "/show/p.usdz[in/a.usda]", "/show/p.usdz[in/x.png]"},
      {"../x.png", "/show/p.usdz[in/a.usda]", "/show/p.usdz[x.png]"},
      {"./x.png", "/p.usdz[q.usdz[in/a.usda]]", "/p.usdz[q.usdz[in/x.png]]"},
      {"./x.png", "/odd[1/a.usda", "/odd[1/x.png"},
  };
  for (const auto& c : kCases) {
    daemon_.dependencies.Clear();
    v1::Dependency& dependency = *daemon_.dependencies.add_dependencies();
    dependency.set_authored_path(c.authored);
    dependency.set_layer(c.layer);
    EXPECT_EQ(Printed(RunDeps, {"deps", "/a.usda"}),
              Concat("missing\tasset\t", c.anchored, "\t", c.layer, "\t", c.authored, "\n"));
  }
}

TEST_F(ReportedAnswersTest, DepsPrintsKinds) {
  Parse(R"(
      dependencies { kind: KIND_LAYER resolved_path: "/l" layer: "/a" }
      dependencies { kind: KIND_CLIP resolved_path: "/c" layer: "/a" }
      dependencies { kind: KIND_ASSET resolved_path: "/t" layer: "/a" }
      dependencies { kind: KIND_CLIP authored_path: "c" layer: "/a" })",
        &daemon_.dependencies);
  EXPECT_EQ(Printed(RunDeps, {"deps", "/a.usda"}),
            "found\tlayer\t/l\t/a\nfound\tclip\t/c\t/a\nfound\tasset\t/t\t/a\n"
            "missing\tclip\tc\t/a\tc\n");
}

TEST_F(ReportedAnswersTest, StatsPrintsAllCounters) {
  Parse(R"(open_stages: 1 leases: 2 resident_bytes: 3145727)", &daemon_.server);
  Parse(R"(
      caches { name: "layers" entries: 1 bytes: 2 hits: 3 misses: 4 evictions: 5 opens: 6
               failures: 7 }
      caches { name: "clips" entries: 1 budget_entries: 2 bytes: 3 budget_bytes: 4 open_files: 5
               pinned: 6 prefetches: 7 missing: 8 }
      clip_layers { identifier: "/a" bytes: 1 opens: 2 hits: 3 pinned: true }
      clip_layers { identifier: "/b" missing: true })",
        &daemon_.caches);
  EXPECT_EQ(Printed(RunStats, {"stats"}),
            "stages 1, leases 2, resident 2 MiB\n"
            "layers: 1 entries, 2 bytes, 3 hits, 4 misses, 5 evictions, 6 opens, 7 failures\n"
            "clips: 1 of 2 entries, 3 of 4 bytes, 0 hits, 0 misses, 0 evictions, 0 opens, "
            "0 failures, 5 open files, 6 pinned, 7 prefetches, 8 missing\n"
            "/a: 1 bytes, 2 opens, 3 hits, pinned\n"
            "/b: 0 bytes, 0 opens, 0 hits, missing\n");
}

TEST_F(ReportedAnswersTest, ExplainNamesEachSource) {
  const struct {
    std::string source, expected;
  } kCases[] = {
      {"FALLBACK", "fallback"},       {"DEFAULT", "default"}, {"TIME_SAMPLES", "time samples"},
      {"VALUE_CLIPS", "value clips"}, {"SPLINE", "spline"},   {"NONE", "nothing"}};
  for (const auto& c : kCases) {
    daemon_.explanation.Clear();
    Parse(Concat("explanations { source: VALUE_SOURCE_", c.source, " }"), &daemon_.explanation);
    EXPECT_EQ(Printed(RunExplain, {"explain", "/a.usda", "/P.x"}),
              Concat("/P.x\nunknown time: none\n  source: ", c.expected, "\n"));
  }
}

TEST_F(ReportedAnswersTest, ExplainPrintsTheSamplesThatWereUsed) {
  Parse(R"(explanations {
      time { pre_time: 2 } value { block {} }
      lower_sample: 1 upper_sample: 1 layer_time: 2.5
      site { layer: "/a" path: "/P.x" arc: "root" layer_offset { scale: 2 offset: 3 } }
      notes: "n" stack { layer: "/b" path: "/Q.x" } })",
        &daemon_.explanation);
  EXPECT_EQ(Printed(RunExplain, {"explain", "/a.usda", "/P.x"}),
            "/P.x\npre:2: blocked\n  source: nothing\n  spec: /a </P.x> by root, time * 2 + 3\n"
            "  samples: 1, held; layer time 2.5\n  note: n\n  opinion: /b </Q.x>\n");
  v1::Explanation& explanation = *daemon_.explanation.mutable_explanations(0);
  ASSERT_TRUE(google::protobuf::TextFormat::MergeFromString(R"(
      stack { layer: "/c" path: "/Q.x" } stack { layer: "/d" path: "/Q.x" }
      opinions { source: VALUE_SOURCE_DEFAULT value { block {} } }
      opinions { source: VALUE_SOURCE_SPLINE value { double_value: 2.5 } element_count: 17 }
      opinions { source: VALUE_SOURCE_NONE })",
                                                            &explanation));
  EXPECT_EQ(Printed(RunExplain, {"explain", "/a.usda", "/P.x"}),
            "/P.x\npre:2: blocked\n  source: nothing\n  spec: /a </P.x> by root, time * 2 + 3\n"
            "  samples: 1, held; layer time 2.5\n  note: n\n"
            "  opinion: /b </Q.x>: blocked (default)\n"
            "  opinion: /c </Q.x>: 2.5 … 17 in all (spline)\n  opinion: /d </Q.x>: no value\n");
  explanation.set_upper_sample(4);
  explanation.set_interpolated(true);
  explanation.clear_site();
  explanation.clear_stack();
  explanation.mutable_time()->mutable_earliest();
  EXPECT_EQ(Printed(RunExplain, {"explain", "/a.usda", "/P.x"}),
            "/P.x\nearliest: blocked\n  source: nothing\n"
            "  samples: 1 and 4, interpolated; layer time 2.5\n  note: n\n");
}

TEST_F(ReportedAnswersTest, SamplesFailsWithTheFirstError) {
  Parse(
      "attributes { times { component_type: COMPONENT_TYPE_FLOAT64 data: "
      "'\\0\\0\\0\\0\\0\\0\\360?\\0\\0\\0\\0\\0\\0\\004@' } } "
      "attributes { times { component_type: COMPONENT_TYPE_FLOAT64 data: "
      "'\\0\\0\\0\\0\\0\\0\\010@' } }",
      &daemon_.samples);
  EXPECT_EQ(Printed(RunSamples, {"samples", "/a.usda", "/P.x"}), "1 2.5 3\n");
  Parse("path_errors { code: 5 message: 'first' } path_errors { code: 13 message: 'second' }",
        &daemon_.samples);
  std::string printed;
  const absl::Status status = Run(RunSamples, {"samples", "/a.usda", "/P.x"}, &printed);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), "first; the prim has no attributes");
  EXPECT_EQ(printed, "");
}

TEST_F(ReportedAnswersTest, LsPrintsKindsOfProperties) {
  Parse(R"(prim { children: "c"
      properties { name: "x" kind: KIND_ATTRIBUTE type_name: "double" }
      properties { name: "unknown" kind: KIND_ATTRIBUTE }
      properties { name: "r" kind: KIND_RELATIONSHIP type_name: "no" } })",
        &daemon_.prim);
  EXPECT_EQ(Printed(RunLs, {"ls", "/a.usda"}), "c/\ndouble x\nunknown\nrel r\n");
}

TEST_F(ReportedAnswersTest, AFailedPrimEndsATree) {
  Parse(
      "prims { path: '/A' } prims { path: '/A/B' error { code: 8 message: 'too large' } } "
      "prims { path: '/C' }",
      &daemon_.prims);
  std::string printed;
  for (const Command command : {RunTree, RunDump}) {
    const absl::Status status = Run(command, {"tree", "/a.usda"}, &printed);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(Message(status), "/A/B: too large");
    EXPECT_EQ(printed.find("/C"), std::string::npos) << printed;
  }
}

TEST_F(ReportedAnswersTest, ATreeBelowTheRootIsNotIndented) {
  Parse("prims { path: '/' } prims { path: '/A' } prims { path: '/A/B' }", &daemon_.prims);
  EXPECT_EQ(Printed(RunTree, {"tree", "/a.usda"}), "/\nA\n  B\n");
  daemon_.prims.mutable_prims()->DeleteSubrange(0, 1);
  EXPECT_EQ(Printed(RunTree, {"tree", "/a.usda", "/A"}), "A\n  B\n");
}

TEST_F(ReportedAnswersTest, AFailedSpecEndsALayer) {
  Parse("specs { path: '/A' } specs { path: '/B' error { code: 15 message: 'cut' } }",
        &daemon_.layer);
  std::string printed;
  const absl::Status status = Run(RunLayer, {"layer", "/a.usda"}, &printed);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Message(status), "/B: cut");
  EXPECT_EQ(printed, "{\"record\":\"spec\",\"path\":\"/A\",\"specType\":\"prim\",\"fields\":{}}\n");
}

TEST_F(ReportedAnswersTest, EmptyMetadataIsNotPrinted) {
  EXPECT_EQ(Printed(RunOpen, {"open", "/a.usda"}),
            "startTimeCode: 0\nendTimeCode: 0\ntimeCodesPerSecond: 0\nframesPerSecond: 0\n");
}

TEST_F(ReportedAnswersTest, StagesAreClosedAtTheEnd) {
  Printed(RunOpen, {"open", "/a.usda"});
  EXPECT_EQ(daemon_.closed, (std::vector<std::string>{"handle"}));
}

TEST_F(ReportedAnswersTest, WrongOutputFilesAreUsageErrors) {
  const struct {
    Command command;
    std::vector<std::string> args;
    std::string error;
  } kCases[] = {
      {RunFlatten, {"flatten", "/a"}, "flatten needs -o FILE"},
      {RunFlatten, {"flatten", "/a", "-o", ""}, "flatten needs -o FILE"},
      {RunLocalize, {"localize", "/a", "-o", "-"}, "localize writes several files; -o cannot be -"},
      {RunStitchClips,
       {"stitch-clips", "/a", "-o", "-"},
       "stitch-clips writes several files; -o cannot be -"},
      {RunFlatten,
       {"flatten", "/a", "-o", "/x.foo"},
       "cannot determine the format of '/x.foo': its extension must be .usda, .usdc, .usd or "
       ".usdz"},
      {RunConvert,
       {"convert", "/a", "usda"},
       "cannot determine the format of 'usda': its extension must be .usda, .usdc, .usd or .usdz"},
      {RunClipManifest,
       {"clip-manifest", "/a", "-o", "/x.usda"},
       "clip-manifest needs ROOT and --prim PATH, or CLIP… and --clipPath PATH"},
  };
  for (const auto& c : kCases) {
    std::string printed;
    const absl::Status status = Run(c.command, c.args, &printed);
    EXPECT_EQ(Message(status), c.error);
    EXPECT_EQ(ToExitStatus(status), kExitUsage) << status;
  }
}

TEST_F(ReportedAnswersTest, RequestsHaveOnlyWhatTheFlagsSet) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "reported_answers";
  std::filesystem::create_directories(folder);
  const std::string out = (folder / "x.usda").string();
  Printed(RunStitchClips, {"stitch-clips", "/c.usda", "-o", out});
  EXPECT_EQ(daemon_.stitch.output(), out);
  EXPECT_EQ(daemon_.stitch.clips_size(), 1);
  EXPECT_FALSE(daemon_.stitch.has_start_time_code());
  EXPECT_FALSE(daemon_.stitch.has_end_time_code());
  EXPECT_FALSE(daemon_.stitch.interpolate_missing_clip_values());
  EXPECT_FALSE(daemon_.stitch.has_clip_template());
  Printed(RunStitchClips, {"stitch-clips", "/c.usda", "-o", out, "--templateMetadata"});
  EXPECT_EQ(daemon_.stitch.clip_template().stride(), 1);
  EXPECT_EQ(daemon_.stitch.clip_template().path(), "");
  EXPECT_FALSE(daemon_.stitch.clip_template().has_active_offset());
  Printed(RunClipManifest, {"clip-manifest", "/a.usda", "--prim=/P", "--writeBlocks", "-o", out});
  EXPECT_TRUE(daemon_.manifest.clip_set().write_blocks());
  EXPECT_EQ(daemon_.manifest.clip_set().prim_path(), "/P");
  EXPECT_EQ(daemon_.manifest.format(), v1::LAYER_FORMAT_USDA);
  Printed(RunClipManifest, {"clip-manifest", "/a.usda", "--prim=/P", "-o", out});
  EXPECT_FALSE(daemon_.manifest.clip_set().write_blocks());
  Printed(RunClipManifest, {"clip-manifest", "/c.usda", "/d.usda", "--clipPath=/C", "-o", out});
  EXPECT_EQ(daemon_.manifest.clip_layers().clips_size(), 2);
  EXPECT_EQ(daemon_.manifest.clip_layers().clip_path(), "/C");
}

}  // namespace
}  // namespace stagedoor
