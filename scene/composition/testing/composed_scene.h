#ifndef STAGEDOOR_SCENE_COMPOSITION_TESTING_COMPOSED_SCENE_H_
#define STAGEDOOR_SCENE_COMPOSITION_TESTING_COMPOSED_SCENE_H_

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "base/status.h"
#include "scene/composition/composer.h"
#include "scene/usda/usda_reader.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// Layer names, each with the text of the layer without its "#usda 1.0" line.
using Texts = std::map<std::string, std::string>;

// A LayerSource over such texts; the identifier of a layer is its name.
class TextLayers final : public LayerSource {
 public:
  explicit TextLayers(const Texts& texts) {
    for (const auto& [name, text] : texts) {
      layers_[name] = ReadUsda("#usda 1.0\n" + text, {.identifier = name}).value();
    }
  }
  void Add(std::shared_ptr<const Layer> layer) { layers_[layer->identifier()] = std::move(layer); }
  std::string Identify(RequestContext&, std::string_view path, const Layer*) override {
    return std::string(path);
  }
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext&,
                                                    const std::string& identifier) override {
    const auto it = layers_.find(identifier);
    if (it == layers_.end()) return NotFoundError(identifier);
    return it->second;
  }

 private:
  std::map<std::string, std::shared_ptr<const Layer>> layers_;
};

// Composes a tiny scene of text layers, for tests. Not thread-safe.
//
// Composes a stage of the layer "root", with "session" as its session layer if there is one.
class ComposedScene {
 public:
  explicit ComposedScene(const Texts& texts, CompositionOptions options = {})
      : ComposedScene(std::make_unique<TextLayers>(texts), std::move(options)) {}
  explicit ComposedScene(std::unique_ptr<TextLayers> source, CompositionOptions options = {}) {
    auto root = source->Open(context_, "root").value();
    auto session = source->Open(context_, "session").value_or(nullptr);
    composer_ = Composer::Create(context_, std::move(source), root, session, std::move(options));
  }

  PrimIndexRef Compose(const std::string& path) {
    PrimIndexRef ref = composer_->ComposeRoot(context_);
    Path at = Path::AbsoluteRoot();
    for (const Path prefix : Path::Parse(path)->Prefixes()) {
      ref = composer_->ComposeChild(context_, ref, at, prefix.name());
      at = prefix;
    }
    return ref;
  }
  // The prim stack, strongest first: "root/A ref/B{v=x}" (layer name, then spec path).
  std::string Stack(const std::string& path) {
    const PrimIndexRef ref = Compose(path);
    std::string text;
    for (const PrimSpecHandle& site : ref.index->prim_stack()) {
      if (!text.empty()) text += ' ';
      text += SpecName(site);
    }
    return text;
  }
  std::string Children(const std::string& path) {
    std::string text;
    const PrimIndexRef ref = Compose(path);
    for (const Token name : ref.index->child_names()) text += name.str() + " ";
    return text;
  }
  std::string Errors(const std::string& path) {
    std::string text;
    const PrimIndexRef ref = Compose(path);
    for (const CompositionError& e : ref.index->errors()) {
      text += std::string(CompositionErrorName(e.type)) + " ";
    }
    return text;
  }
  // The messages of the prim's composition errors, one line each.
  std::string Messages(const std::string& path) {
    std::string text;
    const PrimIndexRef ref = Compose(path);
    for (const CompositionError& e : ref.index->errors()) text += e.message + "\n";
    return text;
  }
  // The "offset,scale" from layer time to stage time of each spec in the prim stack: "0,1 10,2".
  std::string Offsets(const std::string& path) {
    std::ostringstream text;
    const PrimIndexRef ref = Compose(path);
    for (const PrimSpecHandle& site : ref.index->prim_stack()) {
      const LayerOffset offset = ref.OffsetOf(site);
      text << (text.view().empty() ? "" : " ") << offset.offset << "," << offset.scale;
    }
    return text.str();
  }
  // Maps `target`, a path that `spec` ("root/A", as in Stack) refers to, to the stage.
  std::string Target(const std::string& path, const std::string& spec, const std::string& target) {
    const PrimIndexRef ref = Compose(path);
    for (const PrimSpecHandle& site : ref.index->prim_stack()) {
      if (SpecName(site) == spec) return ref.MapToStage(site.node, *Path::Parse(target)).ToString();
    }
    return "no such spec";
  }
  std::string Dump(const std::string& path) { return Compose(path).index->Dump(); }
  std::string StackErrors() {
    std::string text;
    for (const auto& stack : composer_->LayerStacks()) {
      for (const CompositionError& e : stack->errors()) {
        text += std::string(CompositionErrorName(e.type)) + " ";
      }
    }
    return text;
  }
  std::string StackMessages() {
    std::string text;
    for (const auto& stack : composer_->LayerStacks()) {
      for (const CompositionError& e : stack->errors()) text += e.message + "\n";
    }
    return text;
  }
  Composer& composer() { return *composer_; }
  RequestContext& context() { return context_; }

 private:
  static std::string SpecName(const PrimSpecHandle& site) {
    return site.layer->identifier() + site.layer->tree().path(site.spec).ToString();
  }

  RequestContext context_;
  std::unique_ptr<Composer> composer_;
};

// A layer whose prim </P> has an arc of every type except relocates.
inline constexpr char kEveryArc[] = R"(
class "I"
{
}
def "Ref"
{
}
def "Pay"
{
}
class "S"
{
}
def "P" (
    inherits = </I>
    references = </Ref>
    payload = </Pay>
    specializes = </S>
    variants = { string v = "x" }
    variantSets = "v"
)
{
    variantSet "v" = {
        "x" {
            def "InVariant"
            {
            }
        }
    }
}
)";

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_TESTING_COMPOSED_SCENE_H_
