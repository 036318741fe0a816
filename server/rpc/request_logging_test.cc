// Tests the request log and the counters with calls over a real gRPC server.
#include <grpcpp/client_context.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/lane_executor.h"
#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "server/log/request_log.h"
#include "server/log/testing/log_file_test.h"
#include "server/rpc/rpc_service.h"

namespace stagedoor::server {
namespace {

using google::rpc::ErrorInfo;
using nlohmann::json;

constexpr char kTraceParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

CallLimits SmallLimits() {
  CallLimits limits;
  limits.max_bytes = 1 << 20;
  limits.all_bytes = 1 << 20;
  return limits;
}

// A stream of three messages.
class Three final : public ResponseStream<ErrorInfo> {
 public:
  absl::StatusOr<bool> Next(RequestContext&, ErrorInfo* out) override {
    out->set_reason("xyz");
    return ++sent_ <= 3;
  }

 private:
  int sent_ = 0;
};

class RequestLoggingTest : public LogFileTest {
 protected:
  RequestLoggingTest() : LogFileTest("calls.log") {
    EXPECT_TRUE(InitializeLog("info", path_, LogFormat::kJson).ok());
    admission_.SetRequestLog(&log_);
    service_.AddUnary<ErrorInfo, ErrorInfo>(
        "Unary", {RpcGroup::kQuery, CallWeight::kNormal},
        [this](RequestContext& context, const ErrorInfo&, ErrorInfo* out) {
          out->set_reason("abcdef");
          return handler_(context);
        });
    service_.AddStream<ErrorInfo>(
        "Stream", {RpcGroup::kQuery, CallWeight::kNormal}, [](RequestContext&, const ErrorInfo&) {
          return absl::StatusOr<ResponseStreamPtr<ErrorInfo>>(std::make_unique<Three>());
        });
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    channel_ = server_->InProcessChannel({});
  }
  ~RequestLoggingTest() override {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  // Calls the unary method with metadata. Returns the records so far.
  std::vector<json> Call(const std::map<std::string, std::string>& metadata = {}) {
    grpc::ClientContext context;
    for (const auto& [key, value] : metadata) context.AddMetadata(key, value);
    const grpc::internal::RpcMethod method("/test.Service/Unary",
                                           grpc::internal::RpcMethod::NORMAL_RPC, channel_);
    ErrorInfo request, reply;
    request.set_reason("abc");
    last_ = grpc::internal::BlockingUnaryCall(channel_.get(), method, &context, request, &reply);
    return Records();
  }
  void ReadStream() {
    grpc::ClientContext context;
    const grpc::internal::RpcMethod method("/test.Service/Stream",
                                           grpc::internal::RpcMethod::SERVER_STREAMING, channel_);
    const std::unique_ptr<grpc::ClientReader<ErrorInfo>> reader(
        grpc::internal::ClientReaderFactory<ErrorInfo>::Create(channel_.get(), method, &context,
                                                               ErrorInfo()));
    ErrorInfo message;
    while (reader->Read(&message)) {
    }
    EXPECT_TRUE(reader->Finish().ok());
  }
  std::vector<json> Records() {
    std::vector<json> records;
    std::istringstream lines(Text());
    for (std::string line; std::getline(lines, line);) records.push_back(json::parse(line));
    return records;
  }

  std::function<absl::Status(RequestContext&)> handler_ = [](RequestContext&) {
    return absl::OkStatus();
  };
  RequestLog log_{{.calls = RequestLogOptions::Calls::kAll}};
  LaneExecutor executor_{{.threads = 1, .watch = false}};
  CallAdmission admission_{executor_, SmallLimits()};
  RpcService service_{admission_, "test.Service"};
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  grpc::Status last_;
};

TEST_F(RequestLoggingTest, ARecordSaysWhatTheCallWas) {
  std::string passed_on;
  handler_ = [&](RequestContext&) {
    RequestScope::Current().notes->SetSubject("/show/a\nb.usda");
    passed_on = RequestScope::Current().notes->TraceParent();
    return absl::OkStatus();
  };
  const auto records = Call({{"x-request-id", "frame 7"}, {"traceparent", kTraceParent}});
  ASSERT_EQ(records.size(), 1u);
  const json& record = records[0];
  EXPECT_EQ(record["level"], "info");
  EXPECT_EQ(record["message"], "call");
  EXPECT_EQ(record["method"], "test.Service/Unary");
  EXPECT_EQ(record["status"], "OK");
  EXPECT_EQ(record["bytes_in"], 5);
  EXPECT_EQ(record["bytes_out"], 8);
  EXPECT_EQ(record["request_id"], "frame 7");
  EXPECT_EQ(record["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(record["parent_id"], "00f067aa0ba902b7");
  EXPECT_EQ(record["stage"], "/show/a\nb.usda");
  EXPECT_NE(record["peer"], "");
  EXPECT_GE(record["duration_ms"], record["queue_ms"]);
  const std::string span = record["span_id"];
  EXPECT_EQ(passed_on, "00-4bf92f3577b34da6a3ce929d0e0e4736-" + span + "-01");
}

TEST_F(RequestLoggingTest, WithoutATraceNothingIsPassedOn) {
  std::string passed_on = "x";
  handler_ = [&](RequestContext&) {
    passed_on = RequestScope::Current().notes->TraceParent();
    return absl::OkStatus();
  };
  const auto records = Call({{"traceparent", "nonsense"}});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_FALSE(records[0].contains("trace_id"));
  EXPECT_FALSE(records[0].contains("stage"));
  EXPECT_EQ(passed_on, "");
}

TEST_F(RequestLoggingTest, CallsWithoutAUsableIdGetOne) {
  const auto records = Call({{"x-request-id", std::string(129, 'x')}});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(std::string(records[0]["request_id"]).size(), 16u);
}

TEST_F(RequestLoggingTest, ErrorsAreExplained) {
  handler_ = [](RequestContext&) { return NotFoundError("prim '/A' not found"); };
  const auto records = Call();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0]["status"], "NOT_FOUND");
  EXPECT_EQ(records[0]["error"], "prim '/A' not found");
  EXPECT_EQ(records[0]["bytes_out"], 0);
}

TEST_F(RequestLoggingTest, AStreamIsOneRecord) {
  ReadStream();
  const auto records = Records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0]["method"], "test.Service/Stream");
  EXPECT_EQ(records[0]["bytes_out"], 15);
}

TEST_F(RequestLoggingTest, CountersHaveBytesAndWaits) {
  Call();
  Call();
  const MethodCounters& counters =
      admission_.GetMethodCounters("test.Service/Unary", {RpcGroup::kQuery, CallWeight::kNormal});
  EXPECT_EQ(counters.bytes_in, 10u);
  EXPECT_EQ(counters.bytes_out, 16u);
  int64_t waits = 0;
  for (size_t i = 0; i < LatencyHistogram::kBuckets; ++i) waits += counters.queue_time.count(i);
  EXPECT_EQ(waits, 2);
}

TEST_F(RequestLoggingTest, CallsThatRunOutOfMemoryAreRefusals) {
  handler_ = [](RequestContext& context) { return context.Reserve(2 << 20, "a reply"); };
  Call();
  EXPECT_EQ(last_.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (size_t i = 0; i < RefusalCounters::kReasons.size(); ++i) {
    EXPECT_EQ(admission_.refusals().count(i), RefusalCounters::kReasons[i] == "limits" ? 1 : 0);
  }
}

}  // namespace
}  // namespace stagedoor::server
