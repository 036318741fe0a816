#include "server/http_frames/frame_query.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/closest_match.h"
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

absl::Status SetSegments(std::string_view value, v1::SamplePolicy* policy) {
  SD_ASSIGN_OR_RETURN(const uint32_t count, Count("segments", value));
  policy->set_segments(count);
  return absl::OkStatus();
}

absl::Status SetMaxSamples(std::string_view value, v1::SamplePolicy* policy) {
  SD_ASSIGN_OR_RETURN(const uint32_t count, Count("max-samples", value));
  policy->set_max_samples(count);
  return absl::OkStatus();
}

absl::StatusOr<bool> Flag(std::string_view name, std::string_view value) {
  if (value != "true" && value != "false") return Malformed(name, value, "true or false");
  return value == "true";
}

absl::Status FlattenPrimvars(std::string_view value, v1::FrameSelection* selection) {
  SD_ASSIGN_OR_RETURN(const bool flag, Flag("flatten-primvars", value));
  selection->set_flatten_primvars(flag);
  return absl::OkStatus();
}

absl::Status LeaveOutSkinning(std::string_view value, v1::FrameSelection* selection) {
  SD_ASSIGN_OR_RETURN(const bool flag, Flag("without-skinning", value));
  selection->set_without_skinning(flag);
  return absl::OkStatus();
}

absl::Status LeaveOutInvisible(std::string_view value, v1::FrameSelection* selection) {
  SD_ASSIGN_OR_RETURN(const bool flag, Flag("without-invisible", value));
  selection->set_without_invisible(flag);
  return absl::OkStatus();
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

// A parameter whose value is a text.
struct TextParameter {
  std::string_view name;
  bool repeats;
  void (*set)(const std::string& value, FrameQuery& query, v1::FrameSelection& selection);
};
constexpr TextParameter kTexts[] = {
    {"root", false, [](auto& value, auto& query, auto&) { query.root = value; }},
    {"camera", false, [](auto& value, auto&, auto& frame) { frame.set_camera(value); }},
    {"settings", false, [](auto& value, auto&, auto& frame) { frame.set_render_settings(value); }},
    {"pass", false, [](auto& value, auto&, auto& frame) { frame.set_render_pass(value); }},
    {"include", true, [](auto& value, auto&, auto& frame) { frame.add_roots(value); }},
    {"exclude", true, [](auto& value, auto&, auto& frame) { frame.add_excluded(value); }},
    {"type", true, [](auto& value, auto&, auto& frame) { frame.add_types(value); }},
    {"context", true, [](auto& value, auto&, auto& frame) { frame.add_render_contexts(value); }},
    {"material-purpose", true,
     [](auto& value, auto&, auto& frame) { frame.add_material_purposes(value); }},
    {"primvar", true, [](auto& value, auto&, auto& frame) { frame.add_primvars(value); }},
};

// A parameter whose value has to have a form.
struct ParsedParameter {
  std::string_view name;
  absl::Status (*set)(std::string_view value, v1::ExportFrameRequest& frame);
};
constexpr ParsedParameter kParsed[] = {
    {"time", [](auto value, auto& frame) { return SetTime(value, frame.mutable_time()); }},
    {"shutter",
     [](auto value, auto& frame) { return SetShutter(value, frame.mutable_sample_policy()); }},
    {"segments",
     [](auto value, auto& frame) { return SetSegments(value, frame.mutable_sample_policy()); }},
    {"max-samples",
     [](auto value, auto& frame) { return SetMaxSamples(value, frame.mutable_sample_policy()); }},
    {"format", [](auto value, auto& frame) { return SetFormat(value, &frame); }},
    {"purposes",
     [](auto value, auto& frame) { return AddPurposes(value, frame.mutable_selection()); }},
    {"flatten-primvars",
     [](auto value, auto& frame) { return FlattenPrimvars(value, frame.mutable_selection()); }},
    {"without-skinning",
     [](auto value, auto& frame) { return LeaveOutSkinning(value, frame.mutable_selection()); }},
    {"without-invisible",
     [](auto value, auto& frame) { return LeaveOutInvisible(value, frame.mutable_selection()); }},
};

absl::Status UnknownParameter(std::string_view name) {
  std::vector<std::string> known;
  for (const TextParameter& parameter : kTexts) known.emplace_back(parameter.name);
  for (const ParsedParameter& parameter : kParsed) known.emplace_back(parameter.name);
  const std::string closest = ClosestMatch(name, known);
  return InvalidArgumentError("unknown parameter ", Quoted(name),
                              closest.empty() ? "" : Concat("; did you mean '", closest, "'?"));
}

// Sets `*repeats`: whether the parameter may be given again.
absl::Status SetParameter(std::string_view name, const std::string& value, FrameQuery* query,
                          bool* repeats) {
  *repeats = false;
  for (const ParsedParameter& parameter : kParsed) {
    if (parameter.name == name) return parameter.set(value, query->frame);
  }
  for (const TextParameter& parameter : kTexts) {
    if (parameter.name != name) continue;
    *repeats = parameter.repeats;
    parameter.set(value, *query, *query->frame.mutable_selection());
    return absl::OkStatus();
  }
  return UnknownParameter(name);
}

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
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
    bool repeats = false;
    SD_RETURN_IF_ERROR(SetParameter(name, value, &query, &repeats));
    if (repeats) continue;
    if (Contains(given, name)) {
      return InvalidArgumentError("the parameter '", name, "' is given twice");
    }
    given.push_back(name);
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
