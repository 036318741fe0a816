#include "resolver/access/url.h"

#include <string>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

std::string Normalized(std::string_view text) {
  const auto url = ParseUrl(text);
  return url.ok() ? url->Text() : std::string(absl::StatusCodeToString(url.status().code()));
}

TEST(UrlTest, Normalizes) {
  const struct {
    std::string_view text, expected;
  } kCases[] = {
      {"https://host/a.usd", "https://host/a.usd"},
      {"HTTPS://HOST.Example./A.usd", "https://host.example/A.usd"},
      {"https://host:443/a", "https://host/a"},
      {"http://host:80", "http://host/"},
      {"http://host:443/", "http://host:443/"},
      {"http://host:/a", "http://host/a"},
      {"https://host/a/./b/../c", "https://host/a/c"},
      {"https://host/../../a", "https://host/a"},
      {"https://host/a/%2e%2E/b", "https://host/b"},
      {"https://host/a/.%2e", "https://host/"},
      {"https://host/a//b/", "https://host/a//b/"},
      {"https://host/%41%7e%2f%3a", "https://host/A~%2F%3A"},
      {"https://host/%30%39%5A%61%7A", "https://host/09Zaz"},
      {"https://host/%40%5b%60%7b", "https://host/%40%5B%60%7B"},
      {"https://host/a b\xc3\xa9\\c", "https://host/a%20b%C3%A9%5Cc"},
      {"https://host/100%", "https://host/100%25"},
      {"https://host/%4g%G4%zz", "https://host/%254g%25G4%25zz"},
      {"https://host/a%20b", "https://host/a%20b"},
      {"https://host/a[1]", "https://host/a%5B1%5D"},
      {"https://host/a?x=%41 b/../c", "https://host/a?x=A%20b/../c"},
      {"http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"},
      {"http://[0:0::1]:8080/a", "http://[::1]:8080/a"},
      {"http://[::ffff:127.0.0.1]/a", "http://127.0.0.1/a"},
      {"s3://Bucket/a b%20c?d#e/f/../g", "s3://Bucket/a b%20c?d#e/g"},
      {"s3://bucket/a/../b", "s3://bucket/b"},
      {"s3://bucket", "s3://bucket/"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Normalized(c.text), c.expected) << c.text;
}

TEST(UrlTest, RejectsWhatCanBeReadInTwoWays) {
  for (const std::string_view text : {
           "",
           "/a",
           "ftp://host/a",
           "file:///etc/passwd",
           "http:/host/a",
           "http://",
           "http:///a",
           "http://user@host/a",
           "http://user:secret@host/a",
           "http://good\\@evil/a",
           "http://good\\.evil/a",
           "http://ho st/a",
           "http://h%6fst/a",
           "http://b\xc3\xbc\x63her/a",
           "http://host../a",
           "http://.host/a",
           "http://host:0/a",
           "http://host:65536/a",
           "http://host:8o/a",
           "http://127.1/a",
           "http://2130706433/",
           "http://0x7f.0.0.1/",
           "http://0x7f000001/",
           "http://0177.0.0.1/",
           "http://127.0.0.0x1/",
           "http://[::1/a",
           "http://[::1]x/a",
           "http://[127.0.0.1]/a",
           "http://[fe80::1%25eth0]/a",
           "http://::1/a",
           "http://host/a#b",
           "http://host/a\nb",
           "http://host/a%00b",
           "http://host/a/..%2fb",
           "http://host/a/%2e%2e%5cb",
           "http://host/a/..\\b",
           "http://host/a/%252e%252e%252fb",
           "http://host/a/..;x/b",
           "s3:///a",
           "s3://bu cket/a",
           "s3://..",
           "s3://.bucket/a",
           "s3://bucket./a",
           "s3://user@bucket/a",
       }) {
    EXPECT_EQ(Normalized(text), "INVALID_ARGUMENT") << text;
  }
  EXPECT_EQ(Normalized("http://host/" + std::string(kMaxUrlBytes, 'a')), "INVALID_ARGUMENT");
  const std::string bucket(255, 'b');
  EXPECT_EQ(Normalized("s3://" + bucket + "/a"), "s3://" + bucket + "/a");
  EXPECT_EQ(Normalized("s3://" + bucket + "b/a"), "INVALID_ARGUMENT");
}

TEST(UrlTest, MessagesHaveNoSecrets) {
  for (const std::string_view text :
       {"http://user:secret@host/a", "http://host:1x/a?secret", "http://user:pa/secret@host/",
        "user:secret@host/a", "http://host/a\n?secret", "gopher://user:secret@host/x",
        "s3://user:secret@bucket/x", "http://user:s@secret@host/", "//user:x@host/?secret"}) {
    const auto url = ParseUrl(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(Message(url.status()).find("secret"), std::string::npos) << url.status();
  }
  EXPECT_EQ(ParseUrl("http://host/a?secret")->Display(), "http://host/a");
}

TEST(UrlTest, ResolvesReferences) {
  const auto base = ParseUrl("https://host:8443/a/b.usd?q");
  const struct {
    std::string_view text, expected;
  } kCases[] = {
      {"c.usd", "https://host:8443/a/c.usd"},
      {"../c:d.usd#f", "https://host:8443/c:d.usd"},
      {"/c", "https://host:8443/c"},
      {"?x", "https://host:8443/a/b.usd?x"},
      {"", "https://host:8443/a/b.usd?q"},
      {"//other/c", "https://other/c"},
      {"http://other/c?x#y", "http://other/c?x"},
  };
  for (const auto& c : kCases) {
    const auto url = ParseUrlReference(*base, c.text);
    ASSERT_TRUE(url.ok()) << url.status();
    EXPECT_EQ(url->Text(), c.expected) << c.text;
  }
  EXPECT_FALSE(ParseUrlReference(*base, "file:///etc/passwd").ok());
  EXPECT_FALSE(ParseUrlReference(*base, "//u@other/c").ok());
  EXPECT_FALSE(ParseUrlReference(*base, "javascript:x").ok());
}

}  // namespace
}  // namespace stagedoor
