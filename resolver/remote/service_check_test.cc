#include "resolver/remote/service_check.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "resolver/remote/testing/fake_service.h"

namespace stagedoor {
namespace {

namespace pb = resolver::v1;
using Verdict = CheckedRule::Verdict;

class ServiceCheckTest : public ::testing::Test {
 protected:
  ServiceCheckTest() {
    options_.paths = {"asset://show/shots/a.usd", "asset://show/b.usd", "asset://show/empty.usd"};
    std::string content(5000, '\0');
    for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 + i / 251);
    service().Write(options_.paths[0], content);
    service().Write(options_.paths[1], "b");
    service().Write(options_.paths[2], "");
    service().piece_bytes = 4096;
  }
  FakeService& service() { return server_.service(); }

  // The rules with this verdict, each with the reason.
  std::map<std::string, std::string> Rules(Verdict verdict) {
    std::map<std::string, std::string> rules;
    const auto counts = CheckService(server_.Connect(), options_, [&](const CheckedRule& rule) {
      if (rule.verdict == verdict) rules.emplace(rule.rule, rule.why);
    });
    EXPECT_TRUE(counts.ok()) << counts.status();
    return rules;
  }
  // Expects that this rule fails, perhaps among others.
  void ExpectFailure(const std::string& rule, const std::string& part) {
    const auto failed = Rules(Verdict::kFailed);
    const auto it = failed.find(rule);
    if (it == failed.end()) {
      ADD_FAILURE() << "not failed: " << rule;
      for (const auto& [other, why] : failed) ADD_FAILURE() << "but: " << other << ": " << why;
      return;
    }
    EXPECT_NE(it->second.find(part), std::string::npos) << rule << ": " << it->second;
  }

  FakeServer server_;
  ServiceCheckOptions options_;
};

using Failures = std::map<std::string, std::string>;

TEST_F(ServiceCheckTest, AServiceThatKeepsTheRulesPasses) {
  EXPECT_EQ(Rules(Verdict::kFailed), Failures());
  EXPECT_EQ(Rules(Verdict::kSkipped).size(), 3u) << "those of --writable-dir";
}

TEST_F(ServiceCheckTest, AServiceNeedNotWatch) {
  service().can_watch = false;
  EXPECT_EQ(Rules(Verdict::kFailed), Failures());
  EXPECT_EQ(Rules(Verdict::kSkipped)["Watch begins at once and can be cancelled"],
            "the service does not support Watch");
}

TEST_F(ServiceCheckTest, AMissingAssetIsReported) {
  options_.paths = {"asset://show/none.usd"};
  ExpectFailure("an asset that exists can be read", "NOT_FOUND");
  EXPECT_EQ(Rules(Verdict::kFailed).size(), 1u);
  EXPECT_EQ(Rules(Verdict::kSkipped).size(), 25u);
}

TEST_F(ServiceCheckTest, IdentifiersThatChangeFail) {
  service().spoil_identifiers = [](const auto&, auto* answer) {
    for (auto& result : *answer->mutable_results()) {
      if (result.has_identifier()) result.mutable_identifier()->append("?");
    }
  };
  service().spoil_paths = [](const pb::ResolveRequest& request, auto* answer) {
    for (int i = 0; i < answer->results_size(); ++i) {
      std::string path = request.identifiers(i);
      if (!path.ends_with('?')) continue;
      while (path.ends_with('?')) path.pop_back();
      answer->mutable_results(i)->set_resolved_path(path);
    }
  };
  ExpectFailure("identifiers stay what they are", "becomes 'asset://show/shots/a.usd?\?'");
}

TEST_F(ServiceCheckTest, PathsThatAreNotAnchoredFail) {
  service().spoil_identifiers = [](const pb::CreateIdentifierRequest& request, auto* answer) {
    for (int i = 0; i < answer->results_size(); ++i) {
      if (answer->results(i).has_error()) continue;
      answer->mutable_results(i)->set_identifier(request.asset_paths(i));
    }
  };
  ExpectFailure("relative paths are anchored to the layer", "become './stagedoor_check/../a.usd'");
}

TEST_F(ServiceCheckTest, IdentifiersOfAnotherSchemeFail) {
  service().spoil_identifiers = [](const pb::CreateIdentifierRequest& request, auto* answer) {
    for (int i = 0; i < answer->results_size(); ++i) {
      if (request.asset_paths(i).starts_with("../")) {
        answer->mutable_results(i)->set_identifier("file:///a");
      }
    }
  };
  ExpectFailure("identifiers have the scheme or are the asset path", "'file:///a'");
}

TEST_F(ServiceCheckTest, IdentifiersThatDifferBetweenCallsFail) {
  int calls = 0;
  service().spoil_identifiers = [&](const pb::CreateIdentifierRequest& request, auto* answer) {
    ++calls;
    for (int i = 0; i < answer->results_size(); ++i) {
      if (request.asset_paths(i).find("none.usd") == std::string::npos) continue;
      answer->mutable_results(i)->set_identifier(Concat("asset://", calls));
    }
  };
  ExpectFailure("missing assets have identifiers, always the same", "has two identifiers");
}

TEST_F(ServiceCheckTest, ResolvedPathsThatChangeFail) {
  service().spoil_paths = [](const pb::ResolveRequest& request, auto* answer) {
    for (int i = 0; i < answer->results_size(); ++i) {
      if (request.identifiers(i) == "asset://show/b.usd") {
        answer->mutable_results(i)->set_resolved_path("asset://show/empty.usd");
      }
      if (request.identifiers(i) == "asset://show/empty.usd") {
        answer->mutable_results(i)->set_resolved_path("asset://show/b.usd");
      }
    }
  };
  ExpectFailure("resolved paths have the scheme and resolve to themselves",
                "'asset://show/empty.usd' resolves to 'asset://show/b.usd'");
}

TEST_F(ServiceCheckTest, OtherErrorsThanNotFoundFail) {
  service().spoil_versions = [](const auto&, auto* answer) {
    for (auto& result : *answer->mutable_results()) {
      if (result.has_error()) result.mutable_error()->set_code(pb::ERROR_CODE_UNAVAILABLE);
    }
  };
  ExpectFailure("missing assets are NOT_FOUND, with the path in the message",
                "GetVersions of 'asset://show/shots/stagedoor_check_no_such_asset.usd' answers "
                "UNAVAILABLE");
}

TEST_F(ServiceCheckTest, MessagesWithoutThePathFail) {
  service().spoil_paths = [](const auto&, auto* answer) {
    for (auto& result : *answer->mutable_results()) {
      if (result.has_error()) result.mutable_error()->set_message("not found");
    }
  };
  ExpectFailure("missing assets are NOT_FOUND, with the path in the message",
                "the message of Resolve does not contain the path");
}

TEST_F(ServiceCheckTest, ResultsInAnotherOrderFail) {
  service().spoil_versions = [](const auto&, auto* answer) {
    if (answer->results_size() < 2) return;
    answer->mutable_results()->SwapElements(0, 1);
  };
  ExpectFailure("bulk calls answer each item, in order", "GetVersions: item 0 is NOT_FOUND");
}

TEST_F(ServiceCheckTest, MissingResultsFail) {
  service().spoil_paths = [](const auto&, auto* answer) {
    while (answer->results_size() > 100) answer->mutable_results()->RemoveLast();
  };
  ExpectFailure("requests with 1,000 items are answered",
                "Resolve returned 100 results for 1000 items");
}

TEST_F(ServiceCheckTest, AcceptedImpossiblePathsFail) {
  service().spoil_versions = [](const pb::GetVersionsRequest& request, auto* answer) {
    if (request.resolved_paths(0).size() < 100000) return;
    answer->mutable_results(0)->mutable_info()->set_version("v");
  };
  ExpectFailure("impossible paths are errors of their items",
                "GetVersions accepts a path of 100,000 bytes");
}

TEST_F(ServiceCheckTest, PathsThatLeadOutFail) {
  service().spoil_paths = [](const pb::ResolveRequest& request, auto* answer) {
    if (request.identifiers(0).find("etc/passwd") == std::string::npos) return;
    answer->mutable_results(0)->set_resolved_path("asset://etc/passwd");
  };
  ExpectFailure("paths with .. do not lead out", "Resolve accepts 'asset://show/shots/../../");
}

TEST_F(ServiceCheckTest, VersionsThatChangeByThemselvesFail) {
  int calls = 0;
  service().spoil_versions = [&](const auto&, auto* answer) {
    for (auto& result : *answer->mutable_results()) {
      if (result.has_info()) result.mutable_info()->set_version(Concat("v", ++calls));
    }
  };
  ExpectFailure("versions stay while the content does", "is it being changed?");
  ExpectFailure("Read and GetVersions agree on version and size", "but GetVersions returns");
}

TEST_F(ServiceCheckTest, SpoiledReadsFail) {
  using Messages = FakeService::Messages;
  using Request = pb::ReadRequest;
  const struct {
    const char* rule;
    const char* part;
    std::function<void(const Request&, Messages*, grpc::Status*)> spoil;
  } kCases[] = {
      {"ranges agree with the whole content", "differ from the whole content",
       [](const Request& request, Messages* messages, auto*) {
         if (request.ranges_size() == 1000 && messages->size() > 2) {
           (*messages)[2].mutable_piece()->set_data("?");
         }
       }},
      {"nothing is sent from beyond the end", "sent more than was requested",
       [](const Request& request, Messages* messages, auto*) {
         if (request.ranges_size() != 2 || request.ranges(1).offset() != UINT64_MAX) return;
         if (request.ranges(1).size() == 0) return;
         pb::Piece& piece = *messages->emplace_back().mutable_piece();
         piece.set_offset(UINT64_MAX);
         piece.set_data("x");
       }},
      {"nothing is sent from beyond the end", "INVALID_ARGUMENT",
       [](const Request& request, Messages* messages, grpc::Status* status) {
         if (request.ranges_size() == 0 || request.ranges(0).offset() < 5000) return;
         messages->clear();
         *status = grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "out of range");
       }},
      {"nothing is sent for empty ranges", "a piece of 0 bytes",
       [](const Request& request, Messages* messages, auto*) {
         if (request.ranges_size() != 3 || request.ranges(1).size() != 1) return;
         messages->insert(messages->begin() + 1, pb::ReadResponse())->mutable_piece();
       }},
      {"another version than the required one is refused", "instead of FAILED_PRECONDITION",
       [](const Request& request, Messages* messages, grpc::Status* status) {
         if (!request.version().starts_with("stagedoor")) return;
         messages->emplace_back().mutable_header()->set_version(request.version());
         *status = grpc::Status::OK;
       }},
      {"the content of a known version is not sent", "sent more than was requested",
       [](const Request& request, Messages* messages, auto*) {
         if (messages->empty() || request.known_version() != messages->front().header().version()) {
           return;
         }
         messages->emplace_back().mutable_piece()->set_data("x");
       }},
      {"the content of a known version is not sent", "does not send the content",
       [](const Request& request, Messages* messages, auto*) {
         if (!request.known_version().empty()) messages->resize(1);
       }},
      {"a daemon reads the same", "differ",
       [](const Request& request, Messages* messages, auto*) {
         if (request.ranges_size() == 1 && request.ranges(0).size() == 4096 &&
             messages->size() > 1) {
           (*messages)[1].mutable_piece()->mutable_data()->front() = '?';
         }
       }},
  };
  for (const auto& c : kCases) {
    service().spoil_read = c.spoil;
    ExpectFailure(c.rule, c.part);
  }
}

TEST_F(ServiceCheckTest, ServicesThatCancelledReadsHarmFail) {
  std::atomic<bool> harmed{false};
  service().spoil_read = [&](const pb::ReadRequest& request, auto*, auto*) {
    if (request.ranges_size() == 1000 && request.ranges(0).size() == 5000) harmed = true;
  };
  service().before = [&](const auto&) {
    return harmed ? grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "out of threads")
                  : grpc::Status::OK;
  };
  ExpectFailure("cancelled and expired calls do no harm", "out of threads");
}

TEST_F(ServiceCheckTest, WritableDirectoriesAreChecked) {
  // Serves the directory by looking at it before each call.
  const TempDir folder;
  options_.writable_directory = folder.path();
  options_.writable_uri = "asset://show/tmp/";
  Mutex mu;
  std::map<std::string, std::string> before;
  const auto look = [&] {
    MutexLock lock(mu);
    std::map<std::string, std::string> now;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      std::ostringstream content;
      content << std::ifstream(entry.path()).rdbuf();
      now["asset://show/tmp/" + entry.path().filename().string()] = content.str();
    }
    for (const auto& [path, content] : before) {
      if (now.count(path) == 0) service().Remove(path);
    }
    for (const auto& [path, content] : now) service().Write(path, content);
    const bool changed = now != before;
    before = std::move(now);
    return changed;
  };
  service().before = [&](const auto&) {
    look();
    return grpc::Status::OK;
  };
  service().look_for_changes = [&] {
    pb::WatchResponse message;
    if (look()) message.mutable_everything();
    return message;
  };
  EXPECT_EQ(Rules(Verdict::kFailed), Failures());
  EXPECT_EQ(Rules(Verdict::kSkipped), Failures());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "files are left";

  service().versions_are_sizes = true;
  ExpectFailure("a changed asset has another version", "is still 'v5' after the file was replaced");
  service().WaitForWatchers(0);  // which use `before`
}

TEST_F(ServiceCheckTest, AServiceThatCannotBeReachedIsUnavailable) {
  service().FailNextCalls(1);
  const auto counts = CheckService(server_.Connect(), options_,
                                   [](const CheckedRule&) { ADD_FAILURE() << "reported"; });
  EXPECT_EQ(counts.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(Message(counts.status()).find("cannot reach the resolver service at 'fake:1'"),
            std::string_view::npos)
      << counts.status();
}

}  // namespace
}  // namespace stagedoor
