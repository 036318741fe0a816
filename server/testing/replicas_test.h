#ifndef STAGEDOOR_SERVER_TESTING_REPLICAS_TEST_H_
#define STAGEDOOR_SERVER_TESTING_REPLICAS_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cc/client.h"
#include "client/cc/value_batch.h"
#include "resolver/memory/memory_resolver.h"
#include "server/server.h"
#include "server/store/testing/memory_session_store.h"

namespace stagedoor::server {

// A fixture with several servers in the test's process, which serve the same layers and share a
// store. Layers are named "/NAME".
class ReplicasTest : public ::testing::Test {
 protected:
  struct Replica {
    std::shared_ptr<MemorySessionStore> store;
    std::unique_ptr<Server> server;
    std::unique_ptr<Client> client;
  };

  static ClientOptions Impatient() {
    ClientOptions options;
    options.max_attempts = 1;
    return options;
  }

  // Starts the replicas up to this one.
  Replica& At(size_t number) {
    while (replicas_.size() <= number) {
      Replica replica;
      replica.store = std::make_shared<MemorySessionStore>(records_);
      ServerOptions options = options_;
      options.session_store = replica.store;
      auto server = Server::Start(options, resolver_ == nullptr ? files_ : resolver_, nullptr);
      EXPECT_TRUE(server.ok()) << server.status();
      replica.server = *std::move(server);
      replica.client = Client::FromChannel(replica.server->InProcessChannel(), Impatient());
      replicas_.push_back(std::move(replica));
    }
    return replicas_[number];
  }
  Client& client(size_t number) { return *At(number).client; }
  // Ends a replica.
  void Kill(size_t number) {
    replicas_[number].client = nullptr;
    replicas_[number].server = nullptr;
  }
  MemorySessionStore& store() { return *At(0).store; }

  void Write(std::string_view name, std::string_view content) {
    ASSERT_TRUE(files_->Put(Concat("/", name), Concat("#usda 1.0\n", content)).ok());
  }

  struct Opened {
    v1::StageRef stage;
    std::string snapshot;
  };
  Opened Open(size_t number, v1::OpenStageRequest request = {}) {
    if (request.root_layer().empty()) request.set_root_layer("/root.usda");
    const auto reply = client(number).OpenStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    Opened opened;
    if (!reply.ok()) return opened;
    opened.stage.set_handle(reply->handle());
    opened.snapshot = reply->stage().snapshot();
    return opened;
  }
  Opened OpenNamed(size_t number, const std::string& session) {
    v1::OpenStageRequest request;
    request.set_session(session);
    return Open(number, request);
  }

  struct Read {
    absl::Status status;
    double number = -1;
    std::string snapshot;
  };
  // Reads an attribute of type double, of a snapshot if one is given.
  Read Get(size_t number, v1::StageRef stage, const std::string& snapshot = "",
           const std::string& path = "/P.a") {
    v1::BatchGetValuesRequest request;
    if (!snapshot.empty()) stage.set_snapshot(snapshot);
    *request.mutable_stage() = std::move(stage);
    request.add_paths(path);
    request.mutable_times()->add_frames(1);
    const auto reply = client(number).BatchGetValues(request);
    if (!reply.ok()) return {reply.status()};
    return {absl::OkStatus(), ValueBatch(*reply).GetDouble(0, 0).value_or(-2), reply->snapshot()};
  }

  // A request to set /P.a and /P.b.
  static v1::EditStageRequest Setting(const v1::StageRef& stage, double value,
                                      const std::string& expected = "") {
    v1::EditStageRequest request;
    *request.mutable_stage() = stage;
    request.set_expected_snapshot(expected);
    for (const char* path : {"/P.a", "/P.b"}) {
      v1::Edit::SetValue* const set = request.add_edits()->mutable_set_value();
      set->set_path(path);
      set->mutable_value()->set_double_value(value);
    }
    return request;
  }
  // Edits the session of the stage, and returns the new snapshot.
  std::string Set(size_t number, const v1::StageRef& stage, double value) {
    const auto reply = client(number).EditStage(Setting(stage, value));
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->snapshot() : "";
  }

  std::string SessionLayer(size_t number, const v1::StageRef& stage) {
    v1::ExportSessionLayerRequest request;
    *request.mutable_stage() = stage;
    std::string text;
    const absl::Status status =
        client(number).ExportSessionLayer(request, [&](const v1::ExportSessionLayerResponse& part) {
          text += part.data();
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return text;
  }

  // Waits for something that happens in the background.
  template <typename Condition>
  static void Await(const Condition& condition) {
    while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<SharedRecords> records_ = std::make_shared<SharedRecords>();
  // The options of the replicas that are started from now on. They resolve with `resolver_`, which
  // reads files_, or with files_ if it is null.
  ServerOptions options_;
  std::shared_ptr<const Resolver> resolver_;

 private:
  std::vector<Replica> replicas_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_REPLICAS_TEST_H_
