// frame_dump: prints what a client holds after each frame, for comparison with OpenUSD.
//
// Runs two servers that share sessions, as replicas do, and reads orders from standard input, one
// JSON object per line. Messages of the API are in the JSON form of Protocol Buffers:
//
//   {"do": "open", "request": OPENSTAGEREQUEST}
//   {"do": "edit", "request": EDITSTAGEREQUEST}   "stage" is filled in
//   {"do": "reload"}                              at both replicas
//   {"do": "frame", "request": EXTRACTFRAMEREQUEST, "replica": 0 or 1}
//       also without "stage" and "base_token". Asks for what changed since the frame before, for
//       the whole frame and for its fingerprint, and compares the two frames
//   {"do": "forget"}                              the next frame is complete
//   {"do": "close"}
//
// For a frame, prints each part of what is held as an ExtractFrameResponse with nothing else. The
// answer to each order ends with a line {"done": …}, which has what the order is about, or
// {"failed": MESSAGE}.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <array>
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/client.h"
#include "server/server.h"
#include "server/store/testing/memory_session_store.h"
#include "spdlog/spdlog.h"
#include "tests/tools/held_frame.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

constexpr size_t kReplicas = 2;
constexpr size_t kShownDifferences = 20;

template <typename Message>
absl::StatusOr<Message> Parsed(const Json& json) {
  Message message;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json.dump(), &message);
  if (!parsed.ok()) return InvalidArgumentError(parsed.ToString());
  return message;
}

std::string Printed(const google::protobuf::Message& message) {
  std::string json;
  const auto printed = google::protobuf::util::MessageToJsonString(message, &json);
  return printed.ok() ? json : Json(printed.ToString()).dump();
}

std::string PrintedPart(const std::string& bytes) {
  v1::ExtractFrameResponse part;
  return part.ParseFromString(bytes) ? Printed(part) : "\"a part that cannot be parsed\"";
}

// The parts that only one of two frames has, or that differ.
std::vector<std::string> Differences(const HeldFrame& held, const HeldFrame& whole) {
  std::vector<std::string> found;
  const auto note = [&](const char* what, const std::string& a, const std::string& b) {
    if (found.size() < kShownDifferences) found.push_back(Concat(what, ": ", a, " and ", b));
  };
  for (const auto& [key, bytes] : whole.parts()) {
    const auto at = held.parts().find(key);
    if (at == held.parts().end()) {
      note("only in the whole frame", PrintedPart(bytes), "nothing");
    } else if (at->second != bytes) {
      note("held and whole", PrintedPart(at->second), PrintedPart(bytes));
    }
  }
  for (const auto& [key, bytes] : held.parts()) {
    if (!whole.parts().contains(key)) note("held only", PrintedPart(bytes), "nothing");
  }
  return found;
}

// Makes the times of samples relative to the frame, at any depth.
void ShiftTimes(double frame, google::protobuf::Message* message) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool are_times = field->name() == "times" && field->is_repeated() &&
                           field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    if (are_times) {
      for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
        const double time = reflection.GetRepeatedDouble(*message, field, i);
        reflection.SetRepeatedDouble(message, field, i, time - frame);
      }
    } else if (field->message_type() != nullptr && field->is_repeated()) {
      for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
        ShiftTimes(frame, reflection.MutableRepeatedMessage(message, field, i));
      }
    } else if (field->message_type() != nullptr) {
      ShiftTimes(frame, reflection.MutableMessage(message, field));
    }
  }
}

// Of all that fingerprints are about.
size_t HashOf(const HeldFrame& frame) {
  size_t hash = 0;
  for (const auto& [key, bytes] : frame.parts()) {
    v1::ExtractFrameResponse part;
    part.ParseFromString(bytes);
    ShiftTimes(frame.header().time(), &part);
    hash = hash * 31 + std::hash<std::string>()(part.SerializeAsString());
  }
  return hash;
}

class FrameDump {
 public:
  absl::Status Start() {
    const auto records = std::make_shared<server::SharedRecords>();
    for (Replica& replica : replicas_) {
      server::ServerOptions options;
      options.session_store = std::make_shared<server::MemorySessionStore>(records);
      SD_ASSIGN_OR_RETURN(replica.server, server::Server::Start(options));
      replica.client = Client::FromChannel(replica.server->InProcessChannel(), {});
    }
    return absl::OkStatus();
  }

  // The content of the last line of the answer.
  absl::StatusOr<Json> Run(const Json& order) {
    const std::string what = order.at("do");
    if (what == "open") return Open(order);
    if (what == "edit") return Edit(order);
    if (what == "reload") return Reload();
    if (what == "frame") return Frame(order);
    if (what == "forget") held_ = HeldFrame();
    if (what == "close") return Close();
    return Json::object();
  }

 private:
  struct Replica {
    std::unique_ptr<server::Server> server;
    std::unique_ptr<Client> client;
  };

  absl::StatusOr<Json> Open(const Json& order) {
    if (!stage_.handle().empty()) SD_RETURN_IF_ERROR(Close().status());
    SD_ASSIGN_OR_RETURN(const auto request, Parsed<v1::OpenStageRequest>(order.at("request")));
    SD_ASSIGN_OR_RETURN(const v1::OpenStageResponse reply, replicas_[0].client->OpenStage(request));
    held_ = HeldFrame();
    hashes_.clear();
    stage_.set_handle(reply.handle());
    stage_.set_snapshot(reply.stage().snapshot());
    return Json{{"snapshot", stage_.snapshot()}};
  }

  absl::StatusOr<Json> Edit(const Json& order) {
    SD_ASSIGN_OR_RETURN(auto request, Parsed<v1::EditStageRequest>(order.at("request")));
    request.mutable_stage()->set_handle(stage_.handle());
    SD_ASSIGN_OR_RETURN(const v1::EditStageResponse reply, replicas_[0].client->EditStage(request));
    stage_.set_snapshot(reply.snapshot());
    v1::ExportSessionLayerRequest exported;
    *exported.mutable_stage() = stage_;
    std::string text;
    SD_RETURN_IF_ERROR(replicas_[0].client->ExportSessionLayer(
        exported, [&](const v1::ExportSessionLayerResponse& part) {
          text += part.data();
          return absl::OkStatus();
        }));
    return Json{{"snapshot", stage_.snapshot()}, {"session", text}};
  }

  absl::StatusOr<Json> Reload() {
    v1::ReloadStageRequest request;
    request.mutable_stage()->set_handle(stage_.handle());
    Json snapshots = Json::array();
    // Each replica has its own copies of the files.
    for (const Replica& replica : replicas_) {
      SD_ASSIGN_OR_RETURN(const v1::ReloadStageResponse reply,
                          replica.client->ReloadStage(request));
      snapshots.push_back(reply.snapshot());
    }
    stage_.set_snapshot(snapshots[0].get<std::string>());
    if (snapshots[1] != snapshots[0]) return InternalError("replicas have different snapshots");
    return Json{{"snapshot", stage_.snapshot()}};
  }

  absl::StatusOr<Json> Close() {
    v1::CloseStageRequest request;
    request.set_handle(stage_.handle());
    SD_RETURN_IF_ERROR(replicas_[0].client->CloseStage(request).status());
    stage_.Clear();
    return Json::object();
  }

  absl::StatusOr<Json> Frame(const Json& order) {
    SD_ASSIGN_OR_RETURN(auto request, Parsed<v1::ExtractFrameRequest>(order.at("request")));
    Client& client = *replicas_.at(order.value("replica", size_t{0})).client;
    *request.mutable_stage() = stage_;
    HeldFrame whole;
    SD_RETURN_IF_ERROR(Receive(client, request, &whole));
    request.set_base_token(held_.token());
    SD_RETURN_IF_ERROR(Receive(client, request, &held_));
    Json done = Described(held_);
    done["differences"] = Differences(held_, whole);
    for (const std::string& problem : whole.problems()) done["problems"].push_back(problem);
    done["whole_bytes"] = whole.counts().bytes;
    SD_ASSIGN_OR_RETURN(done["fingerprint"], Fingerprint(request, HashOf(whole), &done));
    for (const auto& [key, bytes] : held_.parts()) std::cout << PrintedPart(bytes) << '\n';
    return done;
  }

  static absl::Status Receive(Client& client, const v1::ExtractFrameRequest& request,
                              HeldFrame* frame) {
    frame->Begin();
    SD_RETURN_IF_ERROR(client.ExtractFrame(request, [&](const v1::ExtractFrameResponse& message) {
      frame->Apply(message);
      return absl::OkStatus();
    }));
    frame->End(request.selection().without_invisible());
    return absl::OkStatus();
  }

  Json Described(const HeldFrame& frame) const {
    Json errors = Json::array();
    for (size_t i = 0; i < frame.errors().size(); ++i) {
      errors.push_back({frame.error_paths()[i], frame.errors()[i].code(),
                        v1::ErrorReason_Name(frame.errors()[i].reason()),
                        frame.errors()[i].message()});
    }
    Json problems = frame.problems();
    if (frame.header().snapshot() != stage_.snapshot()) {
      problems.push_back(Concat("the frame is of the snapshot ", frame.header().snapshot()));
    }
    return {{"complete", frame.header().complete()},
            {"messages", frame.counts().messages},
            {"bytes", frame.counts().bytes},
            {"parts", frame.counts().parts},
            {"redundant", frame.counts().redundant},
            {"shared", frame.counts().shared},
            {"order", frame.sent_paths()},
            {"errors", errors},
            {"problems", problems}};
  }

  // The fingerprint of a frame, which must be the same at all replicas; frames with one fingerprint
  // must be equal.
  absl::StatusOr<std::string> Fingerprint(const v1::ExtractFrameRequest& frame, size_t hash,
                                          Json* done) {
    v1::ComputeFrameFingerprintRequest request;
    *request.mutable_stage() = stage_;
    *request.mutable_time() = frame.time();
    if (frame.has_sample_policy()) *request.mutable_sample_policy() = frame.sample_policy();
    *request.mutable_selection() = frame.selection();
    std::string first;
    for (const Replica& replica : replicas_) {
      SD_ASSIGN_OR_RETURN(const v1::ComputeFrameFingerprintResponse reply,
                          replica.client->ComputeFrameFingerprint(request));
      if (first.empty()) first = reply.fingerprint();
      if (reply.fingerprint() != first) {
        (*done)["problems"].push_back("replicas have different fingerprints");
      }
    }
    const auto [known, is_new] = hashes_.try_emplace(first, hash);
    if (known->second != hash) {
      (*done)["problems"].push_back("frames with one fingerprint differ");
    }
    return Hex(first);
  }

  static std::string Hex(const std::string& bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      hex += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return hex;
  }

  std::array<Replica, kReplicas> replicas_;
  v1::StageRef stage_;
  HeldFrame held_;
  std::map<std::string, size_t> hashes_;  // of frames, by fingerprint
};

void Answer(FrameDump& dump, const std::string& line) {
  const absl::StatusOr<Json> done = dump.Run(Json::parse(line));
  const Json last =
      done.ok() ? Json{{"done", *done}} : Json{{"failed", std::string(Message(done.status()))}};
  std::cout << last.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

int Main() {
  FrameDump dump;
  if (const absl::Status started = dump.Start(); !started.ok()) {
    std::cerr << "frame_dump: " << started << "\n";
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) Answer(dump, line);
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main() {
  spdlog::set_level(spdlog::level::off);  // standard output is for the answers
  return stagedoor::Main();
}
