#include "resolver/remote/remote_identifiers.h"

#include <gtest/gtest.h>

#include "base/status.h"
#include "resolver/remote/testing/fake_service.h"

namespace stagedoor {
namespace {

namespace pb = resolver::v1;
using absl::StatusCode;

class RemoteIdentifiersTest : public ::testing::Test {
 protected:
  RemoteIdentifiersTest() : identifiers_(server_.Connect()) {
    service().Write("asset://show/a.usd", "a");
  }
  FakeService& service() { return server_.service(); }
  std::string Create(const std::string& path) {
    return identifiers_.CreateIdentifier(context_, path, "asset://show/sub/root.usd")
        .value_or("error");
  }
  // Creates an identifier while the service answers `identifier`.
  absl::Status CreateAnswered(const RemoteIdentifiers& identifiers, const std::string& path,
                              const std::string& identifier) {
    service().spoil_identifiers = [&](const auto&, FakeService::Identifiers* answer) {
      answer->mutable_results(0)->set_identifier(identifier);
    };
    const auto created = identifiers.CreateIdentifier(context_, path, "asset://show/root.usd");
    EXPECT_TRUE(!created.ok() || *created == identifier);
    return created.status();
  }

  FakeServer server_;
  RemoteIdentifiers identifiers_;
  RequestContext context_;
};

TEST_F(RemoteIdentifiersTest, TheServiceDecidesIdentifiers) {
  EXPECT_EQ(Create("../a.usd"), "asset://show/a.usd");
  EXPECT_EQ(Create("asset://show/x/../a.usd"), "asset://show/a.usd");
  EXPECT_EQ(Create("lib//a.usd"), "lib/a.usd");
  EXPECT_EQ(Create(""), "");
  service().spoil_identifiers = [](const pb::CreateIdentifierRequest& request,
                                   FakeService::Identifiers* answer) {
    EXPECT_EQ(request.asset_paths(0), "tree");
    EXPECT_EQ(request.anchor(), "asset://show/sub/root.usd");
    answer->mutable_results(0)->set_identifier("asset://library/tree?v=12");
  };
  EXPECT_EQ(Create("tree"), "asset://library/tree?v=12");
}

TEST_F(RemoteIdentifiersTest, Resolves) {
  EXPECT_EQ(identifiers_.Resolve(context_, "asset://show/a.usd").value_or(""),
            "asset://show/a.usd");
  const absl::Status missing = identifiers_.Resolve(context_, "asset://show/none.usd").status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_EQ(Message(missing),
            "'asset://show/none.usd': resolver service 'fake:1' answers: no asset "
            "'asset://show/none.usd'")
      << missing;
}

TEST_F(RemoteIdentifiersTest, IdentifiersLeadBackToTheService) {
  for (const char* good : {"asset://x/y", "ASSET://x", "./a.usd"}) {
    EXPECT_TRUE(CreateAnswered(identifiers_, "./a.usd", good).ok()) << good;
  }
  EXPECT_TRUE(CreateAnswered(identifiers_, "lib//a.usd", "lib/a.usd").ok());
  EXPECT_TRUE(CreateAnswered(identifiers_, "/tex/a.png", "/tex/a.png").ok());
  for (const std::string& bad : {std::string("/etc/passwd"), std::string("file:///etc/passwd"),
                                 std::string("http://x/a"), std::string("b.usd")}) {
    const absl::Status status = CreateAnswered(identifiers_, "./a.usd", bad);
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << bad;
    EXPECT_NE(Message(status).find("which does not have the scheme 'asset'; check --resolver"),
              std::string_view::npos)
        << status;
  }
  for (const std::string& bad :
       {std::string(), std::string("asset://a\0b", 11), "asset://" + std::string(20000, 'x')}) {
    const absl::Status status = CreateAnswered(identifiers_, "./a.usd", bad);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << bad;
    EXPECT_NE(Message(status).find("resolver service 'fake:1' returned"), std::string_view::npos)
        << status;
  }
}

TEST_F(RemoteIdentifiersTest, AServiceWithoutASchemeMayUseAny) {
  ResolverServiceOptions options = server_.Connect()->options();
  options.scheme = "";
  const RemoteIdentifiers any(server_.Connect(options));
  for (const char* good : {"/show/a.usd", "asset://x", "b"}) {
    EXPECT_TRUE(CreateAnswered(any, "./a.usd", good).ok()) << good;
  }
}

TEST_F(RemoteIdentifiersTest, ResolvedPathsKeepTheScheme) {
  const std::pair<std::string, StatusCode> kCases[] = {
      {"file:///etc/passwd", StatusCode::kFailedPrecondition},
      {"/etc/passwd", StatusCode::kFailedPrecondition},
      {"a.usd", StatusCode::kFailedPrecondition},
      {"", StatusCode::kUnavailable},
      {std::string("asset://a\0b", 11), StatusCode::kUnavailable}};
  for (const auto& [path, code] : kCases) {
    const std::string bad = path;
    service().spoil_paths = [&](const auto&, FakeService::Paths* answer) {
      answer->mutable_results(0)->set_resolved_path(bad);
    };
    const absl::Status status = identifiers_.Resolve(context_, "asset://show/a.usd").status();
    EXPECT_EQ(status.code(), code) << bad;
    EXPECT_NE(Message(status).find("resolver service 'fake:1' returned"), std::string_view::npos)
        << status;
  }
}

TEST_F(RemoteIdentifiersTest, ResolvedPathsAreFilesOnlyIfThatIsAllowed) {
  ResolverServiceOptions options = server_.Connect()->options();
  options.may_name_files = true;
  const RemoteIdentifiers with_files(server_.Connect(options));
  const auto resolve = [&](const RemoteIdentifiers& identifiers, const std::string& path) {
    service().spoil_paths = [&](const auto&, FakeService::Paths* answer) {
      answer->mutable_results(0)->set_resolved_path(path);
    };
    return identifiers.Resolve(context_, "asset://show/a.usd");
  };
  EXPECT_EQ(resolve(with_files, "/show/v12/a.usd").value_or("error"), "/show/v12/a.usd");
  EXPECT_EQ(resolve(with_files, "/show/../etc/passwd").value_or("error"), "/etc/passwd")
      << "normalized, so that the access scope judges what is opened";
  EXPECT_EQ(resolve(with_files, "asset://show/a.usd").value_or("error"), "asset://show/a.usd");
  for (const char* bad : {"a.usd", "./a.usd", "file:///show/a.usd", "http://h/a.usd"}) {
    EXPECT_EQ(resolve(with_files, bad).status().code(), StatusCode::kFailedPrecondition) << bad;
  }
  EXPECT_EQ(resolve(identifiers_, "/show/v12/a.usd").status().code(),
            StatusCode::kFailedPrecondition);
}

TEST_F(RemoteIdentifiersTest, WrongNumbersOfResultsAreErrors) {
  for (const int count : {0, 2, 1000}) {
    service().spoil_paths = [&](const auto&, FakeService::Paths* answer) {
      answer->clear_results();
      for (int i = 0; i < count; ++i) answer->add_results()->set_resolved_path("asset://a");
    };
    service().spoil_identifiers = [&](const auto&, FakeService::Identifiers* answer) {
      answer->clear_results();
      for (int i = 0; i < count; ++i) answer->add_results()->set_identifier("asset://a");
    };
    EXPECT_EQ(identifiers_.Resolve(context_, "asset://show/a.usd").status().code(),
              StatusCode::kUnavailable);
    EXPECT_EQ(Create("./a.usd"), "error");
  }
}

TEST_F(RemoteIdentifiersTest, ImpossiblePathsAreNotSent) {
  service().before = [](const auto&) {
    ADD_FAILURE() << "called";
    return grpc::Status::OK;
  };
  for (const std::string& bad :
       {std::string("a\0b", 3), std::string(100000, 'x'), std::string("asset://\xff")}) {
    EXPECT_EQ(identifiers_.CreateIdentifier(context_, bad, "").status().code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(identifiers_.CreateIdentifier(context_, "./a", bad).status().code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(identifiers_.Resolve(context_, bad).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(identifiers_.Resolve(context_, "").status().code(), StatusCode::kInvalidArgument);
}

TEST_F(RemoteIdentifiersTest, CancelledRequestsEndWhileTheServiceWaits) {
  RequestContext context;
  service().before = [&](const grpc::ServerContext& call) {
    context.Cancel();
    return FakeService::WaitForCancellation(call);
  };
  EXPECT_EQ(identifiers_.Resolve(context, "asset://show/a.usd").status().code(),
            StatusCode::kCancelled);
}

TEST_F(RemoteIdentifiersTest, AnUnavailableServiceIsAskedAgain) {
  service().FailNextCalls(3);
  EXPECT_TRUE(identifiers_.Resolve(context_, "asset://show/a.usd").ok());
  service().FailNextCalls(3);
  EXPECT_EQ(Create("../a.usd"), "asset://show/a.usd");
}

}  // namespace
}  // namespace stagedoor
