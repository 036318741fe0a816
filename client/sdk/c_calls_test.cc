// Calls of the C interface by the names of their methods.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "client/sdk/stagedoor.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

// The message of an error, which is destroyed.
std::string MessageOf(sd_error* error) {
  std::string message = sd_error_message(error);
  sd_error_destroy(error);
  return message;
}

class CCallsTest : public ::testing::Test {
 protected:
  CCallsTest() {
    int port = 0;
    server_ = daemon_.Serve(&port);
    const std::string address = Concat("127.0.0.1:", port);
    const char* const addresses[] = {address.c_str()};
    sd_connect_options options = SD_INIT(sd_connect_options);
    options.addresses = addresses;
    options.address_count = 1;
    EXPECT_EQ(sd_connect(&options, &connection_, nullptr), SD_OK);
    EXPECT_EQ(sd_stage_open(connection_, "/root.usda", nullptr, &stage_, nullptr), SD_OK);
  }
  ~CCallsTest() override {
    sd_messages_destroy(messages_);
    sd_stage_destroy(stage_);
    sd_connection_destroy(connection_);
  }

  sd_code Call(const char* method, const std::string& request, sd_error** error) {
    sd_messages_destroy(messages_);
    messages_ = nullptr;
    return sd_call(stage_, method, request.data(), request.size(), nullptr, &messages_, error);
  }
  // The paths of the prims in the messages of a traversal.
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    for (size_t i = 0; i < sd_messages_count(messages_); ++i) {
      size_t size = 0;
      const void* const data = sd_messages_data(messages_, i, &size);
      v1::TraverseResponse message;
      EXPECT_TRUE(message.ParseFromArray(data, static_cast<int>(size)));
      for (const v1::Prim& prim : message.prims()) paths.push_back(prim.path());
    }
    return paths;
  }

  FakeDaemon daemon_{"daemon"};
  std::unique_ptr<grpc::Server> server_;
  sd_connection* connection_ = nullptr;
  sd_stage* stage_ = nullptr;
  sd_messages* messages_ = nullptr;
};

TEST_F(CCallsTest, AStreamIsItsMessages) {
  EXPECT_EQ(Call("Traverse", "", nullptr), SD_OK);
  EXPECT_EQ(sd_messages_count(messages_), 2u);
  EXPECT_EQ(Paths(), (std::vector<std::string>{"/A", "/B"}));
  size_t size = 7;
  EXPECT_EQ(sd_messages_data(messages_, 2, &size), nullptr);
  EXPECT_EQ(size, 0u);
}

TEST_F(CCallsTest, AStreamThatBreaksIsReadAgain) {
  daemon_.BreakStreams({grpc::Status(grpc::StatusCode::UNAVAILABLE, "Socket closed")});
  EXPECT_EQ(Call("Traverse", "", nullptr), SD_OK);
  EXPECT_EQ(Paths(), (std::vector<std::string>{"/A", "/B"}));
}

TEST_F(CCallsTest, AReplyIsOneMessage) {
  v1::BatchGetValuesRequest request;
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  EXPECT_EQ(Call("BatchGetValues", request.SerializeAsString(), nullptr), SD_OK);
  EXPECT_EQ(sd_messages_count(messages_), 1u);
}

TEST_F(CCallsTest, OtherMethodsAreRefused) {
  for (const char* const method : {"SetSessionLayer", "CloseStage", "WatchStage", "traverse", ""}) {
    sd_error* error = nullptr;
    EXPECT_EQ(Call(method, "", &error), SD_UNIMPLEMENTED) << method;
    EXPECT_NE(MessageOf(error).find(Quoted(method)), std::string::npos) << method;
    EXPECT_EQ(messages_, nullptr);
  }
}

TEST_F(CCallsTest, MalformedRequestsAreRefused) {
  sd_error* error = nullptr;
  EXPECT_EQ(Call("Traverse", "\xff", &error), SD_INVALID_ARGUMENT);
  EXPECT_NE(MessageOf(error).find("TraverseRequest"), std::string::npos);
}

TEST_F(CCallsTest, MissingArgumentsAreNamed) {
  const auto is = [](sd_code code, sd_error* error, const char* argument) {
    EXPECT_EQ(code, SD_INVALID_ARGUMENT) << argument;
    EXPECT_NE(MessageOf(error).find(argument), std::string::npos) << argument;
  };
  sd_error* error = nullptr;
  sd_code code = sd_call(nullptr, "Traverse", "", 0, nullptr, &messages_, &error);
  is(code, error, "'stage'");
  code = sd_call(stage_, nullptr, "", 0, nullptr, &messages_, &error);
  is(code, error, "'method'");
  code = sd_call(stage_, "Traverse", nullptr, 1, nullptr, &messages_, &error);
  is(code, error, "'request'");
  code = sd_call(stage_, "Traverse", "", 0, nullptr, nullptr, &error);
  is(code, error, "'out'");
  EXPECT_EQ(sd_messages_count(nullptr), 0u);
  EXPECT_EQ(sd_messages_data(nullptr, 0, nullptr), nullptr);
}

}  // namespace
}  // namespace stagedoor::sdk
