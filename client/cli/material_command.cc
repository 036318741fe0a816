#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

std::string_view OutcomeWords(v1::BindingCandidate::Outcome outcome) {
  switch (outcome) {
    case v1::BindingCandidate::OUTCOME_WINS:
      return "wins";
    case v1::BindingCandidate::OUTCOME_OTHER_PURPOSE:
      return "a binding for the purpose wins";
    case v1::BindingCandidate::OUTCOME_CLOSER_WINS:
      return "a closer binding wins";
    case v1::BindingCandidate::OUTCOME_STRONGER_ABOVE_WINS:
      return "a stronger binding above wins";
    case v1::BindingCandidate::OUTCOME_COLLECTION_WINS:
      return "a collection's binding wins";
    case v1::BindingCandidate::OUTCOME_EARLIER_WINS:
      return "an earlier collection's binding wins";
    case v1::BindingCandidate::OUTCOME_NO_MEMBER:
      return "the prim is not in the collection";
    case v1::BindingCandidate::OUTCOME_BROKEN:
      return "binds nothing";
    default:
      return "unknown";
  }
}

std::string CandidateText(const v1::BindingCandidate& candidate) {
  const v1::MaterialBinding& binding = candidate.binding();
  std::string text = Concat("  ", binding.relationship());
  if (!binding.material().empty()) text += Concat(" = ", binding.material());
  if (binding.stronger_than_descendants()) text += " (stronger than descendants)";
  if (!binding.collection().empty()) text += Concat(" for ", binding.collection());
  text += Concat(": ", OutcomeWords(candidate.outcome()));
  if (candidate.wrong_target().empty()) return text;
  return text + Concat("; ", candidate.wrong_target(), " is missing or of another kind");
}

void PrintBindings(const std::string& path, const v1::ExplainBindingResponse& response,
                   RecordFormat format, Output& output) {
  RecordPrinter records(format,
                        {{"relationship"},
                         {"material"},
                         {"collection"},
                         {"stronger", false, false},
                         {"outcome"},
                         {"wrong_target", false, false}},
                        output);
  std::string material = "none";
  for (const v1::BindingCandidate& candidate : response.candidates()) {
    if (candidate.outcome() != v1::BindingCandidate::OUTCOME_WINS) continue;
    if (!candidate.binding().material().empty()) material = candidate.binding().material();
  }
  if (records.is_text()) output.Line(Concat(path, ": ", material));
  for (const v1::BindingCandidate& candidate : response.candidates()) {
    const v1::MaterialBinding& binding = candidate.binding();
    records.Add(CandidateText(candidate),
                {binding.relationship(), Cell::TextIfAny(binding.material()),
                 Cell::TextIfAny(binding.collection()), binding.stronger_than_descendants(),
                 OutcomeWords(candidate.outcome()), Cell::TextIfAny(candidate.wrong_target())});
  }
  records.Finish();
}

// Prints a network node by node.
class NetworkPrinter {
 public:
  NetworkPrinter(const v1::MaterialNetwork& network, RecordFormat format, JsonWriter& json,
                 Output& output)
      : network_(network),
        json_(json),
        output_(output),
        records_(format,
                 {{"node"},
                  {"id"},
                  {"port"},
                  {"type"},
                  {"value"},
                  {"connections"},
                  {"value_source", false, false},
                  {"color_space", false, false}},
                 output) {}

  void Print(const std::string& path) {
    if (records_.is_text()) PrintHead(path);
    for (const v1::ShaderNode& node : network_.nodes()) {
      if (records_.is_text()) output_.Line(Concat("  ", node.path(), " ", Kind(node)));
      for (const v1::ShaderPort& port : node.inputs()) PrintPort(node, port, "inputs:");
      for (const v1::ShaderPort& port : node.outputs()) PrintPort(node, port, "outputs:");
    }
    records_.Finish();
    for (const v1::BrokenConnection& broken : network_.broken()) PrintBroken(broken);
  }

 private:
  void PrintHead(const std::string& path) {
    output_.Line(path);
    if (!network_.base_material().empty()) {
      output_.Line(Concat("  specializes ", network_.base_material()));
    }
    for (const v1::MaterialTerminal& terminal : network_.terminals()) {
      const std::string context =
          terminal.render_context().empty() ? "" : Concat(" (", terminal.render_context(), ")");
      output_.Line(Concat("  ", terminal.name(), context, ": ", SourceText(terminal.source())));
    }
  }

  // The kind of a node: its identifier, or where its code is.
  static std::string Kind(const v1::ShaderNode& node) {
    if (!node.id().empty()) return node.id();
    std::vector<std::string> sources;
    for (const v1::ShaderCode& code : node.code()) {
      const std::string source = code.has_asset() ? code.asset().authored() : "source code";
      sources.push_back(code.source_type().empty() ? source
                                                   : Concat(code.source_type(), ":", source));
    }
    return sources.empty() ? node.type_name() : JoinFirst(std::move(sources), 3);
  }

  std::string SourceText(const v1::ShaderSource& source) const {
    const bool known = source.node() < static_cast<uint32_t>(network_.nodes_size());
    return Concat(known ? network_.nodes(static_cast<int>(source.node())).path() : "?",
                  source.is_input() ? ".inputs:" : ".outputs:", source.name());
  }

  void PrintPort(const v1::ShaderNode& node, const v1::ShaderPort& port, std::string_view prefix) {
    std::vector<std::string> sources;
    for (const v1::ShaderSource& source : port.connections()) {
      sources.push_back(SourceText(source));
    }
    const std::string value = port.values().empty() ? "" : ValueText(port.values(0), json_);
    std::string text = Concat("    ", prefix == "inputs:" ? "" : prefix, port.name());
    if (!value.empty()) text += Concat(" = ", value);
    for (const std::string& source : sources) text += Concat(" <- ", source);
    if (!port.value_source().empty()) text += Concat("  from ", port.value_source());
    records_.Add(text, {node.path(), Kind(node), Concat(prefix, port.name()), port.type_name(),
                        port.values().empty() ? Cell() : ValueCell(port.values(0), value),
                        Cell::List(sources), Cell::TextIfAny(port.value_source()),
                        Cell::TextIfAny(port.color_space())});
  }

  void PrintBroken(const v1::BrokenConnection& broken) {
    std::string_view why = "the connection leads nowhere: ";
    if (broken.reason() == v1::BrokenConnection::REASON_CYCLE) why = "connected to itself";
    if (broken.reason() == v1::BrokenConnection::REASON_TOO_LARGE) why = "too many connections";
    ++output_.problems().warnings;
    std::fprintf(stderr, "stagedoor: warning: %s: %s%s\n", SafeText(broken.attribute()).c_str(),
                 std::string(why).c_str(), SafeText(broken.source()).c_str());
  }

  const v1::MaterialNetwork& network_;
  JsonWriter& json_;
  Output& output_;
  RecordPrinter records_;
};

absl::StatusOr<v1::MaterialNetwork> AskForNetwork(Client& client, const CommandLine& line,
                                                  const StageLease& stage) {
  v1::ComputeMaterialNetworksRequest request;
  *request.mutable_stage() = stage.ref();
  request.add_paths(line.arguments()[1]);
  for (const std::string& context : line.Options("context")) request.add_render_contexts(context);
  request.set_as_graph(line.Flag("graph"));
  SD_ASSIGN_OR_RETURN(const std::vector<TimeArgument> times,
                      ParseTimes(line.Option("time").value_or("default")));
  for (const TimeArgument& time : times) *request.mutable_times()->add_times() = time.time;
  v1::MaterialNetwork network;
  SD_RETURN_IF_ERROR(client.ComputeMaterialNetworks(
      request, [&](const v1::ComputeMaterialNetworksResponse& response) {
        for (const v1::MaterialNetwork& item : response.items()) network = item;
        return absl::OkStatus();
      }));
  return network;
}

}  // namespace

absl::Status RunMaterial(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  const std::string& path = line.arguments()[1];
  SD_ASSIGN_OR_RETURN(const v1::MaterialNetwork network, AskForNetwork(client, line, stage));
  if (!network.has_error()) {
    NetworkPrinter(network, format, json, output).Print(path);
    return absl::OkStatus();
  }
  // The prim is not a Material: explain which one it is bound to.
  if (network.error().reason() != v1::ERROR_REASON_WRONG_KIND) return ItemError(network.error());
  v1::ExplainBindingRequest request;
  *request.mutable_stage() = stage.ref();
  request.set_path(path);
  request.set_purpose(line.Option("purpose").value_or(""));
  SD_ASSIGN_OR_RETURN(const v1::ExplainBindingResponse response, client.ExplainBinding(request));
  PrintBindings(path, response, format, output);
  return absl::OkStatus();
}

}  // namespace stagedoor
