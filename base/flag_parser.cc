#include "base/flag_parser.h"

#include <algorithm>
#include <utility>

#include "base/closest_match.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

class Parser {
 public:
  Parser(const std::vector<std::string>& args, std::span<const FlagSpec> known,
         std::string_view help, const std::vector<std::string>& likely)
      : args_(args), known_(known), help_(help), likely_(likely) {}

  absl::StatusOr<ParsedArgs> Parse() {
    while (next_ < args_.size()) {
      const std::string& word = args_[next_++];
      if (word == "--") {
        parsed_.arguments.insert(parsed_.arguments.end(), args_.begin() + next_, args_.end());
        break;
      }
      if (word.starts_with("--")) {
        SD_RETURN_IF_ERROR(TakeLong(word));
      } else if (word.size() > 1 && word.front() == '-') {
        SD_RETURN_IF_ERROR(TakeShort(word));
      } else {
        parsed_.arguments.push_back(word);
      }
    }
    return std::move(parsed_);
  }

 private:
  absl::Status TakeLong(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals - 2);
    const FlagSpec* spec = Find(&FlagSpec::name, name);
    if (spec == nullptr) return Unknown(Concat("--", name));
    if (equals == std::string::npos) return TakeValues(*spec);
    if (spec->value.empty()) return InvalidArgumentError("--", name, " takes no value");
    Add(*spec, word.substr(equals + 1));
    return absl::OkStatus();
  }

  absl::Status TakeShort(const std::string& word) {
    const FlagSpec* spec = Find(&FlagSpec::letter, word.substr(1));
    return spec == nullptr ? Unknown(word) : TakeValues(*spec);
  }

  // Takes the values from the args that follow.
  absl::Status TakeValues(const FlagSpec& spec) {
    if (spec.value.empty()) {
      Add(spec, "");
      return absl::OkStatus();
    }
    if (next_ == args_.size() || args_[next_].starts_with("--")) {
      return InvalidArgumentError("--", spec.name, " needs a value: --", spec.name, "=",
                                  spec.value);
    }
    Add(spec, args_[next_++]);
    while (spec.takes_more != nullptr && next_ < args_.size() && spec.takes_more(args_[next_])) {
      Add(spec, args_[next_++]);
    }
    return absl::OkStatus();
  }

  void Add(const FlagSpec& spec, std::string value) {
    parsed_.flags.push_back({spec.name, std::move(value)});
  }

  const FlagSpec* Find(std::string FlagSpec::*field, const std::string& wanted) const {
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [&](const FlagSpec& spec) { return spec.*field == wanted; });
    return found == known_.end() || wanted.empty() ? nullptr : &*found;
  }

  absl::Status Unknown(const std::string& flag) const {
    const std::string closest = flag.starts_with("--") ? Closest(flag.substr(2)) : std::string();
    return InvalidArgumentError("unknown flag ", Quoted(flag),
                                closest.empty() ? "" : Concat("; did you mean --", closest, "?"),
                                " (see ", help_, ")");
  }

  std::string Closest(const std::string& name) const {
    std::string closest = ClosestMatch(name, likely_);
    if (!closest.empty()) return closest;
    std::vector<std::string> names;
    for (const FlagSpec& spec : known_) names.push_back(spec.name);
    return ClosestMatch(name, names);
  }

  const std::vector<std::string>& args_;
  const std::span<const FlagSpec> known_;
  const std::string_view help_;
  const std::vector<std::string>& likely_;
  size_t next_ = 0;
  ParsedArgs parsed_;
};

}  // namespace

absl::StatusOr<ParsedArgs> ParseArgs(const std::vector<std::string>& args,
                                     std::span<const FlagSpec> known, std::string_view help,
                                     const std::vector<std::string>& likely) {
  return Parser(args, known, help, likely).Parse();
}

}  // namespace stagedoor
