// attack ADDRESS [THREADS]: sends the calls described on standard input, one JSON object per line:
//
//   {"method": "StagesService/OpenStage", "request": "root_layer: '/x.usda'"}
//
// `request` is in protobuf's text format; "$STAGE" in it stands for the handle of the last
// successful OpenStage. The method "*" stands for all that work on scenes and layers; each is sent
// those fields of the request that it has. Optional keys with defaults: "deadline" (seconds, 2),
// "read" (messages to read, all), "stall" (seconds to leave the rest unread, 0), "times"
// (repetitions, 1), "raw" (hexadecimal bytes instead of a request). Runs THREADS calls at a time,
// but each OpenStage alone, after all calls before it. Prints for each call, as JSON: method,
// status code, message, seconds, messages and bytes received. Finally closes the stages it opened,
// so that the next attack starts with the same amount of free memory.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "server/testing/generic_call.h"
#include "stagedoor/v1/stages.pb.h"
#include "tests/hostile/raw_call.h"

namespace stagedoor {
namespace {

using google::protobuf::MethodDescriptor;
using Json = nlohmann::json;

constexpr std::chrono::seconds kPatience{30};

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::strtol(hex.substr(i, 2).c_str(), nullptr, 16)));
  }
  return bytes;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Without it, protobuf warns of each field that a request does not have.
class Unheard final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "attack: %s\n", why.c_str());
  std::exit(2);
}

class Attacker {
 public:
  Attacker(const std::string& address, size_t threads) : address_(address), threads_(threads) {
    for (const MethodDescriptor* method : server::AllMethods()) {
      methods_[method->service()->name() + "/" + method->name()] = method;
    }
  }

  void Add(const Json& line) {
    const bool opens = line.at("method") == "StagesService/OpenStage";
    if (opens) Flush();
    for (const Json& each : Each(line)) {
      for (int i = line.value("times", 1); i > 0; --i) waiting_.push_back(each);
    }
    if (opens) Flush();
  }

  // Runs the waiting calls and returns when all have ended.
  void Flush() {
    std::atomic<size_t> next{0};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < std::min(threads_, waiting_.size()); ++t) {
      threads.emplace_back([&] {
        const auto channel = ConnectRaw(address_);
        for (size_t i; (i = next++) < waiting_.size();) Run(channel, waiting_[i]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    waiting_.clear();
  }

  void CloseStages() {
    const auto channel = ConnectRaw(address_);
    for (const std::string& handle : opened_) {
      v1::CloseStageRequest request;
      request.set_handle(handle);
      RunRawCall(channel, {.method = server::MethodPath(*methods_.at("StagesService/CloseStage")),
                           .request = request.SerializeAsString(),
                           .deadline = kPatience});
    }
    opened_.clear();
  }

 private:
  // The calls that a line stands for: see "*" above.
  std::vector<Json> Each(const Json& line) const {
    if (line.at("method") != "*") return {line};
    std::vector<Json> all;
    for (const auto& [name, method] : methods_) {
      if (name.starts_with("AdminService/") || name == "StagesService/OpenStage" ||
          name == "StagesService/CloseStage") {
        continue;
      }
      all.push_back(line);
      all.back()["method"] = name;
      all.back()["some_fields"] = true;
    }
    return all;
  }

  RawCall Parse(const Json& line) {
    const auto method = methods_.find(line.at("method").get<std::string>());
    if (method == methods_.end()) Die("unknown method " + line.at("method").dump());
    RawCall call{.method = server::MethodPath(*method->second)};
    const auto milliseconds = [&](const char* name, double otherwise) {
      return std::chrono::milliseconds(static_cast<int64_t>(line.value(name, otherwise) * 1000));
    };
    call.deadline = milliseconds("deadline", 2);
    call.stall = milliseconds("stall", 0);
    call.read_at_most = line.value("read", SIZE_MAX);
    if (line.contains("raw")) {
      call.request = FromHex(line["raw"]);
      return call;
    }
    const auto request = server::NewRequest(*method->second);
    const std::string text = Replaced(line.value("request", ""), "$STAGE", handle_);
    google::protobuf::TextFormat::Parser parser;
    Unheard unheard;
    if (line.contains("some_fields")) {
      parser.AllowUnknownField(true);
      parser.RecordErrorsTo(&unheard);
    }
    if (!parser.ParseFromString(text, request.get())) {
      Die("cannot parse the request of " + line.dump());
    }
    call.request = request->SerializeAsString();
    return call;
  }

  void Run(const std::shared_ptr<grpc::Channel>& channel, const Json& line) {
    const RawCall call = Parse(line);
    const RawResult result = RunRawCall(channel, call);
    v1::OpenStageResponse opened;
    if (line["method"] == "StagesService/OpenStage" && result.status.ok() &&
        opened.ParseFromString(result.first)) {
      MutexLock lock(mu_);
      handle_ = opened.handle();
      opened_.push_back(handle_);
    }
    Json out = {{"method", line["method"]},
                {"code", static_cast<int>(result.status.error_code())},
                {"message", result.status.error_message().substr(0, 300)},
                {"details", result.status.error_details().size()},
                {"seconds", result.seconds},
                {"messages", result.messages},
                {"bytes", result.bytes}};
    MutexLock lock(mu_);
    std::cout << out.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }

  const std::string address_;
  const size_t threads_;
  std::map<std::string, const MethodDescriptor*> methods_;
  std::string handle_ = "none";  // changes only while no other method is called
  std::vector<std::string> opened_;
  std::vector<Json> waiting_;
  Mutex mu_;
};

int Main(int argc, char** argv) {
  if (argc < 2) Die("usage: attack ADDRESS [THREADS]");
  Attacker attacker(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  for (std::string line; std::getline(std::cin, line);) {
    if (!line.empty()) attacker.Add(Json::parse(line));
  }
  attacker.Flush();
  attacker.CloseStages();
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
