#include "server/stages/stage_lookup.h"

#include <optional>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/stage/stage.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

absl::Status InvalidPath(std::string_view text, std::string_view wanted) {
  return WithReason(InvalidArgumentError(Quoted(text), " is not an absolute ", wanted),
                    v1::ERROR_REASON_INVALID_PATH, {{"path", text}});
}

absl::Status NoPrim(std::string_view text) {
  return WithReason(NotFoundError("no prim at ", Quoted(text)), v1::ERROR_REASON_PRIM_NOT_FOUND,
                    {{"path", text}});
}

absl::Status NoAttribute(std::string_view text) {
  return WithReason(NotFoundError("no attribute at ", Quoted(text)),
                    v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND, {{"path", text}});
}

// Distinguishes malformed paths from unknown ones by their characters, because parsing would intern
// them.
bool LooksLikePath(std::string_view text) {
  return !text.empty() && text.front() == '/' &&
         text.find_first_of(" \t\n\"'\\<>()@#") == std::string_view::npos &&
         text.find("//") == std::string_view::npos && (text.size() == 1 || text.back() != '/') &&
         text.back() != '.';
}

}  // namespace

absl::StatusOr<Prim> LookUpPrim(const Stage& stage, std::string_view text) {
  const Prim prim = stage.FindPrim(text);
  if (prim.valid()) return prim;
  if (!LooksLikePath(text) || text.find('.') != std::string_view::npos) {
    return InvalidPath(text, "prim path");
  }
  return NoPrim(text);
}

absl::StatusOr<Property> LookUpProperty(const Stage& stage, std::string_view text) {
  const size_t dot = text.find('.');
  if (!LooksLikePath(text) || dot == std::string_view::npos || text[dot - 1] == '/' ||
      text.find_first_of(".[]", dot + 1) != std::string_view::npos) {
    return InvalidPath(text, "property path");
  }
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(stage, text.substr(0, dot)));
  const std::optional<Token> name = Token::Find(text.substr(dot + 1));
  const Property property = name.has_value() ? prim.GetProperty(*name) : Property();
  if (!property.valid()) return NoAttribute(text);
  return property;
}

absl::StatusOr<Attribute> LookUpAttribute(const Stage& stage, std::string_view text) {
  SD_ASSIGN_OR_RETURN(const Property property, LookUpProperty(stage, text));
  if (!property.is_attribute()) {
    return WithReason(InvalidArgumentError("'", text, "' is a relationship, not an attribute"),
                      v1::ERROR_REASON_WRONG_KIND, {{"path", text}});
  }
  return Attribute(property);
}

absl::StatusOr<Path> ParsePrimPath(std::string_view text) {
  absl::StatusOr<Path> path = Path::Parse(text);
  if (!path.ok() || !path->IsAbsolute() || !path->IsPrimOrRoot() ||
      path->ContainsVariantSelection()) {
    return InvalidPath(text, "prim path");
  }
  return path;
}

}  // namespace stagedoor::server
