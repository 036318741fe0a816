#include "client/cli/record_printer.h"

#include <algorithm>

#include "base/strings.h"
#include "client/cli/json_writer.h"
#include "client/cli/safe_text.h"

namespace stagedoor {
namespace {

constexpr size_t kRowsForWidths = 1000;

// A field of RFC 4180.
std::string CsvField(const std::string& text) {
  const bool quote = text.find_first_of(",\"\r\n") != std::string::npos ||
                     (!text.empty() && (text.front() == ' ' || text.back() == ' '));
  if (!quote) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

}  // namespace

absl::StatusOr<RecordFormat> RecordFormatOf(const CommandLine& line) {
  const auto format = line.Option("format");
  if (!format.has_value()) return RecordFormat::kText;
  if (*format == "table") return RecordFormat::kTable;
  if (*format == "json") return RecordFormat::kJson;
  if (*format == "csv") return RecordFormat::kCsv;
  return UsageError(Concat("--format must be table, json or csv, not ", Quoted(*format)));
}

bool PrintsJsonReplies(const CommandLine& line) {
  return line.Flag("json") || line.Option("format") == "json";
}

absl::Status CheckReplyFormat(const CommandLine& line) {
  const absl::StatusOr<RecordFormat> format = RecordFormatOf(line);
  if (!format.ok()) return format.status();
  if (*format != RecordFormat::kCsv) return absl::OkStatus();
  return UsageError(Concat(line.command(), " cannot print CSV; use --format table or json"));
}

Cell::Cell(double number) {
  JsonWriter json;
  json.Number(number);
  *this = Json(json.Take());
}

Cell Cell::Json(std::string json) {
  Cell cell(std::move(json));
  cell.kind_ = Kind::kJson;
  return cell;
}

void Cell::WriteJson(JsonWriter& json) const {
  switch (kind_) {
    case Kind::kNone:
      return json.Null();
    case Kind::kText:
      return json.String(text_);
    case Kind::kJson:
      return json.Json(text_);
  }
}

std::string Cell::ShownText() const { return SafeText(text_); }

RecordPrinter::RecordPrinter(RecordFormat format, std::vector<Column> columns, Output& output)
    : format_(format), columns_(std::move(columns)), output_(output), widths_(columns_.size(), 0) {}

RecordPrinter::~RecordPrinter() { PrintWaiting(); }

void RecordPrinter::Add(std::string_view text, const std::vector<Cell>& cells) {
  if (format_ == RecordFormat::kText) return output_.Line(text);
  if (format_ == RecordFormat::kJson) return PrintJson(cells);
  std::vector<std::string> shown;
  shown.reserve(cells.size());
  for (const Cell& cell : cells) shown.push_back(cell.ShownText());
  if (format_ == RecordFormat::kCsv) {
    Begin();
    PrintCsv(shown);
  } else if (begun_) {
    PrintRow(shown);
  } else {
    waiting_.push_back(std::move(shown));
    if (waiting_.size() >= kRowsForWidths) PrintWaiting();
  }
}

void RecordPrinter::Finish() {
  if (!waiting_.empty()) return PrintWaiting();
  if (format_ == RecordFormat::kTable || format_ == RecordFormat::kCsv) Begin();
}

void RecordPrinter::PrintJson(const std::vector<Cell>& cells) {
  JsonWriter json;
  json.BeginObject();
  for (size_t i = 0; i < columns_.size(); ++i) {
    json.Key(columns_[i].name);
    cells[i].WriteJson(json);
  }
  json.EndObject();
  // Control characters that are left belong to C1, whose escapes in JSON are the same.
  output_.Line(SafeText(json.text()));
}

void RecordPrinter::PrintCsv(const std::vector<std::string>& cells) {
  std::string row;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) row += ',';
    row += CsvField(cells[i]);
  }
  output_.Write(row + "\r\n");
}

void RecordPrinter::PrintRow(const std::vector<std::string>& cells) {
  std::string row;
  bool first = true;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!columns_[i].in_table) continue;
    if (!first) row += "  ";
    first = false;
    const size_t width = CountColumns(cells[i]);
    const std::string padding(widths_[i] - std::min(widths_[i], width), ' ');
    row += columns_[i].right ? padding + cells[i] : cells[i] + padding;
  }
  row.erase(row.find_last_not_of(' ') + 1);
  output_.Line(row);
}

void RecordPrinter::Begin() {
  if (begun_) return;
  begun_ = true;
  std::vector<std::string> names;
  for (const Column& column : columns_) names.emplace_back(column.name);
  if (format_ == RecordFormat::kCsv) return PrintCsv(names);
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths_[i] = CountColumns(columns_[i].name);
    for (const auto& row : waiting_) widths_[i] = std::max(widths_[i], CountColumns(row[i]));
  }
  PrintRow(names);
}

void RecordPrinter::PrintWaiting() {
  if (waiting_.empty()) return;
  Begin();
  for (const auto& row : waiting_) PrintRow(row);
  waiting_.clear();
}

}  // namespace stagedoor
