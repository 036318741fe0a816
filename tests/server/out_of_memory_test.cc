// Whichever allocation of a request fails, only that request fails, and the next one is answered as
// if nothing had been. OUT_OF_MEMORY_ROUNDS=N in the environment: so many failures a request.
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/testing/failing_new.h"
#include "resolver/file/file_resolver.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/package_resolver.h"
#include "server/server.h"
#include "server/testing/generic_call.h"
#include "tests/server/mixed_scene.h"

namespace stagedoor {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::util::MessageDifferencer;

constexpr std::chrono::seconds kDeadline{20};
constexpr size_t kShownDifference = 600;
constexpr grpc::StatusCode kExhausted = grpc::StatusCode::RESOURCE_EXHAUSTED;

struct Case {
  const char* name;
  const char* method;
  const char* request;   // in protobuf's text form; $ stands for the stage, % for the folder
  bool differs = false;  // each time, or the second time
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.method; }

#define STAGE "stage { handle: '$' } "
#define FRAMES "times { ranges: '1:4' times { kind: KIND_DEFAULT } } "
#define ALL_DETAILS                                                 \
  "details: PRIM_DETAIL_SUMMARY details: PRIM_DETAIL_CHILDREN "     \
  "details: PRIM_DETAIL_SCHEMAS details: PRIM_DETAIL_VARIANT_SETS " \
  "details: PRIM_DETAIL_METADATA details: PRIM_DETAIL_PROPERTIES "  \
  "details: PRIM_DETAIL_VALUES details: PRIM_DETAIL_TIME_SAMPLES "  \
  "details: PRIM_DETAIL_TARGETS details: PRIM_DETAIL_STACKS "       \
  "predicate { preset: PRESET_ALL instance_proxies: true } "
#define VALUE_PATHS                                                             \
  "paths: '/Clips.x' paths: '/Clips/Child.points' paths: '/Bare.x' "            \
  "paths: '/World/Curve.a' paths: '/World/Curve.b' paths: '/World/Curve.said' " \
  "paths: '/World/Curve.wordy' paths: '/World/Moved/Geometry.points' "          \
  "paths: '/World/Light.side' paths: '/World/Light.many' "                      \
  "paths: '/World/Light.names' paths: '/World/Light.tint' "                     \
  "paths: '/World/Two/Geo.points' paths: '/World/Sure.words' paths: '/no.where' "

const Case kCases[] = {
    {"OpenStage", "StagesService/OpenStage",
     "root_layer: '%/root.usda' session_layer { content: '#usda 1.0\\nover \"World\" {\\n}\\n' } "
     "load_rules { path: '/World/Light' rule: RULE_NONE } "
     "variant_fallbacks { variant_set: 'look' choices: 'red' } client_name: 'a client of a test'"},
    {"OpenMasked", "StagesService/OpenStage",
     "root_layer: '%/root.usda' population_mask: '/World/Moved' muted_layers: '%/look.usda'"},
    {"GetStage", "StagesService/GetStage",
     STAGE "details: STAGE_DETAIL_METADATA details: STAGE_DETAIL_USED_LAYERS "
           "details: STAGE_DETAIL_COMPOSITION_ERRORS"},
    {"ListStages", "StagesService/ListStages", "page_size: 10", true},
    {"RenewLease", "StagesService/RenewLease", "handle: '$' lease_ttl { seconds: 60 }"},
    {"SetSessionLayer", "StagesService/SetSessionLayer",
     STAGE "session_layer { content: '#usda 1.0\\nover \"World\" {\\ndouble x = 1\\n}\\n' }"},
    {"UnloadPrims", "StagesService/UnloadPrims", STAGE "paths: '/World/Heavy'"},
    {"LoadPrims", "StagesService/LoadPrims", STAGE "paths: '/World/Heavy'"},
    {"ReloadStage", "StagesService/ReloadStage", STAGE, true},
    {"MuteLayers", "StagesService/MuteLayers", STAGE "mute: '%/look.usda' unmute: '%/other.usda'"},
    {"CloseStage", "StagesService/CloseStage", "handle: '$'", true},
    {"BatchGetValues", "QueryService/BatchGetValues",
     STAGE VALUE_PATHS FRAMES "with_sources: true"},
    {"StreamValues", "QueryService/StreamValues", STAGE VALUE_PATHS FRAMES "chunk_bytes: 64"},
    {"ListTimeSamples", "QueryService/ListTimeSamples",
     STAGE VALUE_PATHS "interval { start: 1 end: 4 }"},
    {"StreamTimeSamples", "QueryService/StreamTimeSamples", STAGE VALUE_PATHS},
    {"Bracketing", "QueryService/GetBracketingTimeSamples",
     STAGE VALUE_PATHS "times: 1.5 times: 3"},
    {"GetPrim", "QueryService/GetPrim", STAGE "path: '/World/Light' " ALL_DETAILS FRAMES},
    {"GetInstance", "QueryService/GetPrim", STAGE "path: '/World/One/Geo' " ALL_DETAILS FRAMES},
    {"Traverse", "QueryService/Traverse", STAGE ALL_DETAILS FRAMES},
    {"TraverseMeshes", "QueryService/Traverse", STAGE "roots: '/World' schema_types: 'Mesh'"},
    {"Explain", "QueryService/Explain", STAGE "path: '/World/Light.tint' " FRAMES},
    {"ExplainClips", "QueryService/Explain", STAGE "path: '/Clips.x' " FRAMES},
    {"ListCollections", "QueryService/ListCollections",
     STAGE "paths: '/World.collection:rules' paths: '/World.collection:words'"},
    {"ComputeTransforms", "GeomService/ComputeTransforms",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Curve' paths: '/C/M' " FRAMES
           "with_local: true"},
    {"ComputeVisibility", "GeomService/ComputeVisibility",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Curve' " FRAMES},
    {"ComputeBounds", "GeomService/ComputeBounds",
     STAGE "paths: '/World' paths: '/Instancer' paths: '/C' " FRAMES "use_extents_hint: true"},
    {"GetPrimvars", "GeomService/GetPrimvars",
     STAGE "paths: '/World/Moved/Geometry' paths: '/World/One/Geo' " FRAMES "flatten: true"},
    {"InstanceTransforms", "GeomService/ComputeInstanceTransforms",
     STAGE "paths: '/Instancer' " FRAMES "base_time { kind: KIND_NUMERIC value: 1 }"},
    {"ListSkelBindings", "SkelService/ListSkelBindings", STAGE},
    {"JointTransforms", "SkelService/ComputeJointTransforms",
     STAGE "paths: '/C/Skel' " FRAMES "space: JOINT_SPACE_SKINNING"},
    {"SkinnedPoints", "SkelService/ComputeSkinnedPoints",
     STAGE "paths: '/C/M' " FRAMES "with_normals: true with_joints: true world_space: true"},
    {"ReadText", "LayersService/ReadLayer", "identifier: '%/root.usda'"},
    {"ReadCrate", "LayersService/ReadLayer", "identifier: '%/crate.usdc'"},
    {"ReadPackage", "LayersService/ReadLayer", "identifier: '%/package.usdz'"},
    {"ToCrate", "LayersService/ConvertLayer",
     "identifier: '%/root.usda' format: LAYER_FORMAT_USDC"},
    {"ToText", "LayersService/ConvertLayer",
     "identifier: '%/crate.usdc' format: LAYER_FORMAT_USDA"},
    {"Validate", "LayersService/ValidateLayer", "identifier: '%/root.usda'"},
    {"ValidateCrate", "LayersService/ValidateLayer", "identifier: '%/crate.usdc'"},
    {"ValidatePackage", "LayersService/ValidateLayer", "identifier: '%/package.usdz'"},
    {"Flatten", "LayersService/FlattenStage", "source { " STAGE "} format: LAYER_FORMAT_USDA"},
    {"FlattenToCrate", "LayersService/FlattenStage",
     "source { open { root_layer: '%/root.usda' } } format: LAYER_FORMAT_USDC"},
    {"FlattenLayers", "LayersService/FlattenStage",
     "source { " STAGE "} format: LAYER_FORMAT_USDA layer_stack_only: true"},
    {"StitchClips", "LayersService/StitchClips",
     "clips: '%/clip.1.usda' clips: '%/clip.2.usda' output: '%/out.usda' clip_path: '/C'"},
    {"StitchTemplate", "LayersService/StitchClips",
     "clips: '%/clip.1.usda' clips: '%/clip.2.usda' output: '%/root.usda' clip_path: '/C' "
     "clip_template { path: './clip.#.usda' stride: 1 } start_time_code: 1 end_time_code: 2"},
    {"Manifest", "LayersService/GenerateClipManifest",
     "clip_set { stage { " STAGE "} prim_path: '/Bare' clip_set: 'default' write_blocks: true } "
     "format: LAYER_FORMAT_USDA"},
    {"ManifestOfLayers", "LayersService/GenerateClipManifest",
     "clip_layers { clips: '%/clip.1.usda' clips: '%/clip.2.usda' clip_path: '/C' } "
     "format: LAYER_FORMAT_USDC"},
    {"ListDependencies", "LayersService/ListDependencies", "source { " STAGE "}"},
    {"Localize", "LayersService/LocalizeStage", "source { open { root_layer: '%/root.usda' } }"},
    {"LocalizeToPackage", "LayersService/LocalizeStage",
     "source { open { root_layer: '%/root.usda' } } package: true"},
    {"CacheStatistics", "CacheService/GetCacheStatistics", "with_layers: true", true},
    {"PrefetchClips", "CacheService/PrefetchClips",
     STAGE "paths: '/Clips' paths: '/Bare' interval { start: 1 end: 4 }"},
    {"ServerStatistics", "StatsService/GetServerStatistics", "", true},
};

const MethodDescriptor& MethodOf(const Case& tested) {
  for (const MethodDescriptor* method : AllMethods()) {
    if (Concat(method->service()->name(), "/", method->name()) == tested.method) return *method;
  }
  ADD_FAILURE() << "no method " << tested.method;
  std::abort();
}

const Case& CaseNamed(std::string_view name) {
  return *std::find_if(std::begin(kCases), std::end(kCases),
                       [&](const Case& tested) { return tested.name == name; });
}

// Calls `visit` for all messages within one, itself included.
template <typename Visit>
void ForEachMessage(Message* message, const Visit& visit) {
  visit(message);
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      ForEachMessage(reflection->MutableMessage(message, field), visit);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      ForEachMessage(reflection->MutableRepeatedMessage(message, field, i), visit);
    }
  }
}

// Drops what differs from one stage, or one lease, to the next.
void Normalize(GenericReply* reply) {
  for (const auto& message : reply->messages) {
    ForEachMessage(message.get(), [](Message* part) {
      for (const char* name :
           {"handle", "snapshot", "lease_expire_time", "lease_count", "opened"}) {
        const FieldDescriptor* field = part->GetDescriptor()->FindFieldByName(name);
        if (field != nullptr) part->GetReflection()->ClearField(part, field);
      }
    });
  }
}

// Empty if the replies are the same, else how they differ.
std::string Difference(const GenericReply& expected, const GenericReply& actual) {
  if (expected.status.error_code() != actual.status.error_code()) {
    return Concat("code ", static_cast<int>(actual.status.error_code()), ": ",
                  actual.status.error_message());
  }
  if (expected.messages.size() != actual.messages.size()) {
    return Concat(actual.messages.size(), " messages instead of ", expected.messages.size());
  }
  std::string differences;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  for (size_t i = 0; i < expected.messages.size(); ++i) {
    if (differencer.Compare(*expected.messages[i], *actual.messages[i])) continue;
    return differences.substr(0, kShownDifference);
  }
  return "";
}

class OutOfMemoryTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    StartServer();
    scene_ = MixedScene();
    PutScene();
    Add("crate.usdc", "LayersService/ConvertLayer",
        "identifier: '%/crate.usda' format: LAYER_FORMAT_USDC");
    Add("package.usdz", "LayersService/FlattenStage",
        "source { open { root_layer: '%/heavy.usda' } } format: LAYER_FORMAT_USDZ");
  }

  // A server that knows nothing yet.
  void StartServer() {
    stage_.clear();
    server_.reset();
    auto server = Server::Start({}, std::make_shared<PackageResolver>(Resolver()));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = server_->InProcessChannel();
  }

  // New versions of all files, so that nothing of them is known any more; and another stage, if
  // the request is about one.
  void Renew() {
    PutScene();
    if (std::string(GetParam().request).find('$') == std::string::npos) return;
    if (!stage_.empty()) Call({"", "StagesService/CloseStage", "handle: '$'"});
    const GenericReply opened = Call({"", "StagesService/OpenStage", "root_layer: '%/root.usda'"});
    ASSERT_TRUE(opened.status.ok()) << opened.status.error_message();
    const Message& reply = *opened.messages.at(0);
    const auto* field = reply.GetDescriptor()->FindFieldByName("stage");
    const Message& stage = reply.GetReflection()->GetMessage(reply, field);
    const auto* handle = stage.GetDescriptor()->FindFieldByName("handle");
    stage_ = stage.GetReflection()->GetString(stage, handle);
    if (std::string_view(GetParam().name) == "ReloadStage") PutScene();
  }

  GenericReply Call(const Case& tested) {
    const MethodDescriptor& method = MethodOf(tested);
    std::string text;
    for (const char* c = tested.request; *c != '\0'; ++c) {
      text += *c == '$' ? stage_ : *c == '%' ? Folder() : std::string(1, *c);
    }
    const auto request = NewRequest(method);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, request.get())) << text;
    return CallMethod(channel_, method, *request, kDeadline);
  }
  GenericReply NormalizedCall(const Case& tested) {
    GenericReply reply = Call(tested);
    Normalize(&reply);
    return reply;
  }

  // Calls with failures, twice at once if `twice`: what one call loads the other may wait for.
  void CallWithFailures(uint64_t first, bool all, bool twice, const GenericReply& expected) {
    FailAllocations(first, all);
    std::future<GenericReply> other;
    if (twice) {
      other = std::async(std::launch::async, [this] { return NormalizedCall(GetParam()); });
    }
    const GenericReply reply = NormalizedCall(GetParam());
    if (twice) ExpectAnswerOrExhausted(other.get(), expected);
    StopFailing();
    ExpectAnswerOrExhausted(reply, expected);
    answered_ = reply.status.ok();
  }

  static void ExpectAnswerOrExhausted(const GenericReply& reply, const GenericReply& expected) {
    if (reply.status.error_code() == kExhausted) return;
    if (GetParam().differs) {
      EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    } else {
      EXPECT_EQ(Difference(expected, reply), "") << "while there was no memory";
    }
  }

  void ExpectAnswer(const GenericReply& expected) {
    if (GetParam().differs && answered_) return;
    const GenericReply reply = NormalizedCall(GetParam());
    if (GetParam().differs) {
      EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    } else {
      EXPECT_EQ(Difference(expected, reply), "") << "afterwards";
    }
  }

  // Where the files are.
  virtual std::string Folder() { return ""; }
  virtual std::shared_ptr<const stagedoor::Resolver> Resolver() { return files_; }
  virtual void Put(const SceneFile& file) {
    ASSERT_TRUE(files_->Put(Concat("/", file.name), file.content).ok());
  }

  static int Rounds() {
    const char* rounds = std::getenv("OUT_OF_MEMORY_ROUNDS");
    return rounds == nullptr ? 60 : std::atoi(rounds);
  }

  void RunRounds(int rounds) {
    Renew();
    FailAllocations(UINT64_MAX - 1, false);
    const GenericReply expected = NormalizedCall(GetParam());
    const uint64_t allocations = StopFailing();
    ASSERT_TRUE(expected.status.ok()) << expected.status.error_message();
    ASSERT_GT(allocations, 0u);
    RecordProperty("allocations", static_cast<int>(allocations));
    std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same each time
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      const bool all = round % 2 != 0;
      const uint64_t next = static_cast<uint64_t>(round) / 2 + 1;
      if (next > allocations) break;
      const bool few = allocations <= static_cast<uint64_t>(rounds) / 2;
      const uint64_t first = few || round < rounds / 3 ? next : 1 + random() % allocations;
      SCOPED_TRACE(Concat("allocation ", first, " of ", allocations, all ? " and all after" : ""));
      const bool warm = round % 5 == 4;
      if (!warm && round % 7 == 3) StartServer();
      if (!warm) Renew();
      const bool twice = round % 3 == 2 && !GetParam().differs;
      CallWithFailures(first, all, twice, expected);
      ExpectAnswer(expected);
    }
  }

 private:
  void PutScene() {
    for (const SceneFile& file : scene_) Put(file);
  }

  // Adds a file that a method makes.
  void Add(const std::string& name, const char* method, const char* request) {
    const GenericReply made = Call({"", method, request});
    ASSERT_TRUE(made.status.ok()) << made.status.error_message();
    std::string content;
    for (const auto& message : made.messages) {
      const auto* data = message->GetDescriptor()->FindFieldByName("data");
      content += message->GetReflection()->GetString(*message, data);
    }
    scene_.push_back({name, content});
  }

  const std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  bool answered_ = false;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::vector<SceneFile> scene_;
  std::string stage_ = "";
};

TEST_P(OutOfMemoryTest, OnlyTheRequestFails) { RunRounds(Rounds()); }

INSTANTIATE_TEST_SUITE_P(Methods, OutOfMemoryTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// The same with mapped files. Few rounds: a file that was just written is not read at once.
class OutOfMemoryOnDiskTest : public OutOfMemoryTest {
 protected:
  std::string Folder() override { return folder_; }
  std::shared_ptr<const stagedoor::Resolver> Resolver() override {
    return FileResolver::Create({.roots = {folder_}, .map_threshold = 1}).value();
  }
  void Put(const SceneFile& file) override {
    const std::string path = Concat(folder_, "/", file.name);
    std::ofstream(path + ".new", std::ios::binary) << file.content;
    std::filesystem::rename(path + ".new", path);
  }

 private:
  static std::string NewFolder() {
    std::string folder = ::testing::TempDir() + "oom.XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    return folder;
  }
  const std::string folder_ = NewFolder();
};

TEST_P(OutOfMemoryOnDiskTest, OnlyTheRequestFails) { RunRounds(Rounds() / 4); }

INSTANTIATE_TEST_SUITE_P(Methods, OutOfMemoryOnDiskTest,
                         ::testing::ValuesIn({CaseNamed("OpenStage"), CaseNamed("BatchGetValues"),
                                              CaseNamed("ReadCrate"), CaseNamed("ReadPackage"),
                                              CaseNamed("LocalizeToPackage")}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OutOfMemory, EveryMethodIsTested) {
  for (const MethodDescriptor* method : AllMethods()) {
    const std::string name = Concat(method->service()->name(), "/", method->name());
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases), [&](const Case& tested) {
      return tested.method == name;
    })) << name;
  }
}

}  // namespace
}  // namespace stagedoor
