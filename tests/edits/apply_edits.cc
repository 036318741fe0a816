// Applies edits to session layers, for comparison with usd-core. Each line of standard input is a
// JSON object: `root` and `session` are layers as usda without the first line, of which `session`
// may be absent, and `request` is an EditStageRequest. The answer is a line: `errors` has the
// indexes of the edits that failed, `session` the text of the edited layer, and `agrees` says
// whether the stage that was derived from the one before equals one that is opened anew.
#include <google/protobuf/util/json_util.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "scene/edit/edited_stage.h"
#include "scene/export/flatten.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"
#include "server/sessions/session_layer_edits.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;
using LayerPtr = std::shared_ptr<const Layer>;
using StagePtr = std::shared_ptr<const Stage>;

constexpr char kName[] = "anon:session.usda";

absl::StatusOr<std::string> Flattened(RequestContext& context, const Stage& stage) {
  SD_ASSIGN_OR_RETURN(const LayerPtr flat, FlattenStage(context, stage, {.format = "usda"}));
  return WriteUsda(*flat);
}

class Editing {
 public:
  absl::StatusOr<Json> Run(const Json& question) {
    SD_ASSIGN_OR_RETURN(root_, Open("root.usda", question["root"]));
    LayerPtr session;
    if (question.contains("session")) {
      SD_ASSIGN_OR_RETURN(session, Open("session.usda", question["session"]));
    }
    SD_ASSIGN_OR_RETURN(before_, Compose(session));
    v1::EditStageRequest request;
    const auto parsed =
        google::protobuf::util::JsonStringToMessage(question["request"].dump(), &request);
    if (!parsed.ok()) return InvalidArgumentError(parsed.ToString());
    return Apply(session, request);
  }

 private:
  absl::StatusOr<LayerPtr> Open(const std::string& name, const std::string& text) {
    scene_.Write(name, text);
    return scene_.layers().Open(scene_.context(), {}, Concat("/", name), nullptr);
  }
  absl::StatusOr<StagePtr> Compose(LayerPtr session) {
    return Stage::Open(scene_.context(), scene_.environment(), {}, root_, std::move(session));
  }

  absl::StatusOr<Json> Apply(const LayerPtr& session, const v1::EditStageRequest& request) {
    EditedStage stage(scene_.context(), session ? LayerBuilder(*session) : LayerBuilder(),
                      {.identifier = kName, .format = "usda", .anonymous = true}, before_,
                      [this](LayerPtr layer) { return Compose(std::move(layer)); });
    SD_ASSIGN_OR_RETURN(const EditTarget target, server::ParseEditTarget(request.target()));
    stage.set_target(target);
    Json errors = Json::array();
    for (int i = 0; i < request.edits_size(); ++i) {
      if (!server::ApplyLayerEdit(stage, request.edits(i)).ok()) errors.push_back(i);
    }
    const LayerPtr edited = stage.BuildLayer();
    SD_ASSIGN_OR_RETURN(const StagePtr derived,
                        Stage::Recompose(scene_.context(), before_, {}, root_, edited));
    SD_ASSIGN_OR_RETURN(const StagePtr opened, Compose(edited));
    SD_ASSIGN_OR_RETURN(const std::string a, Flattened(scene_.context(), *derived));
    SD_ASSIGN_OR_RETURN(const std::string b, Flattened(scene_.context(), *opened));
    return Json{{"errors", errors}, {"session", WriteUsda(*edited)}, {"agrees", a == b}};
  }

  TestScene scene_;
  LayerPtr root_;
  StagePtr before_;
};

void Answer(const std::string& line) {
  const absl::StatusOr<Json> answer = Editing().Run(Json::parse(line));
  const Json shown =
      answer.ok() ? *answer : Json{{"failed", std::string(Message(answer.status()))}};
  std::cout << shown.dump() << std::endl;
}

}  // namespace
}  // namespace stagedoor

int main() {
  for (std::string line; std::getline(std::cin, line);) stagedoor::Answer(line);
  return 0;
}
