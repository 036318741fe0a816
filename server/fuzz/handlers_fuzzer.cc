// Answers sequences of hostile requests on a small scene, without connections.
//
// The input chooses the requests: each is one of MixedRequests() with some fields changed, or
// filled from the input by the descriptor of its type; some are then damaged as bytes, cancelled,
// or limited to few steps or bytes. Whatever they are, no status may be outside of the contract,
// all replies must parse, and afterwards a fixed query must get the reply that it gets from a new
// daemon.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/status.h"
#include "base/strings.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/package_resolver.h"
#include "server/fuzz/contract.h"
#include "server/fuzz/fuzz_input.h"
#include "server/testing/bare_daemon.h"
#include "server/testing/handler_table.h"
#include "server/testing/message_fuzzer.h"
#include "server/testing/mixed_requests.h"
#include "server/testing/mixed_scene.h"
#include "stagedoor/v1/layers.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {
namespace {

using google::protobuf::Message;
using google::protobuf::MethodDescriptor;

constexpr int kMaxRequests = 32;
constexpr uint64_t kMaxSteps = uint64_t{1} << 18;
constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr size_t kMaxCorruptions = 3;

constexpr ServerLimits kLimits = {.max_paths = 10000,
                                  .max_times = 10000,
                                  .max_items = 100000,
                                  .max_interval_samples = 1000,
                                  .max_reply_bytes = 8 << 20,
                                  .max_session_layer_bytes = 1 << 20};

const char* const kWords[] = {"/",
                              "/World",
                              "/World/Moved/Geometry",
                              "/World/Moved/Geo",
                              "/World/One/Geo",
                              "/World/Two",
                              "/World/Light",
                              "/World/Heavy",
                              "/World/Curve.a",
                              "/World/Curve.b",
                              "/World/Light.tint",
                              "/World/Light{look=red}",
                              "/World/One/Geo.points",
                              "/World.collection:rules",
                              "/Clips",
                              "/Clips.x",
                              "/Bare.x",
                              "/C/Skel",
                              "/C/M",
                              "/Instancer",
                              "/no/where",
                              "/World/../World",
                              "World",
                              ".a",
                              "/World/Curve.to[/World/One]",
                              "//*",
                              "/A.",
                              "1:320",
                              "1:1e9x0.1",
                              "nan:inf",
                              "default",
                              "Mesh",
                              "properties.values",
                              "*",
                              "\xff\xfe",
                              ""};
const char* const kFiles[] = {"/root.usda",          "/look.usda",    "/model.usda",
                              "/heavy.usda",         "/clip.1.usda",  "/clip.2.usda",
                              "/crate.usdc",         "/package.usdz", "/package.usdz[heavy.usda]",
                              "/missing.usda",       "./look.usda",   "model.usda",
                              "/../etc/passwd.usda", "anon:x.usda",   "/out.usdc",
                              "studio://a/b.usda",   "/crate.usda",   ""};
const char* const kLayers[] = {
    "#usda 1.0\n",
    "#usda 1.0\nover \"World\" {\n double x = 1\n over \"Light\" (variants = {string look = "
    "\"blue\"}) {}\n}\n",
    "#usda 1.0\n(\n subLayers = [@/root.usda@, @/look.usda@]\n relocates = {</World/One>: </World/"
    "Uno>}\n)\n",
    "#usda 1.0\ndef \"World\" (references = [</World>, @/model.usda@]) {}\n",
    "#usda 1.0\nover \"Clips\" (clips = {dictionary default = {double2[] active = [(0, 0), (1, 7)]}"
    "}) {}\n",
    "#usda 1.0\ndef \"W\" {\n",
    "PXR-USDC",
    ""};

template <size_t kCount>
std::vector<std::string> ListOf(const char* const (&texts)[kCount]) {
  return {std::begin(texts), std::end(texts)};
}

[[noreturn]] void Fail(const MethodDescriptor& method, const Message* request,
                       const std::string& problem, const absl::Status& status) {
  std::fprintf(stderr, "%s: %s: %s\n", method.name().c_str(), problem.c_str(),
               std::string(stagedoor::Message(status)).c_str());
  if (request != nullptr) {
    std::fprintf(stderr, "%s\n", request->Utf8DebugString().substr(0, 4000).c_str());
  }
  std::abort();
}

// The files of the scene, with those that only an RPC can make.
class Scene {
 public:
  Scene() : files_(std::make_shared<MemoryResolver>()) {
    for (const SceneFile& file : MixedScene()) Put(file.name, file.content);
    Make("crate.usdc",
         {"", "LayersService/ConvertLayer", "identifier: '/crate.usda' format: LAYER_FORMAT_USDC"});
    Make("package.usdz", {"", "LayersService/FlattenStage",
                          "source { open { root_layer: '/heavy.usda' } } "
                          "format: LAYER_FORMAT_USDZ"});
  }
  std::shared_ptr<const Resolver> resolver() const {
    return std::make_shared<PackageResolver>(files_);
  }

 private:
  void Put(const std::string& name, const std::string& content) {
    if (!files_->Put(Concat("/", name), content).ok()) std::abort();
  }
  // Adds the file that an RPC returns.
  void Make(const std::string& name, const MixedRequest& request) {
    BareDaemon daemon(resolver());
    RequestContext context;
    std::vector<std::string> messages;
    const absl::Status made =
        CallHandler(MethodOf(request), daemon.state, context,
                    RequestOf(request, "", "")->SerializeAsString(), &messages);
    if (!made.ok()) Fail(MethodOf(request), nullptr, "cannot make the scene", made);
    std::string content;
    for (const std::string& message : messages) {
      v1::ConvertLayerResponse part;  // other responses have their data in the same field
      if (!part.ParseFromString(message)) std::abort();
      content += part.data();
    }
    Put(name, content);
  }

  const std::shared_ptr<MemoryResolver> files_;
};

// Opens the scene and asks for all prims and values. The replies do not depend on what else the
// daemon did.
std::vector<GenericReply> AskFixedQueries(BareDaemon& daemon) {
  std::vector<GenericReply> replies;
  std::string handle;
  for (const MixedRequest& query :
       {MixedRequest{"", "StagesService/OpenStage", "root_layer: '/root.usda'"},
        MixedRequest{"", "QueryService/Traverse",
                     "stage { handle: '$' } read_mask { paths: '*' } "
                     "predicate { preset: PRESET_ALL instance_proxies: true } "
                     "times { ranges: '1:4' times { default_time {} } }"},
        MixedRequest{"", "QueryService/BatchGetValues",
                     "stage { handle: '$' } paths: '/Clips.x' paths: '/Bare.x' "
                     "paths: '/Clips/Child.points' times { ranges: '1:4' }"}}) {
    const MethodDescriptor& method = MethodOf(query);
    RequestContext context;
    std::vector<std::string> messages;
    const absl::Status status =
        CallHandler(method, daemon.state, context,
                    RequestOf(query, handle, "")->SerializeAsString(), &messages);
    if (!status.ok()) Fail(method, nullptr, "the fixed query failed", status);
    if (handle.empty()) {
      v1::OpenStageResponse opened;
      if (!opened.ParseFromString(messages.front())) std::abort();
      handle = opened.handle();
    }
    replies.push_back(ParseReply(method, status, messages));
    Normalize(&replies.back());
  }
  return replies;
}

// Sends the requests that an input chooses.
class Sender {
 public:
  Sender(BareDaemon& daemon, FuzzInput& input)
      : daemon_(daemon),
        input_(input),
        fuzzer_(ListOf(kWords), [&input](uint32_t below) { return input.Below(below); }) {
    const std::vector<std::string> files = ListOf(kFiles);
    for (const char* field : {"root_layer", "identifier", "clips", "output", "mute", "unmute",
                              "muted_layers", "pin_files", "path", "target"}) {
      fuzzer_.SetWords(field, files);
    }
    fuzzer_.SetWords("content", ListOf(kLayers));
    fuzzer_.SetWords("ranges", {"1:4", "4:1x-1", "1:2x0.5", "1:1e18", "nan", "1:4x0", "-1e300:1"});
  }

  void Send() {
    const MethodDescriptor* method = nullptr;
    const std::unique_ptr<Message> request = NextRequest(&method);
    RequestContext context(RequestContext::Clock::time_point::max(), NextLimits());
    if (input_.Below(16) == 15) context.Cancel();
    std::string bytes = request->SerializePartialAsString();
    if (input_.Below(8) == 7) {
      for (size_t i = 0; i < kMaxCorruptions; ++i) bytes = fuzzer_.Corrupt(std::move(bytes));
    }
    std::vector<std::string> messages;
    const absl::Status status = CallHandler(*method, daemon_.state, context, bytes, &messages);
    const std::string problem = ProblemWithError(status);
    if (!problem.empty()) Fail(*method, request.get(), problem, status);
    const GenericReply reply = ParseReply(*method, status, messages);
    if (!reply.valid) Fail(*method, request.get(), "the reply cannot be parsed", status);
    Learn(reply);
  }

 private:
  std::unique_ptr<Message> NextRequest(const MethodDescriptor** method) {
    static const auto* methods = new std::vector<const MethodDescriptor*>(AllMethods());
    const auto& mixed = MixedRequests();
    const size_t choice = input_.Below(static_cast<uint32_t>(mixed.size() + methods->size()));
    if (choice >= mixed.size()) {
      *method = (*methods)[choice - mixed.size()];
      auto request = NewRequest(**method);
      fuzzer_.Fill(request.get());
      return request;
    }
    *method = &MethodOf(mixed[choice]);
    auto request = RequestOf(mixed[choice], handle_, "");
    for (uint32_t changes = input_.Below(6); changes > 0; --changes) fuzzer_.Mutate(request.get());
    return request;
  }

  RequestLimits NextLimits() {
    RequestLimits limits{.max_steps = kMaxSteps, .max_bytes = kMaxBytes};
    const uint32_t choice = input_.Below(16);
    if (choice == 15) limits.max_steps = uint64_t{1} << input_.Below(18);
    if (choice == 14) limits.max_bytes = size_t{1} << input_.Below(24);
    return limits;
  }

  // Lets later requests use what a reply says.
  void Learn(const GenericReply& reply) {
    if (reply.messages.empty()) return;
    const auto* opened = dynamic_cast<const v1::OpenStageResponse*>(reply.messages.front().get());
    if (opened == nullptr) return;
    handle_ = opened->handle();
    fuzzer_.SetHandle(handle_);
    snapshots_.push_back(opened->stage().snapshot());
    for (const char* field : {"snapshot", "expected_snapshot"}) {
      fuzzer_.SetWords(field, snapshots_);
    }
    fuzzer_.SetWords("id", {opened->stage().id()});
  }

  BareDaemon& daemon_;
  FuzzInput& input_;
  MessageFuzzer fuzzer_;
  std::string handle_ = "none";
  std::vector<std::string> snapshots_;
};

void CheckFixedQueries(BareDaemon& daemon, const std::vector<GenericReply>& expected) {
  const std::vector<GenericReply> replies = AskFixedQueries(daemon);
  for (size_t i = 0; i < replies.size(); ++i) {
    const std::string difference = Difference(expected[i], replies[i]);
    if (difference.empty()) continue;
    std::fprintf(stderr, "fixed query %zu: %s\n", i, difference.c_str());
    std::abort();
  }
}

}  // namespace
}  // namespace stagedoor::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stagedoor::server;
  static const auto* scene = new Scene;
  static const auto* expected = new std::vector<GenericReply>([] {
    BareDaemon daemon(scene->resolver(), kLimits);
    return AskFixedQueries(daemon);
  }());
  BareDaemon daemon(scene->resolver(), kLimits);
  FuzzInput input(data, size);
  Sender sender(daemon, input);
  for (int i = 0; i < kMaxRequests && !input.empty(); ++i) sender.Send();
  CheckFixedQueries(daemon, *expected);
  return 0;
}
