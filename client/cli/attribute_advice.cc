#include "client/cli/attribute_advice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/closest_match.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

constexpr size_t kMostNames = 8;

// The names of the prim's attributes, authored ones first.
std::vector<std::string> AttributeNames(const v1::Prim& prim) {
  std::vector<const v1::Property*> attributes;
  for (const v1::Property& property : prim.properties()) {
    if (property.kind() != v1::Property::KIND_RELATIONSHIP) attributes.push_back(&property);
  }
  std::stable_sort(attributes.begin(), attributes.end(),
                   [](const auto* a, const auto* b) { return a->authored() > b->authored(); });
  std::vector<std::string> names;
  names.reserve(attributes.size());
  for (const v1::Property* attribute : attributes) names.push_back(attribute->name());
  return names;
}

std::string Listed(std::vector<std::string> names) {
  for (std::string& name : names) name = Quoted(name);
  return JoinFirst(std::move(names), kMostNames);
}

// A copy of an error with another message.
absl::Status WithMessage(const absl::Status& status, const std::string& message) {
  absl::Status changed = MakeStatus(status.code(), message);
  status.ForEachPayload(
      [&](auto url, const absl::Cord& payload) { changed.SetPayload(url, payload); });
  return changed;
}

absl::Status PrimNamedError(const std::string& path, const v1::Prim& prim,
                            const absl::Status& status) {
  const std::vector<std::string> names = AttributeNames(prim);
  const std::string advice =
      names.empty() ? "; it has no attributes"
                    : Concat("; append one of its attributes, as in ",
                             Quoted(Concat(path, ".", names.front())), ": ", Listed(names));
  return WithMessage(status, Concat(Quoted(path), " is a prim, not an attribute", advice));
}

absl::Status UnknownNameError(const std::string& prim_path, const std::string& name,
                              const v1::Prim& prim, const absl::Status& status) {
  const std::vector<std::string> names = AttributeNames(prim);
  // A relationship, or something else that is wrong with an attribute that exists.
  for (const v1::Property& property : prim.properties()) {
    if (property.name() == name) return status;
  }
  const std::string closest = ClosestMatch(name, names);
  std::string advice = "; the prim has no attributes";
  if (!closest.empty()) {
    advice = Concat("; did you mean ", Quoted(Concat(prim_path, ".", closest)), "?");
  } else if (!names.empty()) {
    advice = Concat("; the attributes of ", Quoted(prim_path), " are ", Listed(names));
  }
  return WithMessage(status, Concat(Message(status), advice));
}

}  // namespace

absl::Status WithAttributeAdvice(Client& client, const v1::StageRef& stage, const std::string& path,
                                 absl::Status status) {
  if (!absl::IsNotFound(status) && !absl::IsInvalidArgument(status)) return status;
  const size_t dot = path.find('.');
  const std::string prim_path = path.substr(0, dot);
  v1::GetPrimRequest request;
  *request.mutable_stage() = stage;
  request.set_path(prim_path);
  request.mutable_read_mask()->add_paths("properties");
  const absl::StatusOr<v1::GetPrimResponse> response = client.GetPrim(request);
  if (!response.ok()) {
    return dot == std::string::npos && absl::IsNotFound(response.status()) ? response.status()
                                                                           : status;
  }
  return dot == std::string::npos
             ? PrimNamedError(path, response->prim(), status)
             : UnknownNameError(prim_path, path.substr(dot + 1), response->prim(), status);
}

}  // namespace stagedoor
