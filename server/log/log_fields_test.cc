#include "server/log/log_fields.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_days;
using namespace std::chrono_literals;

std::string UtcTime(std::chrono::system_clock::time_point time) {
  std::string text(kUtcTimeBytes, 'x');
  WriteUtcTime(time, text.data());
  return text;
}

TEST(LogFieldsTest, PlainWordsAreNotQuoted) {
  const std::vector<LogField> fields = {{"a", "x.Y/z:1@b+c,d#_-"}, {"n", int64_t{-3}}, {"d", 1.25}};
  EXPECT_EQ(FieldsAsText(fields), " a=x.Y/z:1@b+c,d#_- n=-3 d=1.25");
  EXPECT_EQ(FieldsAsText({}), "");
}

TEST(LogFieldsTest, NoTextPassesForAField) {
  const std::vector<LogField> fields = {
      {"a", ""}, {"b", "x status=OK"}, {"c", "q\" e=\"\\"}, {"d", "l\nm\x1b"}, {"e", "\xff"}};
  EXPECT_EQ(
      FieldsAsText(fields),
      " a=\"\" b=\"x status=OK\" c=\"q\\\" e=\\\"\\\\\" d=\"l\\nm\\u001b\" e=\"\xef\xbf\xbd\"");
}

TEST(LogFieldsTest, AJsonLineHasTheFieldsInTheirOrder) {
  const std::vector<LogField> fields = {{"z", "a\n\"b"}, {"n", int64_t{7}}, {"d", 0.5}};
  EXPECT_EQ(FormatJsonLine(sys_days(2026y / 11 / 5) + 1234ms, "info", "x\ty\xff", fields),
            "{\"time\":\"2026-11-05T00:00:01.234Z\",\"level\":\"info\",\"message\":"
            "\"x\\ty\xef\xbf\xbd\",\"z\":\"a\\n\\\"b\",\"n\":7,\"d\":0.5}\n");
}

TEST(LogFieldsTest, TimesAreUtcWithMilliseconds) {
  EXPECT_EQ(UtcTime(sys_days(1970y / 1 / 1)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(UtcTime(sys_days(2024y / 2 / 29) + 23h + 59min + 58s + 7ms),
            "2024-02-29T23:59:58.007Z");
  EXPECT_EQ(UtcTime(sys_days(1970y / 1 / 1) - 1ms), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace stagedoor::server
