#include "resolver/s3/aws_environment.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/http/testing/scripted_server.h"

namespace stagedoor {
namespace {

using Request = ScriptedServer::Request;
using Reply = ScriptedServer::Reply;

constexpr std::string_view kStsAnswer = R"(<AssumeRoleWithWebIdentityResponse
    xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
  <AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/farm/x</Arn></AssumedRoleUser>
  <Credentials><SessionToken>session==</SessionToken><SecretAccessKey>topsecret</SecretAccessKey>
    <Expiration>2126-11-25T12:00:00Z</Expiration><AccessKeyId>ASIA</AccessKeyId></Credentials>
</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>)";

class AwsEnvironmentTest : public testing::Test {
 protected:
  AwsEnvironmentTest() {
    HttpClientOptions options;
    options.retry.wait = [](HttpRetryPolicy::Duration) { return HttpRetryPolicy::Duration(0); };
    client_ = *HttpClient::Create(std::move(options));
  }
  std::string Write(const std::string& name, std::string_view content) {
    const std::string path = Concat(folder_.path(), "/", name);
    std::ofstream(path) << content;
    return path;
  }
  absl::StatusOr<AwsCredentials> Load() {
    auto load = MakeEnvironmentLoader(environment_, "eu-west-1", client_);
    if (!load.ok()) return load.status();
    return (*load)(context_);
  }
  std::string KeyOf() {
    const auto keys = Load();
    return keys.ok() ? keys->access_key_id : std::string(Message(keys.status()));
  }

  const TempDir folder_;
  std::shared_ptr<HttpClient> client_;
  RequestContext context_;
  AwsEnvironment environment_;
};

TEST_F(AwsEnvironmentTest, AssumesTheRoleOfAServiceAccount) {
  std::vector<Request> requests;
  ScriptedServer sts([&](const Request& request) {
    requests.push_back(request);
    return Reply{HttpResponse(200, "", kStsAnswer)};
  });
  environment_.web_identity_token_file = Write("token", "eyJ.a+b/c\n");
  environment_.role_arn = "arn:aws:iam::1:role/farm";
  environment_.sts_endpoint = sts.Url("/");
  const auto keys = Load();
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(keys->access_key_id, "ASIA");
  EXPECT_EQ(keys->secret_access_key, "topsecret");
  EXPECT_EQ(keys->session_token, "session==");
  EXPECT_TRUE(keys->expiration.has_value());
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].target,
            "/?Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
            "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Ffarm&RoleSessionName=stagedoor"
            "&WebIdentityToken=eyJ.a%2Bb%2Fc");
  Write("token", "new");
  environment_.role_session_name = "node-17";
  ASSERT_TRUE(Load().ok());
  EXPECT_TRUE(requests[1].target.ends_with("&RoleSessionName=node-17&WebIdentityToken=new"))
      << "the token is replaced from time to time: " << requests[1].target;
}

TEST_F(AwsEnvironmentTest, AsksPodIdentityWithTheTokenOfTheFile) {
  std::string authorization;
  ScriptedServer agent([&](const Request& request) {
    authorization = request.Header("authorization");
    return Reply{HttpResponse(200, "",
                              R"({"AccessKeyId":"POD","SecretAccessKey":"topsecret","Token":"t",)"
                              R"("AccountId":"1","Expiration":"2126-11-25T12:00:00Z"})")};
  });
  environment_.container_full_uri = agent.Url("/v1/credentials");
  environment_.container_token = "from-the-variable";
  EXPECT_EQ(KeyOf(), "POD");
  EXPECT_EQ(authorization, "from-the-variable");
  environment_.container_token_file = Write("pod", "one\n");
  EXPECT_EQ(KeyOf(), "POD");
  EXPECT_EQ(authorization, "one");
  Write("pod", "two\n");
  EXPECT_EQ(KeyOf(), "POD");
  EXPECT_EQ(authorization, "two");
}

TEST_F(AwsEnvironmentTest, TheOrderIsThatOfBoto) {
  ScriptedServer sts([](const Request&) { return Reply{HttpResponse(200, "", kStsAnswer)}; });
  ScriptedServer agent([](const Request&) {
    return Reply{HttpResponse(200, "", R"({"AccessKeyId":"POD","SecretAccessKey":"s"})")};
  });
  EXPECT_EQ(KeyOf(), "") << "anonymous";
  environment_.container_full_uri = agent.Url("/");
  EXPECT_EQ(KeyOf(), "POD");
  environment_.credentials_file =
      Write("shared",
            "[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n"
            "[farm]\naws_access_key_id=FARM\naws_secret_access_key=s\n");
  EXPECT_EQ(KeyOf(), "FILE");
  environment_.profile = "farm";
  EXPECT_EQ(KeyOf(), "FARM");
  environment_.web_identity_token_file = Write("token", "t");
  environment_.role_arn = "arn";
  environment_.sts_endpoint = sts.Url("/");
  EXPECT_EQ(KeyOf(), "ASIA");
  environment_.keys = {"KEY", "s", "", {}};
  EXPECT_EQ(KeyOf(), "KEY");
}

TEST_F(AwsEnvironmentTest, FailuresNameTheSourceAndNoSecret) {
  ScriptedServer sts([](const Request&) {
    return Reply{HttpResponse(400, "",
                              "<ErrorResponse><Error><Code>ExpiredTokenException</Code>"
                              "<Message>topsecret</Message></Error></ErrorResponse>")};
  });
  environment_.web_identity_token_file = Write("token", "topsecret");
  environment_.role_arn = "arn";
  environment_.sts_endpoint = sts.Url("/");
  const absl::Status denied = Load().status();
  EXPECT_EQ(denied.code(), absl::StatusCode::kPermissionDenied);
  for (const char* part : {"AWS_WEB_IDENTITY_TOKEN_FILE", "ExpiredTokenException", "127.0.0.1"}) {
    EXPECT_NE(Message(denied).find(part), std::string_view::npos) << denied;
  }
  EXPECT_EQ(Message(denied).find("topsecret"), std::string_view::npos) << denied;
  for (const char* bad : {"", "\n", "a b\n", "a\x01"}) {
    Write("token", bad);
    EXPECT_NE(KeyOf().find("/token': its first line is "), std::string::npos) << KeyOf();
  }
  environment_.web_identity_token_file = "/nowhere/token";
  EXPECT_NE(KeyOf().find("cannot read the token file '/nowhere/token'"), std::string::npos)
      << KeyOf();
}

TEST_F(AwsEnvironmentTest, WrongVariablesAreNamed) {
  const auto message = [](const AwsEnvironment& environment) {
    const auto load = MakeEnvironmentLoader(environment, "eu-west-1", nullptr);
    EXPECT_EQ(load.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(Message(load.status()));
  };
  EXPECT_NE(message({.keys = {"A", "", "", {}}}).find("AWS_SECRET_ACCESS_KEY"), std::string::npos);
  EXPECT_NE(message({.web_identity_token_file = "/t"}).find("AWS_ROLE_ARN"), std::string::npos);
  EXPECT_NE(message({.web_identity_token_file = "/t", .role_arn = "r", .sts_endpoint = "s3://b/"})
                .find("AWS_ENDPOINT_URL_STS"),
            std::string::npos);
  EXPECT_NE(message({.container_full_uri = "http://evil.com/"}).find("https://"),
            std::string::npos);
  EXPECT_NE(message({.container_full_uri = "http://127.0.0.1/", .container_token = "a\nb"})
                .find("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
            std::string::npos);
  for (const char* good : {"https://host/c", "http://169.254.170.23/v1/credentials",
                           "http://[fd00:ec2::23]/v1/credentials", "http://localhost:1/"}) {
    EXPECT_TRUE(MakeEnvironmentLoader({.container_full_uri = good}, "eu-west-1", nullptr).ok())
        << good;
  }
  EXPECT_TRUE(
      MakeEnvironmentLoader({.container_relative_uri = "/v2/credentials/x"}, "eu-west-1", nullptr)
          .ok());
}

TEST_F(AwsEnvironmentTest, IsReadFromTheVariables) {
  ::setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "/token", 1);
  ::setenv("AWS_ROLE_ARN", "arn", 1);
  ::setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/pod", 1);
  const AwsEnvironment found = AwsEnvironment::Read();
  EXPECT_EQ(found.web_identity_token_file, "/token");
  EXPECT_EQ(found.role_arn, "arn");
  EXPECT_EQ(found.container_token_file, "/pod");
}

}  // namespace
}  // namespace stagedoor
