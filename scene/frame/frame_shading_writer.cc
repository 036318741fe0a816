#include "scene/frame/frame_shading_writer.h"

#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/shade/connections.h"
#include "scene/shade/material_network.h"

namespace stagedoor {

absl::Status FrameShadingWriter::Write() {
  for (const FrameMaterial& material : work_.source.plan.materials) {
    SD_RETURN_IF_ERROR(WriteMaterial(material.prim));
  }
  return absl::OkStatus();
}

absl::Status FrameShadingWriter::WriteMaterial(const Prim& material) {
  ConnectionProblems problems(work_.context);
  const MaterialNetwork network = ComputeMaterialNetwork(
      work_.context, material,
      {.render_contexts = work_.source.selection.render_contexts, .flatten = false}, problems);
  for (const NetworkNode& node : network.nodes) SD_RETURN_IF_ERROR(WriteNode(node.prim));
  return work_.context.Check();
}

absl::Status FrameShadingWriter::WriteNode(const Prim& node) {
  // Materials may have nodes in common.
  if (work_.specs.IsDefined(node)) return absl::OkStatus();
  const SpecId spec = work_.specs.Define(
      node,
      {.type_name = node.type_name(), .api_schemas = AuthoredApiSchemas(work_.context, node)});
  Pacer pacer(work_.context);
  for (const Token name : node.AuthoredPropertyNames()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Attribute attribute = node.GetAttribute(name);
    if (!attribute.valid()) continue;
    if (IsInput(name) || IsOutput(name)) {
      SD_RETURN_IF_ERROR(attributes_.WritePort(spec, attribute));
    } else if (name.text().starts_with("info:")) {
      SD_RETURN_IF_ERROR(attributes_.Write(spec, attribute, FrameAttributeWriter::Times::kDefault));
    }
  }
  return work_.context.Check();
}

}  // namespace stagedoor
