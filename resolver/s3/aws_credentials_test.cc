#include "resolver/s3/aws_credentials.h"

#include <string>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(AwsCredentialsTest, ParsesFiles) {
  constexpr std::string_view kText =
      "# comment = x\r\n[default]\r\naws_access_key_id = A\r\naws_secret_access_key=s=/+\r\n"
      "[profile other]\naws_access_key_id=B\naws_secret_access_key = t\naws_session_token= u\n"
      "region = x\n[third]\naws_access_key_id=C";
  const auto keys = ParseCredentialsFile(kText, "default");
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(keys->access_key_id, "A");
  EXPECT_EQ(keys->secret_access_key, "s=/+");
  EXPECT_EQ(keys->session_token, "");
  EXPECT_EQ(ParseCredentialsFile(kText, "other")->session_token, "u");
  EXPECT_EQ(ParseCredentialsFile(kText, "third").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseCredentialsFile(kText, "fourth").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ParseCredentialsFile("", "default").status().code(), absl::StatusCode::kNotFound);
}

TEST(AwsCredentialsTest, SkipsWhatIsNotASettingOfTheProfile) {
  constexpr std::string_view kText =
      "aws_access_key_id = none\n[ ]\n[open\n   \n; comment\n[profile  p ]\n# x\nno equals\n"
      "aws_access_key_id = A\naws_secret_access_key = s\n[profile\naws_access_key_id = other\n";
  const auto keys = ParseCredentialsFile(kText, "p");
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(keys->access_key_id, "A");
  EXPECT_EQ(keys->secret_access_key, "s");
}

TEST(AwsCredentialsTest, KeysThatCannotBeSentAreRejected) {
  const auto check = [](std::string id, std::string secret, std::string token) {
    return CheckKeys({std::move(id), std::move(secret), std::move(token), {}}).ok();
  };
  EXPECT_TRUE(check("A", "s", ""));
  EXPECT_TRUE(check("A", "s", std::string(8192, 't')));
  EXPECT_FALSE(check("A", "s", std::string(8193, 't')));
  EXPECT_FALSE(check("A", "", ""));
  EXPECT_FALSE(check("", "s", ""));
  for (const char* key : {"a b", "a\n", "\x7f", "\xc3\xa9"}) {
    EXPECT_FALSE(check(key, "s", "")) << key;
    EXPECT_FALSE(check("A", key, "")) << key;
    EXPECT_FALSE(check("A", "s", key)) << key;
  }
}

TEST(AwsCredentialsTest, ParsesAnswersOfEndpoints) {
  const auto keys = ParseCredentialsJson(
      R"({"Code":"Success","AccessKeyId":"A","SecretAccessKey":"s","Token":"t","N":1,)"
      R"("Expiration":"2026-11-25T12:30:15Z"})");
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(keys->access_key_id, "A");
  EXPECT_EQ(keys->secret_access_key, "s");
  EXPECT_EQ(keys->session_token, "t");
  EXPECT_EQ(keys->expiration->time_since_epoch().count(), 1795609815);
  for (const std::string_view text :
       {"", "[]", "\"secret\"", "{}", R"({"AccessKeyId":"A"})",
        R"({"AccessKeyId":"A","SecretAccessKey":"secret","X":{}})",
        R"({"AccessKeyId":"A","SecretAccessKey":"secret","X":[]})",
        R"({"AccessKeyId":"A","SecretAccessKey":"secret)",
        R"({"AccessKeyId":"A\r\nX: y","SecretAccessKey":"secret"})",
        R"({"AccessKeyId":"A","SecretAccessKey":"secret","Expiration":"soon"})"}) {
    const auto wrong = ParseCredentialsJson(text);
    EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(Message(wrong.status()).find("\"secret"), std::string::npos) << wrong.status();
  }
}

TEST(AwsCredentialsTest, ParsesTimes) {
  EXPECT_EQ(ParseIsoTime("1970-01-02T00:00:01Z")->time_since_epoch().count(), 86401);
  EXPECT_EQ(ParseIsoTime("1970-01-02T00:00:01.500Z")->time_since_epoch().count(), 86401);
  for (const std::string_view text :
       {"", "1970-01-02", "1970-01-02T00:00:01", "1970-13-02T00:00:01Z", "1970-02-30T00:00:01Z",
        "1970-01-02T24:00:01Z", "1970-01-02T00:00:01+01Z", "1970-01-02T00:00:01.Z",
        "1970-01-02 00:00:01Z", "1970-01--2T00:00:01Z", "1970-01-xxT00:00:01Z",
        "-970-01-02T00:00:01Z", "1970-01-02T00:60:01Z", "1970-01-02T00:00:61Z",
        "1970-01-02T00:00:01.5x0Z"}) {
    EXPECT_FALSE(ParseIsoTime(text).has_value()) << text;
  }
  EXPECT_TRUE(ParseIsoTime("1970-01-02T23:59:60Z").has_value()) << "a leap second";
  const std::string good = "1970-01-02T00:00:01Z";
  for (size_t i = 0; i < good.size(); ++i) {
    std::string text = good;
    text[i] = '?';
    EXPECT_FALSE(ParseIsoTime(text).has_value()) << text;
  }
}

TEST(AwsCredentialsTest, FindsErrorCodes) {
  EXPECT_EQ(S3ErrorCode("<?xml?><Error><Code>NoSuchKey</Code><Message>x</Message></Error>"),
            "NoSuchKey");
  for (const std::string_view text :
       {"", "<Code>NoSuchKey</Code>", "<Error><Code>No Such</Code>", "<Error><Code>NoSuchKey",
        "<Error><Code></Code>", "<Error><Code><Code>x</Code></Code>"}) {
    EXPECT_EQ(S3ErrorCode(text), text == "<Error><Code>NoSuchKey" ? "NoSuchKey" : "") << text;
  }
  EXPECT_EQ(S3ErrorCode("<Error><Code>" + std::string(65, 'x') + "</Code>"), "");
}

}  // namespace
}  // namespace stagedoor
