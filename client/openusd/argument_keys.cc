#include "argument_keys.h"

#include <cstdlib>
#include <sstream>

#include "usd.h"

namespace stagedoor::openusd {

std::vector<std::string> WordsOf(const std::string& text) {
  return TfStringTokenize(text, " ,;\t");
}

bool ParseNumber(const std::string& text, double low, double high, double* number) {
  char* end = nullptr;
  *number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && *number >= low && *number <= high;
}

Result<ArgumentMap> ParseArgumentLines(const std::string& text) {
  ArgumentMap lines;
  std::istringstream stream(text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    line = TfStringTrim(line);
    if (line.empty() || line[0] == '#') continue;
    const size_t equals = line.find('=');
    if (equals == std::string::npos) {
      return Failure{SD_INVALID_ARGUMENT,
                     "line " + std::to_string(number) + " is '" + line + "'; expected KEY = VALUE"};
    }
    lines[TfStringTrim(line.substr(0, equals))] = TfStringTrim(line.substr(equals + 1));
  }
  return lines;
}

}  // namespace stagedoor::openusd
