#ifndef STAGEDOOR_CLIENT_CLI_RECORD_PRINTER_H_
#define STAGEDOOR_CLIENT_CLI_RECORD_PRINTER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/command_line.h"
#include "client/cli/output.h"

namespace stagedoor {

// The format that --format selects. kText, the default, is the form of each command for people.
enum class RecordFormat { kText, kTable, kJson, kCsv };

// The value of --format. Any other than table, json and csv is a usage error.
absl::StatusOr<RecordFormat> RecordFormatOf(const CommandLine& line);

// Whether a command that prints whole replies prints them as JSON: by --json or --format json.
bool PrintsJsonReplies(const CommandLine& line);
// A usage error for --format csv with such a command, because replies are not records, and for
// unknown formats.
absl::Status CheckReplyFormat(const CommandLine& line);

// One field of a record: text, a number, a JSON value, or nothing.
class Cell {
 public:
  Cell() = default;  // nothing: null in JSON, else an empty field
  Cell(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}     // NOLINT: implicit
  Cell(std::string_view text) : Cell(std::string(text)) {}                   // NOLINT: implicit
  Cell(const char* text) : Cell(std::string(text)) {}                        // NOLINT: implicit
  Cell(double number);                                                       // NOLINT: implicit
  Cell(bool value) : kind_(Kind::kJson), text_(value ? "true" : "false") {}  // NOLINT: implicit
  template <std::integral T>
  Cell(T number) : kind_(Kind::kJson), text_(std::to_string(number)) {}  // NOLINT: implicit
  // A value that is JSON already.
  static Cell Json(std::string json);
  // The texts as a JSON array.
  template <typename Texts>
  static Cell List(const Texts& texts) {
    JsonWriter json;
    json.BeginArray();
    for (const std::string& text : texts) json.String(text);
    json.EndArray();
    return Json(json.Take());
  }
  // Text, or nothing if it is empty.
  static Cell TextIfAny(std::string_view text) { return text.empty() ? Cell() : Cell(text); }

  void WriteJson(JsonWriter& json) const;
  // On one line and safe for terminals.
  std::string ShownText() const;

 private:
  enum class Kind { kNone, kText, kJson };
  Kind kind_ = Kind::kNone;
  std::string text_;
};

// Prints records of one kind, all with the same columns, as --format demands:
//
// - table: aligned columns below their names. The widths are those of the first 1,000 records, so
//   that memory stays bounded; longer cells of later ones are printed whole;
// - json: one object a line, with a member for each column;
// - csv: RFC 4180, the names of the columns first. Control characters are escaped as in JSON;
// - text: the line that the caller passes.
//
// The destructor prints records that wait. Not thread-safe.
class RecordPrinter {
 public:
  struct Column {
    std::string_view name;  // outlives the printer
    bool right = false;     // numbers of tables are aligned on the right
    bool in_table = true;   // false for details that only programs need
  };
  RecordPrinter(RecordFormat format, std::vector<Column> columns, Output& output);
  ~RecordPrinter();
  RecordPrinter(const RecordPrinter&) = delete;
  RecordPrinter& operator=(const RecordPrinter&) = delete;

  // Whether the records are printed as lines of text, so that their cells do not matter.
  bool is_text() const { return format_ == RecordFormat::kText; }
  // Prints a record: `text` without --format, else the cells, one for each column.
  void Add(std::string_view text, const std::vector<Cell>& cells);
  // The names of the columns, if no record has been printed. Call it once a command has succeeded.
  void Finish();

 private:
  void PrintJson(const std::vector<Cell>& cells);
  void PrintCsv(const std::vector<std::string>& cells);
  void PrintRow(const std::vector<std::string>& cells);
  void Begin();
  void PrintWaiting();

  const RecordFormat format_;
  const std::vector<Column> columns_;
  Output& output_;
  bool begun_ = false;                             // whether the names are printed
  std::vector<std::vector<std::string>> waiting_;  // first rows of a table
  std::vector<size_t> widths_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_RECORD_PRINTER_H_
