// What handles do when leases are lost and daemons cannot be reached. tests/sdk asks a real daemon.
#include "client/sdk/stage.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "client/cc/error_reason.h"
#include "client/sdk/error.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor::sdk {
namespace {

grpc::Status Refusal(grpc::StatusCode code, const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  google::rpc::Status details;
  details.add_details()->PackFrom(info);
  return grpc::Status(code, "refused", details.SerializeAsString());
}

// A daemon that knows one handle at a time, the one that it granted last. The value of every
// attribute is a double; with `large`, batches are refused as too large.
class FakeDaemon final : public v1::StagesService::Service, public v1::QueryService::Service {
 public:
  explicit FakeDaemon(std::string daemon) : name(std::move(daemon)) {}

  // Forgets the handle, as a daemon does that was restarted.
  void Forget() {
    MutexLock lock(mu_);
    handle_.clear();
  }
  std::vector<v1::OpenStageRequest> opened() {
    MutexLock lock(mu_);
    return opened_;
  }
  int closed() {
    MutexLock lock(mu_);
    return closed_;
  }

  const std::string name;
  bool unreachable = false;  // set before the calls
  bool large = false;

 private:
  grpc::Status OpenStage(grpc::ServerContext*, const v1::OpenStageRequest* request,
                         v1::OpenStageResponse* response) override {
    if (unreachable) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
    MutexLock lock(mu_);
    opened_.push_back(*request);
    handle_ = Concat(name, "-", opened_.size());
    response->set_handle(handle_);
    response->mutable_stage()->set_snapshot(Concat("snapshot of ", handle_));
    return grpc::Status::OK;
  }
  grpc::Status CloseStage(grpc::ServerContext*, const v1::CloseStageRequest* request,
                          v1::CloseStageResponse*) override {
    MutexLock lock(mu_);
    ++closed_;
    return Check(request->handle());
  }
  grpc::Status SetSessionLayer(grpc::ServerContext*, const v1::SetSessionLayerRequest* request,
                               v1::SetSessionLayerResponse* response) override {
    MutexLock lock(mu_);
    response->set_snapshot("edited");
    return Check(request->stage().handle());
  }
  grpc::Status MuteLayers(grpc::ServerContext*, const v1::MuteLayersRequest* request,
                          v1::MuteLayersResponse* response) override {
    MutexLock lock(mu_);
    response->set_snapshot("muted");
    return Check(request->stage().handle());
  }
  grpc::Status LoadPrims(grpc::ServerContext*, const v1::LoadPrimsRequest* request,
                         v1::LoadPrimsResponse*) override {
    MutexLock lock(mu_);
    return Check(request->stage().handle());
  }
  grpc::Status UnloadPrims(grpc::ServerContext*, const v1::UnloadPrimsRequest* request,
                           v1::UnloadPrimsResponse*) override {
    MutexLock lock(mu_);
    return Check(request->stage().handle());
  }
  grpc::Status BatchGetValues(grpc::ServerContext*, const v1::BatchGetValuesRequest* request,
                              v1::BatchGetValuesResponse* response) override {
    if (unreachable) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
    MutexLock lock(mu_);
    if (large) return Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE");
    response->set_path_count(request->paths_size());
    response->set_time_count(1);
    v1::ValueColumn* column = response->add_columns();
    column->set_type_name("double");
    for (int i = 0; i < request->paths_size(); ++i) column->add_doubles(i + 0.5);
    return Check(request->stage().handle());
  }
  grpc::Status StreamValues(grpc::ServerContext*, const v1::StreamValuesRequest* request,
                            grpc::ServerWriter<v1::StreamValuesResponse>* writer) override {
    for (int i = 0; i < request->paths_size(); ++i) {
      v1::StreamValuesResponse item;
      item.set_item(i);
      item.set_type_name("float[]");
      item.set_state(v1::ITEM_STATE_VALUE);
      v1::PackedValues* packed = item.mutable_value()->mutable_array_value();
      packed->set_component_type(v1::COMPONENT_TYPE_FLOAT32);
      packed->set_rows(1);
      packed->set_columns(1);
      packed->set_count(2);
      packed->set_data(std::string(8, '\0'));
      writer->Write(item);
    }
    return grpc::Status::OK;
  }
  grpc::Status Traverse(grpc::ServerContext*, const v1::TraverseRequest* request,
                        grpc::ServerWriter<v1::TraverseResponse>* writer) override {
    MutexLock lock(mu_);
    grpc::Status status = Check(request->stage().handle());
    if (!status.ok()) return status;
    v1::TraverseResponse part;
    part.add_prims()->set_path("/A");
    writer->Write(part);
    return Refusal(grpc::StatusCode::FAILED_PRECONDITION, "LEASE_EXPIRED");
  }
  grpc::Status Check(const std::string& handle) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (handle == handle_) return grpc::Status::OK;
    return Refusal(grpc::StatusCode::NOT_FOUND, "STAGE_NOT_FOUND");
  }

  Mutex mu_;
  std::string handle_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::OpenStageRequest> opened_ ABSL_GUARDED_BY(mu_);
  int closed_ ABSL_GUARDED_BY(mu_) = 0;
};

class StageTest : public ::testing::Test {
 protected:
  StageTest() {
    std::vector<std::unique_ptr<Client>> clients;
    ClientOptions options;
    options.max_attempts = 1;
    options.connect_timeout = std::chrono::milliseconds(1);
    options.reconnect_timeout = std::chrono::milliseconds(1);
    for (FakeDaemon* daemon : {&first_, &second_}) {
      grpc::ServerBuilder builder;
      builder.RegisterService(static_cast<v1::StagesService::Service*>(daemon));
      builder.RegisterService(static_cast<v1::QueryService::Service*>(daemon));
      servers_.push_back(builder.BuildAndStart());
      clients.push_back(Client::FromChannel(servers_.back()->InProcessChannel({}), options));
    }
    ConnectionOptions connection;
    connection.client_name = "test";
    connection_ = Connection::FromClients(std::move(clients), connection);
  }
  Stage Open(const StageOptions& options = {}) {
    return Stage::Open(connection_, "/root.usda", options).value();
  }
  static absl::StatusOr<double> Read(const Stage& stage) {
    return stage.GetAttributeAtPath("/A.x").Get<double>(1);
  }

  FakeDaemon first_{"first"};
  FakeDaemon second_{"second"};
  std::vector<std::unique_ptr<grpc::Server>> servers_;
  std::shared_ptr<Connection> connection_;
};

TEST_F(StageTest, AStageThatIsLostIsOpenedAgain) {
  const Stage stage = Open();
  EXPECT_EQ(*Read(stage), 0.5);
  first_.Forget();
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(first_.opened().size(), 2u);
  EXPECT_EQ(first_.opened()[1].client_name(), "test");
  EXPECT_NE(first_.opened()[0].request_id(), first_.opened()[1].request_id());
  EXPECT_EQ(stage.snapshot(), "snapshot of first-2");
}

TEST_F(StageTest, EditsAreMadeAgain) {
  const Stage stage = Open();
  const std::string mute[] = {"/a.usda", "/b.usda"};
  const std::string unmute[] = {"/a.usda"};
  const std::string below[] = {"/World/Char"};
  const std::string above[] = {"/World"};
  EXPECT_EQ(*stage.SetSessionLayer("#usda 1.0\n"), "edited");
  EXPECT_EQ(stage.snapshot(), "edited");
  EXPECT_EQ(*stage.MuteLayers(mute), "muted");
  EXPECT_EQ(*stage.MuteLayers({}, unmute), "muted");
  EXPECT_TRUE(stage.Load(below).ok());
  EXPECT_TRUE(stage.Unload(above).ok());
  first_.Forget();
  EXPECT_TRUE(Read(stage).ok());
  const v1::OpenStageRequest again = first_.opened().back();
  EXPECT_EQ(again.session_layer().content(), "#usda 1.0\n");
  ASSERT_EQ(again.muted_layers_size(), 1);
  EXPECT_EQ(again.muted_layers(0), "/b.usda");
  ASSERT_EQ(again.load_rules_size(), 1) << "replaces the rules below";
  EXPECT_EQ(again.load_rules(0).path(), "/World");
  EXPECT_EQ(again.load_rules(0).rule(), v1::LoadRule::RULE_NONE);
}

TEST_F(StageTest, AnEditOpensALostStageAgainToo) {
  const Stage stage = Open();
  first_.Forget();
  EXPECT_EQ(*stage.SetSessionLayer("#usda 1.0\n"), "edited");
  EXPECT_FALSE(first_.opened()[1].has_session_layer()) << "made before the edit is folded";
}

TEST_F(StageTest, AnEditedSessionWithANameIsNotOpenedAgain) {
  const Stage stage = Open({.session = "review"});
  first_.Forget();
  EXPECT_TRUE(Read(stage).ok()) << "without edits, nothing is lost";
  EXPECT_TRUE(stage.SetSessionLayer("#usda 1.0\n").ok());
  first_.Forget();
  EXPECT_EQ(ErrorReason(Read(stage).status()), "LEASE_EXPIRED");
  EXPECT_EQ(first_.opened().size(), 2u);
}

TEST_F(StageTest, TheNextDaemonIsUsedIfOneCannotBeReached) {
  const Stage stage = Open();
  first_.unreachable = true;
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(second_.opened().size(), 1u);
  EXPECT_EQ(stage.snapshot(), "snapshot of second-1");
  EXPECT_TRUE(Open().GetAttributeAtPath("/A.x").Get<double>(1).ok());
  EXPECT_EQ(first_.opened().size(), 1u) << "later stages are opened there as well";
}

TEST_F(StageTest, TheFirstDaemonNeedNotBeThereAtAll) {
  first_.unreachable = true;
  EXPECT_EQ(*Read(Open()), 0.5);
}

TEST_F(StageTest, IfNoDaemonCanBeReachedTheErrorIsThatOfTheConnection) {
  first_.unreachable = true;
  second_.unreachable = true;
  const absl::Status status = Stage::Open(connection_, "/root.usda").status();
  EXPECT_TRUE(IsUnreachable(status)) << status;
}

TEST_F(StageTest, AStreamThatHasBegunIsNotRepeated) {
  const Stage stage = Open();
  int parts = 0;
  const absl::Status status =
      stage.Stream(&Client::Traverse, v1::TraverseRequest(), [&](const v1::TraverseResponse&) {
        ++parts;
        return absl::OkStatus();
      });
  EXPECT_EQ(ErrorReason(status), "LEASE_EXPIRED");
  EXPECT_EQ(parts, 1);
  first_.Forget();
  stage.FindPrims().status().IgnoreError();
  EXPECT_EQ(first_.opened().size(), 2u) << "one that has not begun is";
}

TEST_F(StageTest, BatchesThatAreTooLargeAreStreamed) {
  const Stage stage = Open();
  first_.large = true;
  const std::string paths[] = {"/A.x", "/A.y"};
  const absl::StatusOr<Values> values = stage.GetValues(paths, 1);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->path_count(), 2u);
  EXPECT_EQ(values->time_count(), 1u);
  EXPECT_EQ(values->Get<Array<float>>(1, 0)->size(), 2u);
}

TEST_F(StageTest, TheStageIsClosedWithItsLastHandle) {
  {
    std::optional<Attribute> attribute;
    {
      const Stage stage = Open();
      attribute = stage.GetPrimAtPath("/A").GetAttribute("x");
    }
    EXPECT_EQ(*attribute->Get<double>(1), 0.5);
    EXPECT_EQ(first_.closed(), 0);
  }
  connection_.reset();  // waits for calls in flight
  EXPECT_EQ(first_.closed(), 1);
}

TEST_F(StageTest, AClosedStageIsOfNoUse) {
  Stage stage = Open();
  EXPECT_TRUE(stage.Close().ok());
  EXPECT_TRUE(stage.Close().ok()) << "twice";
  EXPECT_EQ(first_.closed(), 1);
  EXPECT_EQ(Read(stage).status(), absl::FailedPreconditionError("the stage is closed"));
}

TEST_F(StageTest, ClosingALostStageSucceeds) {
  Stage stage = Open();
  first_.Forget();
  EXPECT_TRUE(stage.Close().ok());
}

TEST_F(StageTest, PathsOfHandles) {
  const Stage stage = Open();
  const Prim prim = stage.GetPrimAtPath("/World/Char");
  EXPECT_EQ(prim.name(), "Char");
  EXPECT_EQ(prim.GetParent().path(), "/World");
  EXPECT_EQ(prim.GetParent().GetParent().path(), "/");
  EXPECT_EQ(stage.GetPseudoRoot().GetParent().path(), "/");
  EXPECT_EQ(stage.GetPseudoRoot().name(), "/");
  EXPECT_EQ(stage.GetPseudoRoot().GetChild("World").path(), "/World");
  EXPECT_EQ(prim.GetChild("Body").path(), "/World/Char/Body");
  const Attribute attribute = prim.GetAttribute("xformOp:translate");
  EXPECT_EQ(attribute.path(), "/World/Char.xformOp:translate");
  EXPECT_EQ(attribute.name(), "xformOp:translate");
  EXPECT_EQ(attribute.prim_path(), "/World/Char");
}

TEST_F(StageTest, ItemsOutsideOfABatchAreOutOfRange) {
  const absl::StatusOr<Values> values = Open().GetValues({"/A.x"}, 1);
  EXPECT_EQ(values->Get(1, 0).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(values->Get(0, 1).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(*values->GetNumbers(0), std::vector<double>{0.5});
}

}  // namespace
}  // namespace stagedoor::sdk
