#include "client/cli/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string_view>

#include "base/strings.h"
#include "client/cli/safe_text.h"
#include "client/cli/terminal.h"

namespace stagedoor {
namespace {

constexpr Color kColors[] = {Color::kRed,  Color::kGreen,  Color::kBlue,
                             Color::kCyan, Color::kYellow, Color::kMagenta};

Color ColorOf(size_t series) { return kColors[series % std::size(kColors)]; }

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // Where a value is, from 0 to 1; in the middle if all are the same. Halves, since the difference
  // of large numbers may not be finite.
  double Place(double value) const {
    const double size = high / 2 - low / 2;
    return size > 0 ? (value / 2 - low / 2) / size : 0.5;
  }
};

std::string ShortNumber(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

// A grid of characters, each of which has several dots.
class Grid {
 public:
  Grid(size_t rows, size_t columns, bool braille)
      : rows_(rows),
        columns_(columns),
        dots_x_(braille ? 2 : 1),
        dots_y_(braille ? 4 : 1),
        cells_(rows * columns) {}

  // Draws a straight line between two places, from 0 to 1 in both directions, upwards.
  void Line(double x0, double y0, double x1, double y1, size_t series) {
    const double most_x = static_cast<double>(columns_ * dots_x_ - 1);
    const double most_y = static_cast<double>(rows_ * dots_y_ - 1);
    x0 *= most_x;
    x1 *= most_x;
    y0 *= most_y;
    y1 *= most_y;
    const double steps = std::ceil(std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1.0}));
    for (double i = 0; i <= steps; ++i) {
      const double part = i / steps;
      Dot(static_cast<size_t>(std::lround(x0 + (x1 - x0) * part)),
          static_cast<size_t>(std::lround(most_y - y0 - (y1 - y0) * part)), series);
    }
  }

  // A row as text; `letters` are what stands for the series, empty for Braille.
  std::string Row(size_t row, const std::string& letters, bool color) const {
    std::string text;
    for (size_t column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[row * columns_ + column];
      if (cell.dots == 0) {
        text += ' ';
      } else {
        const std::string shown =
            letters.empty() ? Braille(cell.dots) : std::string(1, letters[cell.series]);
        text += Colored(shown, ColorOf(cell.series), color);
      }
    }
    return text;
  }

 private:
  struct Cell {
    uint8_t dots = 0;
    size_t series = 0;  // the one that was drawn last
  };

  void Dot(size_t x, size_t y, size_t series) {
    if (x >= columns_ * dots_x_ || y >= rows_ * dots_y_) return;
    // The bits of Unicode's Braille patterns.
    static constexpr uint8_t kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell& cell = cells_[(y / dots_y_) * columns_ + x / dots_x_];
    cell.dots |= kBits[y % dots_y_][x % dots_x_];
    cell.series = series;
  }

  static std::string Braille(uint8_t dots) {
    const char utf8[] = {'\xe2', static_cast<char>(0xa0 + (dots >> 6)),
                         static_cast<char>(0x80 + (dots & 0x3f))};
    return {utf8, sizeof(utf8)};
  }

  const size_t rows_, columns_, dots_x_, dots_y_;
  std::vector<Cell> cells_;
};

std::string RightAligned(const std::string& text, size_t width) {
  const size_t columns = CountColumns(text);
  return std::string(width - std::min(width, columns), ' ') + text;
}

// Draws one plot.
class Drawing {
 public:
  Drawing(const Plot& plot, const PlotStyle& style) : plot_(plot), style_(style) {
    for (const double time : plot.times) times_.Add(time);
    for (const PlotSeries& series : plot.series) {
      for (const double value : series.values) values_.Add(value);
    }
    braille_ = style.utf8 && (style.color || plot.series.size() == 1);
    rows_ = std::max<size_t>(style.rows, 6) - (plot.series.size() > 1 ? 3 : 2);
    high_ = values_.empty() ? "" : ShortNumber(values_.high);
    low_ = values_.empty() ? "" : ShortNumber(values_.low);
    label_ = std::max(high_.size(), low_.size());
    columns_ = std::max<size_t>(style.columns, label_ + 20) - label_ - 2;
  }

  std::vector<std::string> Lines() const {
    Grid grid(rows_, columns_, braille_);
    for (size_t i = 0; i < plot_.series.size(); ++i) DrawSeries(i, grid);
    std::vector<std::string> lines;
    const std::string axis = style_.utf8 ? "│" : "|";
    for (size_t row = 0; row < rows_; ++row) {
      const std::string label = row == 0 ? high_ : row + 1 == rows_ ? low_ : "";
      lines.push_back(Concat(RightAligned(label, label_), " ", axis,
                             grid.Row(row, braille_ ? "" : Letters(), style_.color)));
    }
    lines.push_back(MarksLine());
    lines.push_back(TimesLine());
    if (plot_.series.size() > 1) lines.push_back(LegendLine());
    for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
    return lines;
  }

 private:
  void DrawSeries(size_t series, Grid& grid) const {
    const std::vector<double>& values = plot_.series[series].values;
    bool drawing = false;
    double x0 = 0, y0 = 0;
    for (size_t i = 0; i < plot_.times.size() && i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        drawing = false;
        continue;
      }
      const double x = times_.Place(plot_.times[i]);
      const double y = values_.Place(values[i]);
      drawing ? grid.Line(x0, y0, x, y, series) : grid.Line(x, y, x, y, series);
      drawing = true;
      x0 = x;
      y0 = y;
    }
  }

  std::string Letters() const {
    std::string letters;
    for (const PlotSeries& series : plot_.series) {
      letters += series.name.empty() ? '*' : series.name.front();
    }
    return letters;
  }

  std::string MarksLine() const {
    std::vector<bool> marked(columns_, false);
    for (const double time : plot_.marks) {
      if (!(time >= times_.low && time <= times_.high)) continue;
      marked[static_cast<size_t>(
          std::lround(times_.Place(time) * static_cast<double>(columns_ - 1)))] = true;
    }
    std::string line = Concat(std::string(label_, ' '), style_.utf8 ? " └" : " +");
    for (const bool mark : marked) line += style_.utf8 ? (mark ? "┴" : "─") : (mark ? "^" : "-");
    return line;
  }

  std::string TimesLine() const {
    const std::string first = ShortNumber(times_.low);
    const std::string last = ShortNumber(times_.high);
    std::string line = Concat(std::string(label_ + 2, ' '), first);
    if (times_.low == times_.high) return line;
    return line + RightAligned(last, columns_ - first.size());
  }

  std::string LegendLine() const {
    std::string line(label_ + 2, ' ');
    for (size_t i = 0; i < plot_.series.size(); ++i) {
      line += Concat(i == 0 ? "" : "  ", Colored(plot_.series[i].name, ColorOf(i), style_.color));
    }
    return line;
  }

  const Plot& plot_;
  const PlotStyle style_;
  Range times_, values_;
  bool braille_;
  size_t rows_, columns_, label_;  // of the curves; columns of the labels on the left
  std::string high_, low_;
};

}  // namespace

std::vector<std::string> PlotLines(const Plot& plot, const PlotStyle& style) {
  return Drawing(plot, style).Lines();
}

}  // namespace stagedoor
