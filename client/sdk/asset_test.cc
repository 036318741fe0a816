// Reading assets while connections break.
#include "client/sdk/asset.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/strings.h"
#include "client/sdk/connection.h"
#include "stagedoor/v1/layers.grpc.pb.h"

namespace stagedoor::sdk {
namespace {

// A daemon that sends an asset in two messages, and breaks off between them as often as it shall.
class FakeAssets final : public v1::LayersService::Service {
 public:
  FakeAssets(std::string data, int broken) : data_(std::move(data)), broken_(broken) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }

  std::string address() const { return Concat("127.0.0.1:", port_); }
  int calls() const { return calls_; }

  grpc::Status ReadAsset(grpc::ServerContext*, const v1::ReadAssetRequest* request,
                         grpc::ServerWriter<v1::ReadAssetResponse>* writer) override {
    ++calls_;
    if (request->asset_path() == "/none") return {grpc::StatusCode::NOT_FOUND, "no asset"};
    v1::ReadAssetResponse first, second;
    first.mutable_asset()->set_identifier(request->asset_path());
    first.set_data(data_.substr(0, 1));
    second.set_data(data_.substr(1));
    writer->Write(first);
    if (broken_-- > 0) return {grpc::StatusCode::UNAVAILABLE, "lost"};
    writer->Write(second);
    return grpc::Status::OK;
  }

 private:
  const std::string data_;
  std::atomic<int> broken_;
  std::atomic<int> calls_{0};
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

v1::ReadAssetRequest RequestFor(const std::string& path) {
  v1::ReadAssetRequest request;
  request.set_asset_path(path);
  return request;
}

TEST(AssetTest, ReadsAgainFromTheBeginningAfterALostConnection) {
  FakeAssets daemon("text", 1);
  const auto connection = Connection::Connect(daemon.address());
  const absl::StatusOr<Asset> asset = connection->ReadAsset(RequestFor("/a"));
  ASSERT_TRUE(asset.ok()) << asset.status();
  EXPECT_EQ(asset->data, "text");
  EXPECT_EQ(asset->info.identifier(), "/a");
  EXPECT_EQ(daemon.calls(), 2);
}

TEST(AssetTest, TurnsToTheNextDaemon) {
  FakeAssets broken("other", 100), whole("text", 0);
  ConnectionOptions options;
  options.addresses = {broken.address(), whole.address()};
  const absl::StatusOr<Asset> asset = Connection::Connect(options)->ReadAsset(RequestFor("/a"));
  ASSERT_TRUE(asset.ok()) << asset.status();
  EXPECT_EQ(asset->data, "text");
  EXPECT_EQ(broken.calls(), 1);
}

TEST(AssetTest, GivesUpAfterSomeAttempts) {
  FakeAssets daemon("text", 100);
  const auto connection = Connection::Connect(daemon.address());
  EXPECT_EQ(connection->ReadAsset(RequestFor("/a")).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(daemon.calls(), 3);
}

TEST(AssetTest, OtherErrorsAreFinal) {
  FakeAssets daemon("text", 0);
  const auto connection = Connection::Connect(daemon.address());
  EXPECT_EQ(connection->ReadAsset(RequestFor("/none")).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(daemon.calls(), 1);
}

}  // namespace
}  // namespace stagedoor::sdk
