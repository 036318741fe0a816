// A program with the C++ handles for ./dev cluster --load:
//   sdk_client ADDRESS NAME
// Each line of standard input is an order, with tabs between its words; see kOrders. It is answered
// with one line: "ok", a tab and the answer, or "error", a tab, the reason, a tab and the message.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/fingerprinter.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/sdk/stage.h"

namespace stagedoor {
namespace {

// How many stages without a session are open at a time.
constexpr size_t kOpenStages = 3;

using Words = std::vector<std::string>;

Words Split(const std::string& line) {
  Words words;
  size_t begin = 0;
  for (size_t end = line.find('\t'); end != std::string::npos; end = line.find('\t', begin)) {
    words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  words.push_back(line.substr(begin));
  return words;
}

// A text that is equal for equal values.
std::string Digest(const sdk::Value& value) {
  const auto packed = value.GetPacked();
  return Concat(value.type_name(), " ",
                packed.ok() ? FingerprintOf(packed->bytes) : value.message().ShortDebugString());
}

std::string Digest(const v1::Explanation& explanation) {
  return FingerprintOf(explanation.DebugString());
}

class SdkClient {
 public:
  SdkClient(const std::string& address, const std::string& name) {
    sdk::ConnectionOptions options;
    options.addresses = {address};
    options.client_name = name;
    options.client.send_routing_keys = true;  // to a proxy
    options.array_cache_bytes = 0;            // every array is sent
    connection_ = sdk::Connection::Connect(options);
  }

  // value ROOT_LAYER PATH TIME
  absl::StatusOr<std::string> GetValue(const Words& words) {
    SD_ASSIGN_OR_RETURN(const auto stage, Find(words[1], ""));
    SD_ASSIGN_OR_RETURN(const auto value,
                        stage.GetAttributeAtPath(words[2]).GetValue(std::stod(words[3])));
    return Digest(value);
  }

  // explain ROOT_LAYER PATH TIME
  absl::StatusOr<std::string> Explain(const Words& words) {
    SD_ASSIGN_OR_RETURN(const auto stage, Find(words[1], ""));
    SD_ASSIGN_OR_RETURN(const auto explanation,
                        stage.GetAttributeAtPath(words[2]).Explain(std::stod(words[3])));
    return Digest(explanation);
  }

  // prims ROOT_LAYER TYPE
  absl::StatusOr<std::string> FindPrims(const Words& words) {
    SD_ASSIGN_OR_RETURN(const auto stage, Find(words[1], ""));
    SD_ASSIGN_OR_RETURN(const auto prims, stage.FindPrims(words[2]));
    std::string paths;
    for (const sdk::Prim& prim : prims) paths += Concat(prim.path(), " ");
    return paths;
  }

  // edit ROOT_LAYER SESSION ATTRIBUTE NUMBER: an edit of a named session
  absl::StatusOr<std::string> Edit(const Words& words) {
    SD_ASSIGN_OR_RETURN(const auto stage, Find(words[1], words[2]));
    const std::string& path = words[3];
    const size_t dot = path.find('.');
    if (dot == std::string::npos || path.rfind('/') != 0) {
      return absl::InvalidArgumentError("the attribute must be one of a root prim");
    }
    const std::string prim = path.substr(1, dot - 1);
    const std::string layer = Concat("#usda 1.0\nover \"", prim, "\"\n{\n    double ",
                                     path.substr(dot + 1), " = ", words[4], "\n}\n");
    const auto edited =
        stage.SetSessionLayer(layer, /*expected=*/"", {.timeout = std::chrono::seconds(20)});
    if (!edited.ok()) return edited.status();
    return "";
  }

  // number ROOT_LAYER SESSION ATTRIBUTE: what the edits of a session have made of a number
  absl::StatusOr<std::string> GetNumber(const Words& words) {
    SD_ASSIGN_OR_RETURN(const auto stage, Find(words[1], words[2]));
    SD_ASSIGN_OR_RETURN(const auto number, stage.GetAttributeAtPath(words[3]).Get<double>(1));
    return Concat(number);
  }

 private:
  absl::StatusOr<sdk::Stage> Find(const std::string& root_layer, const std::string& session) {
    const auto found = std::find_if(stages_.begin(), stages_.end(), [&](const auto& open) {
      return open.first == std::pair(root_layer, session);
    });
    if (found != stages_.end()) return found->second;
    sdk::StageOptions options;
    options.session = session;
    SD_ASSIGN_OR_RETURN(auto stage, sdk::Stage::Open(connection_, root_layer, options));
    if (stages_.size() == kOpenStages) stages_.erase(stages_.begin());
    stages_.emplace_back(std::pair(root_layer, session), stage);
    return stage;
  }

  std::shared_ptr<sdk::Connection> connection_;
  std::vector<std::pair<std::pair<std::string, std::string>, sdk::Stage>> stages_;
};

struct Order {
  size_t words;
  absl::StatusOr<std::string> (SdkClient::*method)(const Words&);
};

const std::map<std::string, Order, std::less<>>& Orders() {
  static const auto* const orders = new std::map<std::string, Order, std::less<>>{
      {"value", {4, &SdkClient::GetValue}},   {"explain", {4, &SdkClient::Explain}},
      {"prims", {3, &SdkClient::FindPrims}},  {"edit", {5, &SdkClient::Edit}},
      {"number", {4, &SdkClient::GetNumber}},
  };
  return *orders;
}

absl::StatusOr<std::string> Carry(SdkClient& client, const std::string& line) {
  const Words words = Split(line);
  const auto order = Orders().find(words[0]);
  if (order == Orders().end() || order->second.words != words.size()) {
    return absl::InvalidArgumentError(Concat("unknown order: ", line));
  }
  return (client.*order->second.method)(words);
}

void Run(SdkClient& client) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto answer = Carry(client, line);
    if (answer.ok()) {
      std::cout << "ok\t" << *answer << std::endl;
      continue;
    }
    const sdk::Error error = sdk::DescribeError(answer.status());
    std::string message = error.message;
    std::replace(message.begin(), message.end(), '\n', ' ');
    std::cout << "error\t" << error.reason << '\t' << message << std::endl;
  }
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: sdk_client ADDRESS NAME\n";
    return 2;
  }
  stagedoor::SdkClient client(argv[1], argv[2]);
  stagedoor::Run(client);
  return 0;
}
