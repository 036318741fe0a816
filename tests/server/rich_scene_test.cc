// Requests everything the API can report: every field of every response is set by some scene, and
// all texts are valid UTF-8 regardless of what the layers contain.
#include "tests/server/rich_scene.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/testing/generic_call.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
  return text;
}

// Collects the full names ("stagedoor.v1.Prim.path") of fields set in a message, recursively.
void CollectSet(const Message& message, std::set<std::string>* names) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    names->insert(field->full_name());
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      CollectSet(message.GetReflection()->GetMessage(message, field), names);
      continue;
    }
    for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
      CollectSet(message.GetReflection()->GetRepeatedMessage(message, field, i), names);
    }
  }
}

// Collects the names of the fields whose texts contain `part`.
void CollectTexts(const Message& message, std::string_view part, std::set<std::string>* names) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool is_text = field->type() == FieldDescriptor::TYPE_STRING;
    if (!is_text && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (!is_text) {
        CollectTexts(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                          : reflection.GetMessage(message, field),
                     part, names);
        continue;
      }
      const std::string text = field->is_repeated()
                                   ? reflection.GetRepeatedString(message, field, i)
                                   : reflection.GetString(message, field);
      if (text.find(part) != std::string::npos) names->insert(field->full_name());
    }
  }
}

// Collects the names of all fields that messages of a type can have, recursively.
void CollectAll(const Descriptor& type, std::set<std::string>* names) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (!names->insert(field->full_name()).second) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      CollectAll(*field->message_type(), names);
    }
  }
}

// Whether a field is set only in streams of large arrays or messages, which default_channel_test
// covers, or in shared memory, which nothing uses yet.
bool IsOfLargeStreams(const std::string& field) {
  for (const char* message :
       {"StreamParts", "ArrayChunk", "MessageFragment", "StreamedArray", "SharedSegment"}) {
    if (field.starts_with(Concat("stagedoor.v1.", message, "."))) return true;
  }
  return field.ends_with(".stream_parts");
}

class RichSceneTest : public ServerTest {
 protected:
  void WriteLayers() {
    for (const auto& [name, content] : RichLayers()) Write(name, content);
  }

  // The layer converted to a crate.
  std::string CrateOf(std::string_view name) {
    v1::ConvertLayerRequest request;
    request.set_identifier(Concat("/", name));
    request.set_format(v1::LAYER_FORMAT_USDC);
    std::string crate;
    const absl::Status status =
        client().ConvertLayer(request, [&](const v1::ConvertLayerResponse& part) {
          crate += part.data();
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return crate;
  }

  // Writes the layers as crates in which `what` is replaced by `with`.
  void WriteCrates(std::string_view what, std::string_view with) {
    WriteLayers();
    for (const auto& [name, content] : RichLayers()) {
      const std::string bytes = name.ends_with(".usd") ? CrateOf(name) : content;
      ASSERT_TRUE(
          files_->Put(Concat("/", Replaced(name, what, with)), Replaced(bytes, what, with)).ok());
    }
  }

  GenericReply Call(const std::string& name, const std::string& text) {
    for (const auto* method : AllMethods()) {
      if (Concat(method->service()->name(), ".", method->name()) != name) continue;
      const std::unique_ptr<Message> request = NewRequest(*method);
      EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(Replaced(text, "$STAGE", handle_),
                                                                request.get()))
          << name << " " << text;
      return CallMethod(channel(), *method, *request);
    }
    ADD_FAILURE() << name << " is not a method";
    return {};
  }

  // Opens the stage and sends all requests.
  template <typename Visit>
  void AskAll(const Visit& visit) {
    const auto open = [&](const char* fields) {
      const GenericReply reply =
          Call("StagesService.OpenStage", Concat("root_layer: \"/root.usd\"", fields));
      visit("StagesService.OpenStage", reply);
      if (reply.messages.empty()) return std::string();
      return static_cast<const v1::OpenStageResponse&>(*reply.messages[0]).handle();
    };
    handle_ = open("client_name: \"node\" session_layer { content: \"#usda 1.0\\n\" }");
    open("session: \"layout\"");
    open("change_policy: CHANGE_POLICY_FOLLOW");
    for (const auto& [name, text] : RichRequests()) {
      if (name == "StagesService.ReloadStage") Touch();
      visit(name, Call(name, text));
    }
  }

  // Writes a crate in which the value of /P.a is beyond the end of the file.
  void WriteDamagedValue(std::string_view path) {
    Write("value.usda", "def \"P\" {\n  double[] a = [1234.5, 2, 3]\n}\n");
    std::string crate = CrateOf("value.usda");
    const double first = 1234.5;
    const size_t at = crate.find({reinterpret_cast<const char*>(&first), sizeof(first)});
    ASSERT_NE(at, std::string::npos);
    crate.replace(at - sizeof(uint64_t), sizeof(uint64_t), sizeof(uint64_t), '\x7f');
    ASSERT_TRUE(files_->Put(path, crate).ok());
  }

  void OpenAlone(const std::string& layer) {
    v1::OpenStageRequest request;
    request.set_root_layer(layer);
    handle_ = Open(request).handle();
  }

  // Lists the calls when one that failed with this message is among them, which is recorded after
  // its reply was sent.
  GenericReply ListUntil(const std::string& part) {
    while (true) {
      GenericReply reply = Call("AdminService.ListCalls", "");
      const auto& list = static_cast<const v1::ListCallsResponse&>(*reply.messages[0]);
      for (const v1::EndedCall& call : list.slowest_calls()) {
        if (call.message().find(part) != std::string::npos) return reply;
      }
    }
  }

  // Gives the root layer a new version.
  void Touch() { Write("root.usd", Concat(RichLayers().back().second, "# touched\n")); }

 private:
  std::string handle_;
};

// Expects that all texts of a reply or error are readable.
void ExpectReadable(const std::string& name, const GenericReply& reply) {
  EXPECT_TRUE(reply.valid) << name << ": a text is not valid UTF-8";
  EXPECT_TRUE(IsValidUtf8(reply.status.error_message())) << name;
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(reply.status.error_details())) << name;
  for (const auto& info : details.details()) {
    google::rpc::ErrorInfo parsed;
    EXPECT_TRUE(!info.Is<google::rpc::ErrorInfo>() || info.UnpackTo(&parsed)) << name;
  }
}

TEST_F(RichSceneTest, RepliesAreValidUtf8ForDamagedTexts) {
  std::set<std::string> whole, damaged, left;
  WriteCrates("ZQZ", "ZQZ");
  AskAll([&](const std::string&, const GenericReply& reply) {
    for (const auto& message : reply.messages) CollectTexts(*message, "ZQZ", &whole);
  });
  Start();  // the caches of the other server would be reported too
  WriteCrates("ZQZ", "\xff\xc3\x28");
  size_t failed = 0;
  AskAll([&](const std::string& name, const GenericReply& reply) {
    ExpectReadable(name, reply);
    failed += reply.status.ok() ? 0 : 1;
    for (const auto& message : reply.messages) {
      CollectTexts(*message, "\xEF\xBF\xBD", &damaged);
      CollectTexts(*message, R"(\xff)", &damaged);
      CollectTexts(*message, "%FF", &damaged);
      CollectTexts(*message, "ZQZ", &left);
    }
  });
  EXPECT_EQ(damaged, whole) << "every text that comes from layers was damaged";
  EXPECT_EQ(left, std::set<std::string>());
  EXPECT_GE(damaged.size(), 19u);
  EXPECT_EQ(failed, 2u) << "only the requests for missing objects";
}

TEST_F(RichSceneTest, RepliesAreValidUtf8ForDamagedNames) {
  for (const std::string name : {"World", "Values", "look", "red", "blocked", "Skel"}) {
    std::string damage = name;
    damage.replace(0, 2, "\xff\xc3");
    WriteCrates(name, damage);
    size_t failed = 0;
    AskAll([&](const std::string& method, const GenericReply& reply) {
      ExpectReadable(Concat(name, " ", method), reply);
      failed += reply.status.ok() ? 0 : 1;
    });
    EXPECT_GE(failed, 3u) << name << ": the damage should be effective";
  }
}

TEST_F(RichSceneTest, EveryFieldOfEveryResponseIsSetBySomething) {
  // The fields that this scene does not set, and why.
  const std::map<std::string, std::string> exceptions = {
      {"stagedoor.v1.CompositionArc.implied", "an inherit across a reference: prim_converter_test"},
      {"stagedoor.v1.Prim.error", "a prim too large for a message: replies_test"},
      {"stagedoor.v1.Spec.error", "a spec too large for a message: replies_test"},
      {"stagedoor.v1.Collection.error", "a collection too large for a message: replies_test"},
      {"stagedoor.v1.SkelBinding.error", "a binding too large for a message: replies_test"},
      {"stagedoor.v1.ComputeSkinningResponse.starts_over", "many parts: shared_skin_parts_test"},
      {"stagedoor.v1.ExtractFrameResponse.removed", "a frame after another: frame_handler_test"},
      {"stagedoor.v1.FrameValue.removed", "a frame after another: frame_handler_test"},
      {"stagedoor.v1.ExtractFrameResponse.prim_count", "many prims: frame_handler_test"},
      {"stagedoor.v1.GetCapabilitiesResponse.query_socket", "--query-socket: query_socket_test"},
      {"stagedoor.v1.GetServerStatisticsResponse.upstream", "a node daemon: node_test"},
      {"stagedoor.v1.Backend.schemes", "no backend of this version serves URIs"},
      {"stagedoor.v1.WatchStageResponse.changed_infos", "watch_handler_test"},
      {"stagedoor.v1.ChangedInfo.path", "watch_handler_test"},
      {"stagedoor.v1.ChangedInfo.fields", "watch_handler_test"},
      {"stagedoor.v1.WarmStageResult.skipped_attributes", "a full table: warm_handler_test"},
      {"stagedoor.v1.ListSkelBindingsResponse.warnings", "skel_handlers_test"},
      {"stagedoor.v1.ComputeJointTransformsResponse.warnings", "skel_handlers_test"},
      {"stagedoor.v1.PackedValues.segment", "shared memory: carriers_test"},
      {"stagedoor.v1.PackedValues.streamed", "large arrays: default_channel_test"},
  };
  ServerOptions options;
  options.clip_cache_files = 1;
  Start(options);
  WriteLayers();
  Write("broken.usd", "def \"P\" {\n  int a = x\n}\n");
  std::set<std::string> all, filled;
  for (const auto* method : AllMethods()) CollectAll(*method->output_type(), &all);
  const auto visit = [&](const std::string& name, const GenericReply& reply) {
    EXPECT_TRUE(reply.valid) << name;
    for (const auto& message : reply.messages) CollectSet(*message, &filled);
  };
  // The first calls are among the slowest because there are no others yet.
  Call("StagesService.OpenStage", R"(root_layer: "/broken.usd")");
  visit("ListCalls", ListUntil("/broken.usd"));
  AskAll(visit);
  visit("ValidateLayer", Call("LayersService.ValidateLayer", R"(identifier: "/broken.usd")"));
  ASSERT_TRUE(files_->Put("/cut.usdc", std::string("PXR-USDC\0\10\0\0\0\0\0\0", 16)).ok());
  visit("ValidateLayer", Call("LayersService.ValidateLayer", R"(identifier: "/cut.usdc")"));
  WriteDamagedValue("/value.usdc");
  visit("ValidateLayer", Call("LayersService.ValidateLayer", R"(identifier: "/value.usdc")"));
  visit("ReadLayer", Call("LayersService.ReadLayer", R"(identifier: "/value.usdc")"));
  OpenAlone("/value.usdc");
  visit("BatchGetValues", Call("QueryService.BatchGetValues", R"(stage { handle: "$STAGE" }
      paths: "/P.a" times { frames: 1 })"));
  visit("SampleValues", Call("QueryService.SampleValues", R"(stage { handle: "$STAGE" }
      paths: "/P.a" intervals {})"));
  for (const char* method :
       {"ListCalls", "Drain", "Drain", "SetLogLevel", "ReloadConfig", "GetConfig"}) {
    visit(method, Call(Concat("AdminService.", method), ""));
  }
  visit("EvictCaches", Call("AdminService.EvictCaches", "caches: CACHE_KIND_CLIPS"));
  visit("ListStages", Call("StagesService.ListStages", "page_size: 1"));
  visit("GetServerStatistics", Call("ServerService.GetServerStatistics", ""));
  // These depend on how fast this test runs: clips are pinned while they are read ahead, and calls
  // are in flight until shortly after their reply.
  for (const char* field :
       {"google.protobuf.Duration.seconds", "stagedoor.v1.CacheStatistics.pinned",
        "stagedoor.v1.ClipLayerStatistics.pinned", "stagedoor.v1.ListCallsResponse.waiting_calls",
        "stagedoor.v1.CallInFlight.reserved_bytes", "stagedoor.v1.CallInFlight.root_layer",
        "stagedoor.v1.CallInFlight.steps"}) {
    all.erase(field);
  }
  // These depend on what changes, and when: change_policies_test.
  for (const char* field : {"watched_assets", "polled_assets", "changes", "reopens", "failures"}) {
    all.erase(Concat("stagedoor.v1.FollowStatistics.", field));
  }
  std::erase_if(all, IsOfLargeStreams);
  std::erase_if(all, [](const std::string& field) {  // node_test
    return field.starts_with("stagedoor.v1.UpstreamStatistics.");
  });
  for (const std::string& field : all) {
    EXPECT_TRUE(filled.contains(field) || exceptions.contains(field)) << field << " is never set";
  }
  for (const auto& [field, why] : exceptions) {
    EXPECT_TRUE(all.contains(field)) << field << " does not exist any more";
    EXPECT_FALSE(filled.contains(field)) << field << " is set now";
  }
}

}  // namespace
}  // namespace stagedoor::server
