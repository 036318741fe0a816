#include "client/cli/record_printer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

// Tests the output of a printer with two columns and a detail.
class RecordPrinterTest : public ::testing::Test {
 protected:
  using Rows = std::vector<std::vector<Cell>>;

  static std::string Printed(RecordFormat format, const Rows& rows, bool finish = true) {
    std::FILE* file = std::tmpfile();
    {
      Output output(::fileno(file));
      RecordPrinter records(
          format, {{"name"}, {"size", true}, {"detail", false, /*in_table=*/false}}, output);
      for (const auto& row : rows) records.Add("text", row);
      if (finish) records.Finish();
    }
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text.push_back(static_cast<char>(c));
    std::fclose(file);
    return text;
  }
};

TEST_F(RecordPrinterTest, TextIsThatOfTheCaller) {
  EXPECT_EQ(Printed(RecordFormat::kText, {{"a", 1, ""}, {"b", 2, ""}}), "text\ntext\n");
  EXPECT_EQ(Printed(RecordFormat::kText, {}), "");
}

TEST_F(RecordPrinterTest, TablesAlignColumnsAndLeaveDetailsOut) {
  EXPECT_EQ(Printed(RecordFormat::kTable, {{"été", 7, "x"}, {"longest", 1234567, "x"}}),
            "name        size\n"
            "été            7\n"
            "longest  1234567\n");
  EXPECT_EQ(Printed(RecordFormat::kTable, {}), "name  size\n");
  EXPECT_EQ(Printed(RecordFormat::kTable, {{"a", Cell(), ""}}), "name  size\na\n");
}

TEST_F(RecordPrinterTest, LaterRowsKeepTheWidthsOfTheFirst) {
  Rows rows(1000, {"a", 1, ""});
  rows.push_back({"longer", 2, ""});
  rows.push_back({"b", 3, ""});
  const std::string text = Printed(RecordFormat::kTable, rows);
  EXPECT_EQ(text.substr(text.size() - 35), "a        1\nlonger     2\nb        3\n");
}

TEST_F(RecordPrinterTest, JsonIsOneObjectALine) {
  EXPECT_EQ(
      Printed(RecordFormat::kJson, {{"a\"\n", 1.5, Cell()}, {"b", Cell::Json("[1,2]"), true}}),
      "{\"name\":\"a\\\"\\u000a\",\"size\":1.5,\"detail\":null}\n"
      "{\"name\":\"b\",\"size\":[1,2],\"detail\":true}\n");
  EXPECT_EQ(Printed(RecordFormat::kJson, {}), "");
}

TEST_F(RecordPrinterTest, CsvQuotesWhatRfc4180Demands) {
  EXPECT_EQ(
      Printed(RecordFormat::kCsv, {{"a,b", 1, "say \"hi\""}, {" c", Cell(), Cell::Json("[1,2]")}}),
      "name,size,detail\r\n"
      "\"a,b\",1,\"say \"\"hi\"\"\"\r\n"
      "\" c\",,\"[1,2]\"\r\n");
  EXPECT_EQ(Printed(RecordFormat::kCsv, {}), "name,size,detail\r\n");
}

TEST_F(RecordPrinterTest, ControlCharactersReachNoTerminal) {
  const Rows hostile = {{"a\x1b[2J\r\n\xc2\x9b", 1, ""}};
  for (const RecordFormat format :
       {RecordFormat::kTable, RecordFormat::kJson, RecordFormat::kCsv}) {
    const std::string text = Printed(format, hostile);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << text;
    EXPECT_NE(text.find("\\u009b"), std::string::npos) << text;
  }
}

TEST_F(RecordPrinterTest, RecordsBeforeAFailureArePrinted) {
  EXPECT_EQ(Printed(RecordFormat::kTable, {{"a", 1, ""}}, /*finish=*/false),
            "name  size\na        1\n");
  EXPECT_EQ(Printed(RecordFormat::kCsv, {}, /*finish=*/false), "");
}

TEST(RecordReplyTest, TheFlagSelectsTheFormat) {
  const auto format = [](const std::vector<std::string>& args) {
    return RecordFormatOf(*CommandLine::Parse(args));
  };
  EXPECT_EQ(*format({"ls", "r"}), RecordFormat::kText);
  EXPECT_EQ(*format({"ls", "r", "--format", "table"}), RecordFormat::kTable);
  EXPECT_EQ(*format({"ls", "r", "--format=json"}), RecordFormat::kJson);
  EXPECT_EQ(*format({"ls", "r", "--format=csv"}), RecordFormat::kCsv);
  const absl::Status other = format({"ls", "r", "--format=xml"}).status();
  EXPECT_TRUE(IsUsageError(other));
  EXPECT_EQ(Message(other), "--format must be table, json or csv, not 'xml'");
}

TEST(RecordReplyTest, RepliesArePrintedAsTextOrJson) {
  const auto line = [](const std::vector<std::string>& args) { return *CommandLine::Parse(args); };
  EXPECT_FALSE(PrintsJsonReplies(line({"top"})));
  EXPECT_FALSE(PrintsJsonReplies(line({"top", "--format=table"})));
  EXPECT_TRUE(PrintsJsonReplies(line({"top", "--format=json"})));
  EXPECT_TRUE(PrintsJsonReplies(line({"top", "--json"})));
  EXPECT_TRUE(CheckReplyFormat(line({"top", "--format=json"})).ok());
  EXPECT_TRUE(IsUsageError(CheckReplyFormat(line({"top", "--format=xml"}))));
  EXPECT_EQ(Message(CheckReplyFormat(line({"top", "--format=csv"}))),
            "top cannot print CSV; use --format table or json");
}

}  // namespace
}  // namespace stagedoor
