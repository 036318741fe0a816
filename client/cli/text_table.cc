#include "client/cli/text_table.h"

#include <algorithm>

#include "client/cli/safe_text.h"

namespace stagedoor {

std::vector<std::string> TextTable::Lines() const {
  std::vector<size_t> widths(columns_.size(), 0);  // 0 leaves the column out
  for (size_t i = 0; i < columns_.size(); ++i) {
    for (const auto& row : rows_) widths[i] = std::max(widths[i], CountColumns(row[i]));
    widths[i] = std::min(widths[i], columns_[i].most);
    if (widths[i] > 0) widths[i] = std::max(widths[i], CountColumns(columns_[i].title));
  }
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::vector<std::string> lines = {Line(titles, widths)};
  for (const auto& row : rows_) lines.push_back(Line(row, widths));
  return lines;
}

std::string TextTable::Line(const std::vector<std::string>& cells,
                            const std::vector<size_t>& widths) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string cell = CutText(cells[i], widths[i], /*keep_end=*/true);
    const std::string padding(widths[i] - CountColumns(cell), ' ');
    if (!line.empty()) line += "  ";
    line += columns_[i].align == Align::kRight ? padding + cell : cell + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace stagedoor
