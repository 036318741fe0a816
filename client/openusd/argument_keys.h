#ifndef STAGEDOOR_CLIENT_OPENUSD_ARGUMENT_KEYS_H_
#define STAGEDOOR_CLIENT_OPENUSD_ARGUMENT_KEYS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result.h"

namespace stagedoor::openusd {

// Keys with their values, as text.
using ArgumentMap = std::map<std::string, std::string>;

// The lines KEY = VALUE of a text; empty lines and comments are skipped. SD_INVALID_ARGUMENT for
// any other line.
Result<ArgumentMap> ParseArgumentLines(const std::string& text);

// The words of a list that spaces, commas or semicolons separate.
std::vector<std::string> WordsOf(const std::string& text);

bool ParseNumber(const std::string& text, double low, double high, double* number);

// A key of arguments, which are kept in a T.
template <typename T>
struct ArgumentKey {
  std::string expected;  // what a value may be, for messages
  // Returns whether the value is understood.
  std::function<bool(const std::string& value, T* arguments)> set;
};

template <typename T>
using ArgumentKeys = std::map<std::string, ArgumentKey<T>>;

template <typename T>
ArgumentKey<T> TextKey(std::string T::*member) {
  return {"text", [member](const std::string& value, T* arguments) {
            arguments->*member = value;
            return true;
          }};
}

template <typename T>
ArgumentKey<T> ListKey(const char* expected, std::vector<std::string> T::*member) {
  return {expected, [member](const std::string& value, T* arguments) {
            arguments->*member = WordsOf(value);
            return true;
          }};
}

// A key for a number, which is multiplied.
template <typename T, typename Number>
ArgumentKey<T> NumberKey(const char* expected, double low, double high, double factor,
                         Number T::*member) {
  return {expected, [=](const std::string& value, T* arguments) {
            double number = 0;
            if (!ParseNumber(value, low, high, &number)) return false;
            arguments->*member = static_cast<Number>(number * factor);
            return true;
          }};
}

// Sets an argument. Why that failed, if it did: the key is not one of `keys`, or the value is not
// understood.
template <typename T>
std::optional<Failure> SetArgument(const ArgumentKeys<T>& keys, const std::string& key,
                                   const std::string& value, T* arguments) {
  const auto found = keys.find(key);
  if (found == keys.end()) {
    std::string known;
    for (const auto& [name, unused] : keys) known += (known.empty() ? "" : ", ") + name;
    return Failure{SD_INVALID_ARGUMENT, "unknown argument '" + key + "'; known are " + known};
  }
  if (found->second.set(value, arguments)) return std::nullopt;
  return Failure{SD_INVALID_ARGUMENT, "the argument '" + key + "' is '" + value + "'; expected " +
                                          found->second.expected};
}

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_ARGUMENT_KEYS_H_
