#include "server/http_frames/frame_query.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

absl::Status Malformed(std::string_view name, std::string_view value, std::string_view wanted) {
  return InvalidArgumentError("the parameter '", name, "' must be ", wanted, ", not ",
                              Quoted(value));
}

absl::Status SetTime(std::string_view value, v1::TimeCode* time) {
  if (value == "default") {
    time->mutable_default_time();
    return absl::OkStatus();
  }
  const auto number = ParseNumber<double>(value);
  if (!number || !std::isfinite(*number)) return Malformed("time", value, "a number or default");
  time->set_numeric(*number);
  return absl::OkStatus();
}

absl::Status SetShutter(std::string_view value, v1::SamplePolicy* policy) {
  const size_t colon = std::min(value.find(':'), value.size());
  const auto open = ParseNumber<double>(value.substr(0, colon));
  const auto close = ParseNumber<double>(value.substr(std::min(colon + 1, value.size())));
  if (!open || !close) return Malformed("shutter", value, "OPEN:CLOSE, such as -0.25:0.25");
  policy->set_shutter_open(*open);
  policy->set_shutter_close(*close);
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> Count(std::string_view name, std::string_view value) {
  const auto number = ParseNumber<uint32_t>(value);
  if (!number) return Malformed(name, value, "a whole number");
  return *number;
}

absl::Status AddPurposes(std::string_view value, v1::FrameSelection* selection) {
  constexpr struct {
    std::string_view word;
    v1::Purpose purpose;
  } kPurposes[] = {{"default", v1::PURPOSE_DEFAULT},
                   {"render", v1::PURPOSE_RENDER},
                   {"proxy", v1::PURPOSE_PROXY},
                   {"guide", v1::PURPOSE_GUIDE}};
  for (std::string_view rest = value;;) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const auto known = std::find_if(std::begin(kPurposes), std::end(kPurposes),
                                    [&](const auto& purpose) { return purpose.word == word; });
    if (known == std::end(kPurposes)) {
      return Malformed("purposes", value, "default, render, proxy or guide, separated by commas");
    }
    selection->add_purposes(known->purpose);
    if (comma == std::string_view::npos) return absl::OkStatus();
    rest.remove_prefix(comma + 1);
  }
}

absl::Status SetFormat(std::string_view value, v1::ExportFrameRequest* frame) {
  if (value != "usdc" && value != "usda") return Malformed("format", value, "usdc or usda");
  frame->set_format(value == "usda" ? v1::LAYER_FORMAT_USDA : v1::LAYER_FORMAT_USDC);
  return absl::OkStatus();
}

// Sets what one parameter says about the samples. False if it is another one.
absl::StatusOr<bool> SetSamples(std::string_view name, const std::string& value,
                                v1::ExportFrameRequest* frame) {
  if (name == "time") {
    SD_RETURN_IF_ERROR(SetTime(value, frame->mutable_time()));
  } else if (name == "shutter") {
    SD_RETURN_IF_ERROR(SetShutter(value, frame->mutable_sample_policy()));
  } else if (name == "segments") {
    SD_ASSIGN_OR_RETURN(const uint32_t count, Count(name, value));
    frame->mutable_sample_policy()->set_segments(count);
  } else if (name == "max-samples") {
    SD_ASSIGN_OR_RETURN(const uint32_t count, Count(name, value));
    frame->mutable_sample_policy()->set_max_samples(count);
  } else {
    return false;
  }
  return true;
}

absl::Status SetParameter(std::string_view name, const std::string& value, FrameQuery* query) {
  v1::ExportFrameRequest& frame = query->frame;
  v1::FrameSelection& selection = *frame.mutable_selection();
  SD_ASSIGN_OR_RETURN(const bool is_set, SetSamples(name, value, &frame));
  if (is_set) return absl::OkStatus();
  if (name == "format") return SetFormat(value, &frame);
  if (name == "purposes") return AddPurposes(value, &selection);
  if (name == "root") {
    query->root = value;
  } else if (name == "camera") {
    selection.set_camera(value);
  } else if (name == "settings") {
    selection.set_render_settings(value);
  } else if (name == "pass") {
    selection.set_render_pass(value);
  } else if (name == "include") {
    selection.add_roots(value);
  } else if (name == "exclude") {
    selection.add_excluded(value);
  } else if (name == "type") {
    selection.add_types(value);
  } else if (name == "context") {
    selection.add_render_contexts(value);
  } else if (name == "material-purpose") {
    selection.add_material_purposes(value);
  } else if (name == "primvar") {
    selection.add_primvars(value);
  } else {
    return InvalidArgumentError("unknown parameter ", Quoted(name));
  }
  return absl::OkStatus();
}

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Refuses a second value of what has only one. `given` has the names of those that were given.
absl::Status CheckOnce(std::string_view name, std::vector<std::string_view>* given) {
  constexpr std::string_view kLists[] = {"include", "exclude",          "type",
                                         "context", "material-purpose", "primvar"};
  if (Contains(kLists, name)) return absl::OkStatus();
  if (Contains(*given, name)) {
    return InvalidArgumentError("the parameter '", name, "' is given twice");
  }
  given->push_back(name);
  return absl::OkStatus();
}

absl::Status CheckComplete(const FrameQuery& query, std::span<const std::string_view> given) {
  if (query.root.empty()) {
    return InvalidArgumentError(
        "the parameter 'root' is missing: pass the identifier of a layer, such as "
        "root=/show/shot.usda");
  }
  if (query.frame.has_sample_policy() && !Contains(given, "shutter")) {
    return InvalidArgumentError(
        "the parameters 'segments' and 'max-samples' need 'shutter', such as shutter=-0.25:0.25");
  }
  return absl::OkStatus();
}

std::string_view WithoutWeakness(std::string_view tag) {
  return tag.starts_with("W/") ? tag.substr(2) : tag;
}

}  // namespace

absl::StatusOr<std::string> DecodedPercents(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const auto high = i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
      const auto low = high ? HexDigit(text[i + 2]) : std::nullopt;
      if (!low) return InvalidArgumentError("malformed percent encoding in ", Quoted(text));
      c = static_cast<char>(*high * 16 + *low);
      i += 2;
    }
    if (c == '\0') return InvalidArgumentError("a NUL in ", Quoted(text));
    decoded.push_back(c);
  }
  return decoded;
}

absl::StatusOr<FrameQuery> ParseFrameQuery(const HttpRequest& request) {
  FrameQuery query;
  query.authorization = request.Header("authorization");
  query.if_none_match = request.Header("if-none-match");
  query.only_head = request.method() == "HEAD";
  query.frame.mutable_time()->mutable_default_time();
  std::vector<std::string_view> given;
  for (std::string_view rest = request.query(); !rest.empty();) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string_view name = parameter.substr(0, equals);
    SD_ASSIGN_OR_RETURN(const std::string value,
                        DecodedPercents(parameter.substr(std::min(equals + 1, parameter.size()))));
    SD_RETURN_IF_ERROR(SetParameter(name, value, &query));
    SD_RETURN_IF_ERROR(CheckOnce(name, &given));
  }
  SD_RETURN_IF_ERROR(CheckComplete(query, given));
  return query;
}

bool MatchesTag(std::string_view if_none_match, std::string_view tag) {
  for (std::string_view rest = if_none_match; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    one = one.substr(0, one.find_last_not_of(' ') + 1);
    if (one == "*" || WithoutWeakness(one) == WithoutWeakness(tag)) return true;
  }
  return false;
}

}  // namespace stagedoor::server
