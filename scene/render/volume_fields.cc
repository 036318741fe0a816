#include "scene/render/volume_fields.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"

namespace stagedoor {
namespace {

constexpr std::string_view kFieldPrefix = "field:";

AttributeQuery FieldAttribute(RequestContext& context, const Prim& prim, const char* name) {
  return AttributeQuery(context, prim.GetAttribute(Token(name)));
}

template <typename T>
std::optional<T> ReadField(RequestContext& context, const AttributeQuery& query, TimeCode time) {
  return time.is_default() ? TypedValue<T>(context, query.attribute(), time)
                           : query.GetAs<T>(context, time);
}

Token ReadWord(RequestContext& context, const AttributeQuery& query, TimeCode time) {
  return ReadField<Token>(context, query, time).value_or(Token());
}

}  // namespace

std::vector<VolumeField> VolumeFieldsOf(RequestContext& context, const Prim& volume) {
  std::vector<VolumeField> fields;
  std::set<Token> names;
  Pacer pacer(context);
  for (const Token property : volume.PropertyNames()) {
    if (!pacer.Go()) break;
    const std::string_view text = property.text();
    if (!text.starts_with(kFieldPrefix)) continue;
    const Relationship relationship = volume.GetRelationship(property);
    if (!relationship.valid()) continue;
    const auto targets = relationship.AuthoredForwardedTargets(context);
    if (!targets || targets->size() != 1 || !targets->front().IsPrim()) continue;
    const Token name(text.substr(text.rfind(':') + 1));
    if (names.insert(name).second) fields.push_back({.name = name, .path = targets->front()});
  }
  std::sort(fields.begin(), fields.end(), [](const VolumeField& a, const VolumeField& b) {
    return a.name.text() < b.name.text();
  });
  return fields;
}

VolumeFieldQuery::VolumeFieldQuery(RequestContext& context, const Prim& field)
    : file_(FieldAttribute(context, field, "filePath")),
      name_(FieldAttribute(context, field, "fieldName")),
      index_(FieldAttribute(context, field, "fieldIndex")),
      data_type_(FieldAttribute(context, field, "fieldDataType")),
      vector_data_role_hint_(FieldAttribute(context, field, "vectorDataRoleHint")),
      field_class_(FieldAttribute(context, field, "fieldClass")),
      field_purpose_(FieldAttribute(context, field, "fieldPurpose")) {}

VolumeFieldSample VolumeFieldQuery::At(RequestContext& context, TimeCode time) const {
  return {.file = ReadField<AssetPath>(context, file_, time).value_or(AssetPath()),
          .name = ReadWord(context, name_, time),
          .index = ReadField<int32_t>(context, index_, time),
          .data_type = ReadWord(context, data_type_, time),
          .vector_data_role_hint = ReadWord(context, vector_data_role_hint_, time),
          .field_class = ReadWord(context, field_class_, time),
          .field_purpose = ReadWord(context, field_purpose_, time)};
}

bool VolumeFieldQuery::is_steady() const {
  for (const AttributeQuery* query : All()) {
    if (query->valid() && !query->is_steady()) return false;
  }
  return true;
}

absl::Status VolumeFieldQuery::AddSources(RequestContext& context, SourceSink* sink) const {
  for (const AttributeQuery* query : All()) SD_RETURN_IF_ERROR(sink->Add(context, *query));
  return absl::OkStatus();
}

}  // namespace stagedoor
