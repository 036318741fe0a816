#include "scene/frame/frame_link_writer.h"

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/shade/connections.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

struct LinkTokens {
  const Token NodeGraph{"NodeGraph"};
  const Token Shader{"Shader"};
};
const LinkTokens& LinkNames() {
  static const auto* names = new LinkTokens;
  return *names;
}

}  // namespace

void FrameLinkWriter::Follow(std::span<const Path> paths) {
  constexpr size_t kBytes = 80;  // of a path in both
  for (const Path path : paths) {
    if (!path.IsProperty() || known_.contains(path)) continue;
    if (!reserved_.Grow(kBytes, "connections").ok()) return;
    known_.insert(path);
    queue_.push_back(path);
  }
}

absl::Status FrameLinkWriter::Write() {
  while (!queue_.empty()) {
    SD_RETURN_IF_ERROR(work_.context.Spend(1));
    const Path path = queue_.back();
    queue_.pop_back();
    SD_RETURN_IF_ERROR(WriteProperty(path));
  }
  return work_.context.Check();
}

absl::Status FrameLinkWriter::WriteProperty(Path path) {
  const Prim prim = work_.source.stage.FindPrim(path.PrimPath());
  // A prim that is defined has its properties; those of collections are written with them.
  if (!prim.valid() || work_.specs.IsDefined(prim) || IsBaked(path.name())) return absl::OkStatus();
  if (prim.IsA(LinkNames().Shader) || prim.IsA(LinkNames().NodeGraph)) return WriteNode(prim);
  const Property property = prim.GetProperty(path.name());
  if (!property.valid()) return absl::OkStatus();
  if (property.is_attribute()) {
    const Attribute attribute(property);
    Follow(attribute.Connections(work_.context));
    return attributes_.WritePort(work_.specs.Place(prim), attribute);
  }
  const std::vector<Path> targets = Relationship(property).Targets(work_.context);
  Follow(targets);
  work_.specs.AddRelationship(work_.specs.Place(prim), path.name(), targets, property.IsCustom());
  return work_.context.Check();
}

absl::Status FrameLinkWriter::WriteNode(const Prim& node) {
  SD_RETURN_IF_ERROR(shading_.WriteNode(node));
  Pacer pacer(work_.context);
  for (const Token name : node.AuthoredPropertyNames()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!IsInput(name) && !IsOutput(name)) continue;
    const Attribute port = node.GetAttribute(name);
    if (port.valid()) Follow(port.Connections(work_.context));
  }
  return work_.context.Check();
}

}  // namespace stagedoor
