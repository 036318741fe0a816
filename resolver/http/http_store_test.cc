#include "resolver/http/http_store.h"

#include <string>
#include <vector>

#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/http/http_object_store.h"
#include "resolver/http/object_exchange.h"
#include "resolver/http/testing/served_store.h"

namespace stagedoor {
namespace {

using Request = ScriptedServer::Request;
using Reply = ScriptedServer::Reply;

constexpr std::string_view kContent = "0123456789abcdef";

// A server of one object with an ETag.
ScriptedServer::Script Serving(std::string content, std::string etag = "\"v1\"") {
  return [content = std::move(content), etag = std::move(etag)](const Request& request) {
    return ServeObject(request, content, etag);
  };
}

// A server that does not support ranges and conditions.
ScriptedServer::Script Plain(std::string content, std::string header_lines) {
  return [content = std::move(content), lines = std::move(header_lines)](const Request& request) {
    Reply reply{HttpResponse(200, lines, content)};
    if (request.method == "HEAD") reply.bytes.resize(reply.bytes.size() - content.size());
    return reply;
  };
}

TEST(HttpStoreTest, OpensWithOneRequest) {
  ServedStore served(Serving(std::string(kContent)));
  const auto opened = served.Open("a.usd");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->head, "0123");
  EXPECT_EQ(opened->info.size, 16);
  EXPECT_EQ(opened->info.handle, "E\"v1\"");
  EXPECT_EQ(opened->info.version.token().size(), 34);
  ASSERT_EQ(served.server().requests().size(), 1);
  const Request request = served.server().requests()[0];
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.Header("range"), "bytes=0-3");
  EXPECT_EQ(request.Header("accept-encoding"), "identity");
  EXPECT_EQ(request.headers.count("traceparent"), 0u);
}

TEST(HttpStoreTest, PassesOnTheTrace) {
  class Traced final : public RequestNotes {
    std::string TraceParent() override { return "00-trace-span-01"; }
  };
  ServedStore served(Serving(std::string(kContent)));
  Traced notes;
  const RequestScope::Guard guard(RequestScope::Current().WithNotes(&notes));
  ASSERT_TRUE(served.Open("a.usd").ok());
  EXPECT_EQ(served.server().requests()[0].Header("traceparent"), "00-trace-span-01");
}

TEST(HttpStoreTest, OpensObjectsSmallerThanTheHead) {
  ServedStore served(Serving("ab"));
  EXPECT_EQ(served.Open("a.usd", 1000)->head, "ab");
}

TEST(HttpStoreTest, OpensEmptyObjects) {
  ServedStore served(Serving(""));
  const auto opened = served.Open("a.usd");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->info.size, 0);
  EXPECT_EQ(opened->head, "");
  EXPECT_FALSE(opened->info.version == AssetVersion());
}

TEST(HttpStoreTest, OpensWithoutTheHead) {
  ServedStore served(Serving(std::string(kContent)));
  const auto opened = served.Open("a.usd", 0);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->info.size, 16);
  EXPECT_EQ(served.server().requests()[0].method, "HEAD");
}

TEST(HttpStoreTest, EncodesPaths) {
  ServedStore served(Serving("x"));
  EXPECT_TRUE(served.Open("a b/\xc3\xa9%20%7e.usd?v=1 2").ok());
  EXPECT_EQ(served.server().requests()[0].target, "/show/a%20b/%C3%A9%20~.usd?v=1%202");
}

TEST(HttpStoreTest, RevalidatesWithTheEntityTag) {
  ServedStore served(Serving(std::string(kContent)));
  const ObjectInfo known = served.Open("a.usd")->info;
  const auto again = served.Open("a.usd", 4, &known);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->head, "");
  EXPECT_EQ(again->info.version, known.version);
  EXPECT_EQ(served.server().requests()[1].Header("if-none-match"), "\"v1\"");
  EXPECT_EQ(served.server().requests()[1].connection, 0) << "the connection is kept";
}

TEST(HttpStoreTest, RevalidatesWithTheDate) {
  const std::string date = "Sun, 06 Nov 1994 08:49:37 GMT";
  ServedStore served([&](const Request& request) {
    if (request.Header("if-modified-since") == date) return Reply{"HTTP/1.1 304 X\r\n\r\n"};
    return Reply{HttpResponse(200, Concat("Last-Modified: ", date, "\r\n"), kContent)};
  });
  const ObjectInfo known = served.Open("a.usd")->info;
  EXPECT_EQ(known.handle, "M" + date);
  EXPECT_EQ(served.Open("a.usd", 4, &known)->info.version, known.version);
  EXPECT_EQ(served.server().requests().size(), 2);
}

TEST(HttpStoreTest, ASameVersionIsUnchangedWithoutConditions) {
  ServedStore served(Plain(std::string(kContent), "ETag: \"v1\"\r\n"));
  const ObjectInfo known = served.Open("a.usd")->info;
  const auto again = served.Open("a.usd", 4, &known);
  EXPECT_EQ(again->head, "");
  EXPECT_EQ(again->info.version, known.version);
}

TEST(HttpStoreTest, FindsNewVersions) {
  int version = 0;
  ServedStore served([&](const Request& request) {
    return ServeObject(request, kContent, Concat("\"v", ++version, "\""));
  });
  const ObjectInfo known = served.Open("a.usd")->info;
  const auto again = served.Open("a.usd", 4, &known);
  EXPECT_EQ(again->head, "0123");
  EXPECT_FALSE(again->info.version == known.version);
}

TEST(HttpStoreTest, VersionsDependOnWhatTheServerSays) {
  const auto version = [](std::string lines, std::string content = "abc") {
    ServedStore served(Plain(std::move(content), std::move(lines)));
    const auto opened = served.Open("a.usd");
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened->info.version.token();
  };
  const std::string date = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
  const std::string later = "Last-Modified: Sun, 06 Nov 1994 08:49:38 GMT\r\n";
  EXPECT_EQ(version("ETag: \"a\"\r\n" + date), version("ETag: \"a\"\r\n" + later));
  EXPECT_NE(version("ETag: \"a\"\r\n"), version("ETag: \"b\"\r\n"));
  EXPECT_NE(version("ETag: \"a\"\r\n"), version("ETag: \"a\"\r\n", "abcd"));
  EXPECT_NE(version("ETag: W/\"a\"\r\n" + date), version("ETag: W/\"a\"\r\n" + later));
  EXPECT_NE(version("ETag: \"a\"\r\n"), version("ETag: W/\"a\"\r\n"));
  EXPECT_NE(version(date), version(later));
  EXPECT_EQ(version("ETag: \"a\"\r\nETag: \"b\"\r\n" + date), version(date));
  EXPECT_EQ(version(""), version("ETag: invalid\r\n"));
  EXPECT_NE(version(""), version("", "abd"));
  const std::string long_tag = "ETag: \"" + std::string(600, 'x') + "\"\r\n";
  EXPECT_EQ(version(long_tag).size(), 34);
}

TEST(HttpStoreTest, FetchesRangesInParallel) {
  std::string content(static_cast<size_t>(5) << 20, 'x');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>('a' + i * 7 % 26);
  ServedStore served(Serving(content));
  const ObjectInfo info = served.Open("a.usd")->info;
  std::vector<uint64_t> next = {10, 1 << 20};
  const std::vector<ByteRange> ranges = {{10, 100}, {1 << 20, 4 << 20}};
  RequestContext context;
  std::string got(content.size(), '.');
  const absl::Status status =
      served.store().Fetch(context, served.Path("a.usd"), info, ranges,
                           [&](uint64_t offset, std::span<const std::byte> bytes) {
                             uint64_t& expected = next[offset < 1 << 20 ? 0 : 1];
                             EXPECT_EQ(offset, expected) << "the bytes of a range come in order";
                             expected = offset + bytes.size();
                             got.replace(offset, bytes.size(),
                                         reinterpret_cast<const char*>(bytes.data()), bytes.size());
                             return absl::OkStatus();
                           });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(next, (std::vector<uint64_t>{110, 5 << 20}));
  for (const ByteRange& range : ranges) {
    EXPECT_EQ(got.compare(range.offset, range.size, content, range.offset, range.size), 0);
  }
  const auto requests = served.server().requests();
  EXPECT_EQ(requests.size(), 1 + 1 + 2);
  EXPECT_EQ(requests[1].Header("if-match"), "\"v1\"");
}

TEST(HttpStoreTest, MergesTouchingRanges) {
  ServedStore served(Serving(std::string(kContent)));
  const ObjectInfo info = served.Open("a.usd")->info;
  std::string got;
  EXPECT_TRUE(served.Fetch("a.usd", info, {{2, 2}, {4, 3}, {9, 1}}, &got).ok());
  EXPECT_EQ(got, "..23456..9......");
  EXPECT_EQ(served.server().requests().size(), 3);
}

TEST(HttpStoreTest, RejectsRangesOutsideTheObject) {
  ServedStore served(Serving(std::string(kContent)));
  const ObjectInfo info = served.Open("a.usd")->info;
  std::string got;
  for (const ByteRange range : {ByteRange{16, 1}, {0, 0}, {0, 17}, {~uint64_t{0}, 2}}) {
    EXPECT_EQ(served.Fetch("a.usd", info, {range}, &got).code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(HttpStoreTest, FetchesFromServersWithoutRanges) {
  ServedStore served(Plain(std::string(kContent), "ETag: \"v1\"\r\n"));
  const ObjectInfo info = served.Open("a.usd")->info;
  std::string got;
  const absl::Status status = served.Fetch("a.usd", info, {{8, 2}, {1, 2}, {12, 1}}, &got);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(got, ".12.....89..c...");
}

TEST(HttpStoreTest, RemembersServersWithoutRanges) {
  ServedStore served(Plain(std::string(kContent), "ETag: \"v1\"\r\n"));
  const ObjectInfo info = served.Open("a.usd")->info;
  std::string got;
  ASSERT_TRUE(served.Fetch("a.usd", info, {{8, 2}}, &got).ok());
  ASSERT_EQ(served.server().requests().size(), 3) << "with a range, and without";
  ASSERT_TRUE(served.Fetch("a.usd", info, {{8, 2}, {1, 2}}, &got).ok());
  EXPECT_EQ(got, ".12.....89......");
  EXPECT_EQ(served.server().requests().size(), 4);
}

TEST(HttpStoreTest, ReadsObjectsWithoutValidatorsWhole) {
  std::string content(kContent);
  ServedStore served([&](const Request& request) { return ServeObject(request, content, ""); });
  const auto opened = served.Open("a.usd");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->head, "0123");
  EXPECT_EQ(opened->info.size, 16);
  EXPECT_EQ(opened->info.handle, "");
  // The content was kept, so that the fetch agrees with it whatever the server has now.
  content = "0123456789ABCDEF";
  std::string got;
  const size_t before = served.server().requests().size();
  EXPECT_TRUE(served.Fetch("a.usd", opened->info, {{10, 3}}, &got).ok());
  EXPECT_EQ(got, "..........abc...");
  EXPECT_EQ(served.server().requests().size(), before);
  // Once it is forgotten, the change behind the head is noticed.
  for (const char* other : {"b", "c", "d", "e"}) EXPECT_TRUE(served.Open(other).ok());
  got.clear();
  EXPECT_EQ(served.Fetch("a.usd", opened->info, {{10, 3}}, &got).code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(got, "................");
  content = kContent;
  EXPECT_TRUE(served.Fetch("a.usd", opened->info, {{10, 3}}, &got).ok());
  EXPECT_EQ(got, "..........abc...");
}

TEST(HttpStoreTest, BoundsObjectsWithoutValidators) {
  ServedStore served(Plain(std::string(kMaxWholeBytes + 1, 'x'), ""));
  EXPECT_EQ(served.Open("a.usd").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(HttpStoreTest, OnlyContentThatIsItsOwnVersionIsBounded) {
  ServedStore served(Plain(std::string(kMaxWholeBytes + 1, 'x'), "ETag: \"v1\"\r\n"));
  const ObjectInfo large = served.Open("a.usd")->info;
  std::string got;
  EXPECT_TRUE(served.Fetch("a.usd", large, {{1, 2}}, &got).ok()) << "from a server without ranges";
  EXPECT_EQ(got.substr(0, 4), ".xx.");
  ServedStore small(Plain("x", ""));
  ObjectInfo info = small.Open("a.usd")->info;
  info.size = kMaxWholeBytes + 1;
  info.version = info.version.OfPart("other");  // which is not held
  EXPECT_EQ(small.Fetch("a.usd", info, {{1, 2}}, &got).code(), absl::StatusCode::kInvalidArgument);
}

TEST(HttpStoreTest, DropsTrailers) {
  ServedStore served([](const Request&) {
    return Reply{
        "HTTP/1.1 200 X\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n"
        "6\r\nabcdef\r\n0\r\nETag: \"b\"\r\n\r\n"};
  });
  const auto opened = served.Open("a.usd", 100);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->head, "abcdef");
  EXPECT_EQ(opened->info.handle, "E\"a\"");
}

TEST(HttpStoreTest, ReadsResponsesWithoutLength) {
  ServedStore served([](const Request&) {
    return Reply{"HTTP/1.1 200 X\r\nETag: \"a\"\r\nConnection: close\r\n\r\nabcdef",
                 ScriptedServer::Then::kClose};
  });
  const auto opened = served.Open("a.usd");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->info.size, 6);
  EXPECT_EQ(opened->head, "abcd");
}

TEST(HttpStoreTest, GetsManyInfosInOrder) {
  ServedStore served([](const Request& request) {
    if (request.target.ends_with("missing")) return Reply{HttpResponse(404, "", "no")};
    return ServeObject(request, request.target, "\"" + request.target + "\"");
  });
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i)
    paths.push_back(served.Path(std::string(static_cast<size_t>(i), 'x')));
  paths.push_back(served.Path("missing"));
  paths.push_back("http://elsewhere/a");
  RequestContext context;
  const auto infos = served.store().GetInfo(context, paths);
  ASSERT_EQ(infos.size(), 42);
  for (size_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(infos[i].ok()) << infos[i].status();
    EXPECT_EQ(infos[i]->size, std::string("/show/").size() + i);
  }
  EXPECT_EQ(infos[40].status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(infos[41].status().code(), absl::StatusCode::kPermissionDenied);
  int connections = 0;
  for (const Request& request : served.server().requests()) {
    connections = std::max(connections, request.connection + 1);
  }
  EXPECT_LE(connections, static_cast<int>(HttpObjectStore::kParallelInspections) + 1);
}

TEST(HttpStoreTest, FallsBackWhenHeadIsRefused) {
  for (const int status : {400, 403, 405, 501}) {
    ServedStore served([status](const Request& request) {
      if (request.method == "HEAD") {
        return Reply{Concat("HTTP/1.1 ", status, " X\r\nContent-Length: 0\r\n\r\n")};
      }
      return ServeObject(request, kContent, "\"v1\"");
    });
    const auto opened = served.Open("a.usd", 0);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ(opened->info.size, 16);
    EXPECT_EQ(served.server().requests()[1].Header("range"), "bytes=0-0");
  }
}

TEST(HttpStoreTest, MapsStatusCodes) {
  const std::pair<int, absl::StatusCode> kCodes[] = {
      {404, absl::StatusCode::kNotFound},         {410, absl::StatusCode::kNotFound},
      {401, absl::StatusCode::kPermissionDenied}, {403, absl::StatusCode::kPermissionDenied},
      {400, absl::StatusCode::kInvalidArgument},  {429, absl::StatusCode::kUnavailable},
      {500, absl::StatusCode::kUnavailable},      {503, absl::StatusCode::kUnavailable},
      {204, absl::StatusCode::kUnavailable},      {300, absl::StatusCode::kUnavailable},
  };
  for (const auto& [status, code] : kCodes) {
    ServedStore served([status = status](const Request&) {
      return Reply{status == 204 ? "HTTP/1.1 204 X\r\n\r\n" : HttpResponse(status, "", "why")};
    });
    const auto opened = served.Open("a.usd?signature=secret");
    EXPECT_EQ(opened.status().code(), code) << status;
    EXPECT_NE(Message(opened.status()).find("/show/a.usd'"), std::string::npos);
    EXPECT_EQ(Message(opened.status()).find("secret"), std::string::npos);
    EXPECT_EQ(served.server().requests().size(), code == absl::StatusCode::kUnavailable ? 4 : 1);
  }
}

TEST(HttpStoreTest, AnErrorOfTheSinkEndsTheFetch) {
  ServedStore served(Serving(std::string(kContent)));
  const ObjectInfo info = served.Open("a.usd")->info;
  RequestContext context;
  const ByteRange range{0, 8};
  const absl::Status status = served.store().Fetch(
      context, served.Path("a.usd"), info, {&range, 1},
      [](uint64_t, std::span<const std::byte>) { return UnavailableError("the disk is full"); });
  EXPECT_EQ(Message(status), "the disk is full");
  EXPECT_EQ(served.server().requests().size(), 2) << "is not retried";
}

}  // namespace
}  // namespace stagedoor
