#include "server/http_frames/frame_query.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"
#include "server/http_frames/frame_answer.h"

namespace stagedoor::server {
namespace {

absl::StatusOr<FrameQuery> Parse(std::string_view query, std::string_view headers = "") {
  const std::string head = Concat("GET /v1/frame?", query, " HTTP/1.1\r\n", headers);
  return ParseFrameQuery(*HttpRequest::Parse(head));
}

std::string Error(std::string_view query) {
  const absl::Status status = Parse(query).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << query;
  return std::string(Message(status));
}

TEST(HttpRequestTest, HasTheTargetAndTheHeaders) {
  const auto request = HttpRequest::Parse(
      "GET /a/b?c=d?e HTTP/1.1\r\nHost: x\r\nIF-None-Match:  \"t\" \r\nHost: y\r\n");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->method(), "GET");
  EXPECT_EQ(request->path(), "/a/b");
  EXPECT_EQ(request->query(), "c=d?e");
  EXPECT_TRUE(request->knows_chunks());
  EXPECT_EQ(request->Header("host"), "x") << "the first one";
  EXPECT_EQ(request->Header("if-none-match"), "\"t\"");
  EXPECT_EQ(request->Header("accept"), "");
  EXPECT_FALSE(HttpRequest::Parse("GET / HTTP/1.0\r\n")->knows_chunks());
  for (const char* bad : {"", "GET\r\n", "GET a HTTP/1.1\r\n", "GET /\r\n", "GET / HTTP/2\r\n"}) {
    EXPECT_FALSE(HttpRequest::Parse(bad).has_value()) << bad;
  }
}

TEST(FrameQueryTest, ReadsAllParameters) {
  const auto query = Parse(
      "root=%2Fshow%2fa%20b.usda&time=12.5&shutter=-0.25:0.5&segments=2&max-samples=8&format=usda"
      "&camera=/C&settings=/S&pass=/P&include=/A&include=/B&exclude=/A/x&exclude=/A/y&type=Mesh"
      "&type=Cube&purposes=render,guide&context=ri&context=gl&material-purpose=full"
      "&material-purpose=preview&primvar=st&primvar=id&flatten-primvars=true"
      "&without-skinning=true&without-invisible=true",
      "Authorization: Bearer t\r\nIf-None-Match: W/\"1\"\r\n");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(query->root, "/show/a b.usda");
  EXPECT_EQ(query->authorization, "Bearer t");
  EXPECT_EQ(query->if_none_match, "W/\"1\"");
  EXPECT_FALSE(query->only_head);
  EXPECT_EQ(
      query->frame.ShortDebugString(),
      "time { numeric: 12.5 } sample_policy { shutter_open: -0.25 shutter_close: 0.5 segments: "
      "2 max_samples: 8 } selection { roots: \"/A\" roots: \"/B\" excluded: \"/A/x\" excluded: "
      "\"/A/y\" types: \"Mesh\" types: \"Cube\" purposes: PURPOSE_RENDER purposes: PURPOSE_GUIDE "
      "render_settings: \"/S\" render_pass: \"/P\" camera: \"/C\" render_contexts: \"ri\" "
      "render_contexts: \"gl\" material_purposes: \"full\" material_purposes: \"preview\" "
      "primvars: \"st\" primvars: \"id\" flatten_primvars: true without_skinning: true "
      "without_invisible: true } format: LAYER_FORMAT_USDA");
}

TEST(FrameQueryTest, TheTimeIsTheDefaultTimeUnlessItIsGiven) {
  EXPECT_TRUE(Parse("root=/a")->frame.time().has_default_time());
  EXPECT_TRUE(Parse("root=/a&time=default")->frame.time().has_default_time());
  EXPECT_FALSE(Parse("root=/a")->frame.has_sample_policy());
}

TEST(FrameQueryTest, NamesWhatIsWrong) {
  EXPECT_EQ(Error("time=1"),
            "the parameter 'root' is missing: pass the identifier of a layer, such as "
            "root=/show/shot.usda");
  EXPECT_EQ(Error("root=/a&tiem=1"), "unknown parameter 'tiem'; did you mean 'time'?");
  EXPECT_EQ(Error("root=/a&colour=1"), "unknown parameter 'colour'");
  EXPECT_EQ(Error("root=/a&time=x"), "the parameter 'time' must be a number or default, not 'x'");
  EXPECT_EQ(Error("root=/a&time=inf"),
            "the parameter 'time' must be a number or default, not 'inf'");
  for (const char* shutter : {"1", "1:", ":1", "a:b", ""}) {
    EXPECT_EQ(Error(Concat("root=/a&shutter=", shutter)),
              Concat("the parameter 'shutter' must be OPEN:CLOSE, such as -0.25:0.25, not '",
                     shutter, "'"));
  }
  EXPECT_EQ(Error("root=/a&segments=-1"),
            "the parameter 'segments' must be a whole number, not '-1'");
  for (const char* flag : {"flatten-primvars", "without-skinning", "without-invisible"}) {
    EXPECT_EQ(Error(Concat("root=/a&", flag, "=yes")),
              Concat("the parameter '", flag, "' must be true or false, not 'yes'"));
  }
  for (const char* alone : {"segments=2", "max-samples=2"}) {
    EXPECT_EQ(Error(Concat("root=/a&", alone)),
              "the parameters 'segments' and 'max-samples' need 'shutter', such as "
              "shutter=-0.25:0.25");
  }
  EXPECT_EQ(Error("root=/a&time=1&time=2"), "the parameter 'time' is given twice");
  EXPECT_EQ(Error("root=/a&purposes=render&purposes=guide"),
            "the parameter 'purposes' is given twice");
  EXPECT_EQ(Error("root=/a&format=usdz"),
            "the parameter 'format' must be usdc or usda, not 'usdz'");
  EXPECT_EQ(Error("root=/a&purposes=render,"),
            "the parameter 'purposes' must be default, render, proxy or guide, separated by "
            "commas, not 'render,'");
}

TEST(FrameQueryTest, DecodesPercentEncoding) {
  EXPECT_EQ(*DecodedPercents("a%2fb+c"), "a/b+c");
  EXPECT_EQ(*DecodedPercents("%C3%a9"), "\xc3\xa9");
  for (const char* bad : {"%", "%2", "%2g", "%zz", "%00", "a%"}) {
    EXPECT_FALSE(DecodedPercents(bad).ok()) << bad;
  }
}

TEST(FrameQueryTest, TagsAreComparedWeakly) {
  EXPECT_TRUE(MatchesTag("W/\"a\"", "W/\"a\""));
  EXPECT_TRUE(MatchesTag("\"a\"", "W/\"a\""));
  EXPECT_TRUE(MatchesTag("\"b\" , W/\"a\"", "W/\"a\""));
  EXPECT_TRUE(MatchesTag("*", "W/\"a\""));
  EXPECT_FALSE(MatchesTag("", "W/\"a\""));
  EXPECT_FALSE(MatchesTag("W/\"b\"", "W/\"a\""));
  EXPECT_FALSE(MatchesTag("a", "W/\"a\""));
}

TEST(FrameAnswerTest, ChunksHaveTheirSizes) {
  EXPECT_EQ(Chunk("abc"), "3\r\nabc\r\n");
  EXPECT_EQ(Chunk(std::string(300, 'x')).substr(0, 5), "12c\r\n");
  EXPECT_EQ(FrameTag(std::string("\x01\xff", 2)), "W/\"01ff\"");
}

TEST(FrameAnswerTest, ErrorsHaveTheStatusOfTheirCode) {
  const auto first_line = [](grpc::StatusCode code) {
    const std::string answer = ErrorAnswer(grpc::Status(code, "why"));
    EXPECT_TRUE(answer.ends_with("\r\n\r\nwhy\n")) << answer;
    EXPECT_NE(answer.find("\r\nContent-Type: text/plain; charset=utf-8\r\n"), answer.npos);
    return answer.substr(0, answer.find("\r\n"));
  };
  EXPECT_EQ(first_line(grpc::StatusCode::INVALID_ARGUMENT), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(first_line(grpc::StatusCode::UNAUTHENTICATED), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(first_line(grpc::StatusCode::PERMISSION_DENIED), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(first_line(grpc::StatusCode::NOT_FOUND), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(first_line(grpc::StatusCode::RESOURCE_EXHAUSTED), "HTTP/1.1 503 Service Unavailable");
  EXPECT_EQ(first_line(grpc::StatusCode::DEADLINE_EXCEEDED), "HTTP/1.1 504 Gateway Timeout");
  EXPECT_EQ(first_line(grpc::StatusCode::DATA_LOSS), "HTTP/1.1 500 Internal Server Error");
}

}  // namespace
}  // namespace stagedoor::server
