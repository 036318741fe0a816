#include "server/queries/network_fields.h"

#include <algorithm>
#include <optional>

#include "base/fingerprinter.h"
#include "base/reservation.h"
#include "scene/shade/connection_problems.h"
#include "scene/shade/connections.h"
#include "scene/shade/node_definition.h"
#include "scene/shade/shade_tokens.h"
#include "scene/stage/attribute_query.h"
#include "scene/values/array_digest.h"
#include "scene/values/asset_path.h"
#include "server/converters/known_digests.h"
#include "server/converters/reply_budget.h"
#include "server/converters/set_oneof.h"
#include "server/converters/value_converter.h"

namespace stagedoor::server {
namespace {

void FillSource(const NetworkSource& source, ReplyBudget& budget, v1::ShaderSource* out) {
  out->set_node(source.node);
  out->set_name(budget.Text(BaseName(source.name)));
  out->set_is_input(IsInput(source.name));
}

// A single value if it is the same at all times.
void FillValues(const AttributeQuery& query, const std::vector<TimeCode>& times,
                ReplyBudget& budget, v1::ShaderPort* out) {
  const auto is_default = [](TimeCode time) { return time.is_default(); };
  const bool same = query.is_steady() && std::none_of(times.begin(), times.end(), is_default);
  const size_t count = same ? std::min<size_t>(times.size(), 1) : times.size();
  for (size_t i = 0; i < count && budget.ok(); ++i) {
    FillValue(query.Get(budget.context(), times[i]), budget, budget.Add(out->mutable_values()));
  }
}

void FillPort(const NetworkPort& port, const std::vector<TimeCode>& times, ReplyBudget& budget,
              v1::ShaderPort* out) {
  const Attribute& attribute = port.attribute;
  out->set_name(budget.Text(BaseName(attribute.name())));
  out->set_type_name(budget.Text(attribute.TypeName().text()));
  for (const NetworkSource& source : port.connections) {
    if (!budget.ok()) return;
    FillSource(source, budget, budget.Add(out->mutable_connections()));
  }
  if (!port.value.valid()) return;
  FillValues(AttributeQuery(budget.context(), port.value), times, budget, out);
  if (!(port.value.prim() == attribute.prim()) || port.value.name() != attribute.name()) {
    out->set_value_source(budget.Text(port.value.path().ToString()));
  }
  const Value space = port.value.Metadata(budget.context(), Shade().colorSpace);
  if (const Token* name = space.Get<Token>()) out->set_color_space(budget.Text(name->text()));
}

void FillCode(const NodeSource& source, ReplyBudget& budget, v1::ShaderCode* out) {
  out->set_source_type(budget.Text(source.type));
  out->set_sub_identifier(budget.Text(source.sub_identifier.text()));
  if (const std::string* text = source.source.Get<std::string>()) {
    out->set_text(budget.Text(*text));
  } else if (const AssetPath* asset = source.source.Get<AssetPath>()) {
    v1::AssetPath* path = SetOneof(out, &v1::ShaderCode::set_allocated_asset);
    path->set_authored(budget.Text(asset->authored));
    path->set_evaluated(budget.Text(asset->evaluated));
    path->set_resolved(budget.Text(asset->resolved));
  }
}

void FillNode(const NetworkNode& node, const std::vector<TimeCode>& times, ReplyBudget& budget,
              v1::ShaderNode* out) {
  out->set_path(budget.Text(node.prim.PathText()));
  out->set_type_name(budget.Text(node.prim.type_name().text()));
  const NodeDefinition definition = ReadNodeDefinition(budget.context(), node.prim);
  out->set_id(budget.Text(definition.id.text()));
  for (const NodeSource& source : definition.sources) {
    if (!budget.ok()) return;
    FillCode(source, budget, budget.Add(out->mutable_code()));
  }
  for (const NetworkPort& port : node.ports) {
    if (!budget.ok()) return;
    auto* ports = IsInput(port.attribute.name()) ? out->mutable_inputs() : out->mutable_outputs();
    FillPort(port, times, budget, budget.Add(ports));
  }
}

v1::BrokenConnection::Reason ReasonToProto(ConnectionProblem::Reason reason) {
  switch (reason) {
    case ConnectionProblem::Reason::kCycle:
      return v1::BrokenConnection::REASON_CYCLE;
    case ConnectionProblem::Reason::kTooLarge:
      return v1::BrokenConnection::REASON_TOO_LARGE;
    default:
      return v1::BrokenConnection::REASON_NO_SOURCE;
  }
}

// The digest of an item that is complete but for its number.
std::optional<ArrayDigest> NetworkDigestOf(RequestContext& context,
                                           const v1::MaterialNetwork& network) {
  const size_t bytes = network.ByteSizeLong();
  Reservation reserved(context);
  if (!reserved.Grow(bytes, "the digest of a network").ok()) return std::nullopt;
  Fingerprinter fingerprinter;
  fingerprinter.Add(network.SerializeAsString());
  return ArrayDigest::OfContents(fingerprinter.FinishWords(), bytes);
}

void FillNetwork(const MaterialNetwork& network, const std::vector<TimeCode>& times,
                 ReplyBudget& budget, v1::MaterialNetwork* out) {
  for (const NetworkTerminal& terminal : network.terminals) {
    v1::MaterialTerminal* to = budget.Add(out->mutable_terminals());
    to->set_name(budget.Text(terminal.name.text()));
    to->set_render_context(budget.Text(terminal.render_context));
    FillSource(terminal.source, budget, to->mutable_source());
  }
  for (const NetworkNode& node : network.nodes) {
    if (!budget.ok()) return;
    FillNode(node, times, budget, budget.Add(out->mutable_nodes()));
  }
}

void FillBrokenConnections(const ConnectionProblems& problems, ReplyBudget& budget,
                           v1::MaterialNetwork* out) {
  for (const ConnectionProblem& problem : problems.all()) {
    if (!budget.ok()) return;
    v1::BrokenConnection* to = budget.Add(out->mutable_broken());
    to->set_attribute(budget.Text(problem.attribute.ToString()));
    to->set_reason(ReasonToProto(problem.reason));
    if (!problem.source.empty()) to->set_source(budget.Text(problem.source.ToString()));
  }
}

}  // namespace

void FillMaterialNetwork(const Prim& material, const MaterialNetworkOptions& options,
                         const std::vector<TimeCode>& times, ReplyBudget& budget,
                         v1::MaterialNetwork* out) {
  RequestContext& context = budget.context();
  ConnectionProblems problems(context);
  FillNetwork(ComputeMaterialNetwork(context, material, options, problems), times, budget, out);
  const Path base = BaseMaterialPath(material);
  if (!base.empty()) out->set_base_material(budget.Text(base.ToString()));
  FillBrokenConnections(problems, budget, out);
}

absl::Status AddNetworkDigest(const KnownDigests& known, ReplyBudget& budget,
                              v1::MaterialNetwork* out) {
  const auto digest = NetworkDigestOf(budget.context(), *out);
  if (!digest) return budget.context().Check();
  if (known.Contains(*digest)) {
    budget.RestartItem();
    v1::MaterialNetwork().Swap(out);
    out->set_unchanged(true);
  }
  if (budget.Charge(ArrayDigest::kBytes)) out->set_digest(std::string(digest->bytes()));
  return budget.status();
}

}  // namespace stagedoor::server
