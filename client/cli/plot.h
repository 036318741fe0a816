#ifndef STAGEDOOR_CLIENT_CLI_PLOT_H_
#define STAGEDOOR_CLIENT_CLI_PLOT_H_

#include <cstddef>
#include <string>
#include <vector>

namespace stagedoor {

// One curve.
struct PlotSeries {
  std::string name;            // "x"; one character in plots without colours
  std::vector<double> values;  // at the times of the plot; NaN where there is none
};

struct Plot {
  std::vector<double> times;       // in ascending order; at least one
  std::vector<PlotSeries> series;  // at least one, each with a value for each time
  std::vector<double> marks;       // times marked below the curves: those of the samples
};

struct PlotStyle {
  size_t rows = 16, columns = 80;  // of the whole plot; at least 6 and 20 are used
  bool utf8 = true;                // dots of Braille characters rather than ASCII
  bool color = false;              // each series in a colour of its own
};

// Draws curves as lines of text: the values on the left, below the curves a line with a mark at
// each of `marks`, then the first and last time, and the names of the series if there are several.
// Without colours, several series are drawn with the first characters of their names.
std::vector<std::string> PlotLines(const Plot& plot, const PlotStyle& style);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PLOT_H_
