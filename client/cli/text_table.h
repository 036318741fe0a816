#ifndef STAGEDOOR_CLIENT_CLI_TEXT_TABLE_H_
#define STAGEDOOR_CLIENT_CLI_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace stagedoor {

// A table for people, whose columns are as wide as their longest cell. Cells must be safe to print
// (SafeText). Not thread-safe.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    // The widest that a cell may be; longer ones keep their end, as long paths should.
    size_t most = static_cast<size_t>(-1);
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  // The titles and the rows, without spaces at the ends of lines. A column without content is left
  // out.
  std::vector<std::string> Lines() const;

 private:
  std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;

  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_TEXT_TABLE_H_
