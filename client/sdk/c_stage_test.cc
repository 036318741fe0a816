// How the C interface passes its options on. tests/sdk uses it as C programs do.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

#include "base/strings.h"
#include "client/sdk/stagedoor.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

// The message of an error, which is destroyed.
std::string Take(sd_error* error) {
  std::string message = sd_error_message(error);
  sd_error_destroy(error);
  return message;
}

class CStageTest : public ::testing::Test {
 protected:
  CStageTest() {
    int port = 0;
    server_ = daemon_.Serve(&port);
    address_ = Concat("127.0.0.1:", port);
    const char* const addresses[] = {address_.c_str()};
    sd_connect_options options = SD_INIT(sd_connect_options);
    options.addresses = addresses;
    options.address_count = 1;
    options.client_name = "c_stage_test";
    EXPECT_EQ(sd_connect(&options, &connection_, nullptr), SD_OK);
  }
  ~CStageTest() override {
    sd_stage_destroy(stage_);
    sd_connection_destroy(connection_);
  }

  // The request that opening a stage sends.
  v1::OpenStageRequest Open(const sd_stage_options* options) {
    EXPECT_EQ(sd_stage_open(connection_, "/root.usda", options, &stage_, nullptr), SD_OK);
    return daemon_.opened().at(0);
  }

  FakeDaemon daemon_{"daemon"};
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  sd_connection* connection_ = nullptr;
  sd_stage* stage_ = nullptr;
};

TEST_F(CStageTest, WithoutOptionsTheWholeStageIsOpened) {
  const v1::OpenStageRequest request = Open(nullptr);
  EXPECT_EQ(request.root_layer(), "/root.usda");
  EXPECT_EQ(request.client_name(), "c_stage_test");
  EXPECT_FALSE(request.has_session_layer());
  EXPECT_EQ(request.load_policy(), v1::LOAD_POLICY_UNSPECIFIED);
  EXPECT_EQ(request.population_mask_size(), 0);
  EXPECT_EQ(request.session(), "");
}

TEST_F(CStageTest, OptionsAreSent) {
  const char* const mask[] = {"/A", "/B"};
  sd_stage_options options = SD_INIT(sd_stage_options);
  options.session_layer = "#usda 1.0\n";
  options.load_none = 1;
  options.population_mask = mask;
  options.population_mask_count = 2;
  options.session = "review";
  const v1::OpenStageRequest request = Open(&options);
  EXPECT_EQ(request.session_layer().content(), "#usda 1.0\n");
  EXPECT_EQ(request.load_policy(), v1::LOAD_POLICY_NONE);
  ASSERT_EQ(request.population_mask_size(), 2);
  EXPECT_EQ(request.population_mask(0), "/A");
  EXPECT_EQ(request.population_mask(1), "/B");
  EXPECT_EQ(request.session(), "review");
}

TEST_F(CStageTest, ARequestHasAllOtherOptions) {
  v1::OpenStageRequest more;
  more.add_load_rules()->set_path("/A");
  more.set_interpolation(v1::INTERPOLATION_HELD);
  const std::string bytes = more.SerializeAsString();
  sd_stage_options options = SD_INIT(sd_stage_options);
  options.session = "review";
  options.request = bytes.data();
  options.request_size = bytes.size();
  const v1::OpenStageRequest request = Open(&options);
  EXPECT_EQ(request.root_layer(), "/root.usda");
  EXPECT_EQ(request.session(), "review");
  ASSERT_EQ(request.load_rules_size(), 1);
  EXPECT_EQ(request.load_rules(0).path(), "/A");
  EXPECT_EQ(request.interpolation(), v1::INTERPOLATION_HELD);
}

TEST_F(CStageTest, OptionsOfAnEarlierVersionAreRead) {
  sd_stage_options options = SD_INIT(sd_stage_options);
  options.struct_size = offsetof(sd_stage_options, request);
  options.session = "review";
  options.request = &options;  // not read
  options.request_size = 1;
  EXPECT_EQ(Open(&options).session(), "review");
}

TEST_F(CStageTest, AMalformedRequestIsRefused) {
  sd_stage_options options = SD_INIT(sd_stage_options);
  options.request = "\xff";
  options.request_size = 1;
  sd_error* error = nullptr;
  EXPECT_EQ(sd_stage_open(connection_, "/root.usda", &options, &stage_, &error),
            SD_INVALID_ARGUMENT);
  EXPECT_NE(Take(error).find("not an OpenStageRequest"), std::string::npos);
  options.request = nullptr;
  EXPECT_EQ(sd_stage_open(connection_, "/root.usda", &options, &stage_, &error),
            SD_INVALID_ARGUMENT);
  EXPECT_NE(Take(error).find("NULL"), std::string::npos);
  EXPECT_TRUE(daemon_.opened().empty());
}

TEST_F(CStageTest, SnapshotsAreNamedAndPinned) {
  Open(nullptr);
  char snapshot[33];
  EXPECT_EQ(sd_stage_snapshot(stage_, snapshot, nullptr), SD_OK);
  EXPECT_STREQ(snapshot, "snapshot of daemon-1");
  sd_stage* pinned = nullptr;
  ASSERT_EQ(sd_stage_at_snapshot(stage_, "earlier", &pinned, nullptr), SD_OK);
  EXPECT_EQ(sd_stage_snapshot(pinned, snapshot, nullptr), SD_OK);
  EXPECT_STREQ(snapshot, "earlier");
  sd_stage_destroy(pinned);
}

TEST_F(CStageTest, TimeCodesThatAreNotAuthoredAreNotNumbers) {
  Open(nullptr);
  double start = 0, end = 0, rate = 1;
  EXPECT_EQ(sd_stage_time_codes(stage_, &start, &end, &rate, nullptr), SD_OK);
  EXPECT_TRUE(std::isnan(start));
  EXPECT_TRUE(std::isnan(end));
  EXPECT_EQ(rate, 0);
  EXPECT_EQ(sd_stage_time_codes(stage_, nullptr, nullptr, nullptr, nullptr), SD_OK);
}

TEST_F(CStageTest, MissingArgumentsAreNamed) {
  sd_error* error = nullptr;
  EXPECT_EQ(sd_connect(nullptr, nullptr, &error), SD_INVALID_ARGUMENT);
  EXPECT_NE(Take(error).find("out"), std::string::npos);
  EXPECT_EQ(sd_stage_open(nullptr, "/a.usda", nullptr, &stage_, &error), SD_INVALID_ARGUMENT);
  EXPECT_NE(Take(error).find("connection"), std::string::npos);
  EXPECT_EQ(sd_stage_open(connection_, nullptr, nullptr, &stage_, &error), SD_INVALID_ARGUMENT);
  EXPECT_NE(Take(error).find("root_layer"), std::string::npos);
  EXPECT_EQ(sd_stage_open(connection_, "/a.usda", nullptr, nullptr, &error), SD_INVALID_ARGUMENT);
  EXPECT_NE(Take(error).find("out"), std::string::npos);
  EXPECT_EQ(sd_stage_time_codes(nullptr, nullptr, nullptr, nullptr, nullptr), SD_INVALID_ARGUMENT);
  EXPECT_EQ(sd_stage_snapshot(nullptr, nullptr, nullptr), SD_INVALID_ARGUMENT);
  EXPECT_EQ(sd_stage_at_snapshot(nullptr, "", nullptr, nullptr), SD_INVALID_ARGUMENT);
  EXPECT_EQ(sd_stage_reload(nullptr, nullptr, nullptr), SD_INVALID_ARGUMENT);
  EXPECT_EQ(stage_, nullptr);
  EXPECT_TRUE(daemon_.opened().empty());
}

}  // namespace
}  // namespace stagedoor::sdk
