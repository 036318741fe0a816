// Applies random edits to recorded random scenes, and compares each snapshot that was derived from
// the previous one with a newly opened stage.
#include <cstddef>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

constexpr int kEditsPerScene = 8;
// Random arcs can multiply without end; such scenes are skipped.
constexpr size_t kMaxPrims = 200;
constexpr uint64_t kMaxSteps = 200'000;

// The visible state of a stage: one line for each prim, and the values of its attributes.
struct Snapshot {
  std::vector<std::string> prims;
  std::vector<std::pair<std::string, Value>> values;
};

class RandomEdits {
 public:
  RandomEdits(const nlohmann::json& scene, unsigned seed) : random_(seed) {
    for (const auto& [name, text] : scene["files"].items()) {
      scene_.Write(name, text.get<std::string>());
    }
    scene_.mutable_environment().max_prims = kMaxPrims;
    auto root = scene_.layers().Open(scene_.context(), {}, "/l0.usd", nullptr);
    if (root.ok()) root_ = *std::move(root);
  }

  // False if the scene is too large.
  bool Open() {
    if (root_ == nullptr) return false;
    RequestContext context = Limited();
    auto stage = Stage::Open(context, scene_.environment(), {}, root_, nullptr);
    if (!stage.ok()) return false;
    stage_ = *std::move(stage);
    return true;
  }

  // Edits the stage and compares the result. False if it becomes too large.
  bool Step() {
    StageOptions options = stage_->options();
    options.kept_layers = nullptr;
    const bool loads = Pick(8) == 0;
    loads ? ChangeLoadRules(options) : EditSession();
    RequestContext context = Limited();
    auto fresh = Stage::Open(context, scene_.environment(), options, root_, session_);
    if (!fresh.ok()) return false;
    auto edited = loads ? Stage::Recompose(scene_.context(), stage_, options, root_, session_)
                        : Stage::EditSession(scene_.context(), stage_, session_);
    EXPECT_TRUE(edited.ok()) << history_;
    if (!edited.ok()) return false;
    shared_ += (*edited)->data().population == stage_->data().population ? 1 : 0;
    Compare(**edited, **fresh);
    stage_ = *std::move(edited);
    return true;
  }

  // The number of edits that kept the prims.
  size_t shared() const { return shared_; }

 private:
  static RequestContext Limited() {
    return RequestContext(RequestContext::Clock::time_point::max(), {.max_steps = kMaxSteps});
  }

  size_t Pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  Path RandomPrim() {
    std::vector<Path> prims;
    for (const Prim& prim : stage_->Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
      prims.push_back(prim.path());
    }
    const Path prim = prims.empty() ? Path::AbsoluteRoot() : prims[Pick(prims.size())];
    // Sometimes a prim that may not exist.
    return prims.empty() || Pick(12) == 0 ? prim.AppendChild(Token("X")) : prim;
  }

  void ChangeLoadRules(StageOptions& options) {
    const Path path = RandomPrim();
    const bool load = Pick(2) == 0;
    load ? options.load.Load(path, true) : options.load.Unload(path);
    history_ += Concat(load ? "load " : "unload ", path.ToString(), "\n");
  }

  void EditSession() {
    LayerBuilder builder = session_ == nullptr ? LayerBuilder() : LayerBuilder(*session_);
    const Path prim = RandomPrim();
    const size_t kind = Pick(12);
    history_ += Concat("edit ", kind, " ", prim.ToString(), "\n");
    if (kind == 0) {
      if (const SpecId spec = builder.Find(prim); spec != kNoSpec) builder.Remove(spec);
    } else if (kind < 7) {
      const Path path = prim.AppendProperty(Token(Concat("p", Pick(4))));
      const SpecId spec = builder.EnsureProperty(path, SpecType::kAttribute);
      builder.Set(spec, Fields().typeName, Value(Token("int")));
      builder.Set(spec, Fields().default_, Value(static_cast<int>(Pick(1000))));
    } else {
      SetField(builder, builder.EnsurePrim(prim), kind);
    }
    session_ = std::move(builder).Build({.identifier = "/session.usda", .anonymous = true});
  }

  void SetField(LayerBuilder& builder, SpecId prim, size_t kind) {
    const FieldKeys& f = Fields();
    if (kind == 7) builder.Set(prim, f.hidden, Value(true));
    if (kind == 8) builder.Set(prim, f.active, Value(Pick(3) != 0));
    if (kind == 9) builder.Set(prim, f.kind, Value(Token("group")));
    if (kind == 10) builder.Set(prim, f.specifier, Value(Specifier::kDef));
    if (kind == 11) {
      const char* const names[] = {"a", "b"};
      builder.Set(prim, f.variantSelection,
                  Value(VariantSelections{{"v", names[Pick(2)]}, {"w", names[Pick(2)]}}));
    }
  }

  Snapshot Describe(const Stage& stage) {
    Snapshot result;
    for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
      std::string line = Concat(prim.PathText(), " ", prim.data().flags);
      for (const PrimSpecHandle& site : prim.index().index->prim_stack()) {
        const LayerOffset offset = prim.index().OffsetOf(site);
        line += Concat(" ", site.layer->identifier(), site.layer->tree().path(site.spec).ToString(),
                       "*", offset.scale, "+", offset.offset);
      }
      for (const Token name : prim.PropertyNames()) {
        const Attribute attribute = prim.GetAttribute(name);
        if (!attribute.valid()) continue;
        for (const TimeCode time : {TimeCode::Default(), TimeCode::At(2)}) {
          result.values.emplace_back(Concat(prim.PathText(), ".", name.text()),
                                     attribute.Get(scene_.context(), time));
        }
      }
      result.prims.push_back(std::move(line));
    }
    return result;
  }

  void Compare(const Stage& edited, const Stage& fresh) {
    const Snapshot a = Describe(edited), b = Describe(fresh);
    EXPECT_EQ(a.prims, b.prims) << history_;
    ASSERT_EQ(a.values.size(), b.values.size()) << history_;
    for (size_t i = 0; i < a.values.size(); ++i) {
      EXPECT_TRUE(a.values[i] == b.values[i]) << a.values[i].first << "\n" << history_;
    }
  }

  std::mt19937 random_;
  TestScene scene_;
  std::shared_ptr<const Layer> root_, session_;
  std::shared_ptr<const Stage> stage_;
  std::string history_;
  size_t shared_ = 0;
};

TEST(RandomEditsTest, SnapshotsEqualNewStages) {
  std::ifstream file("scene/composition/recorded_scenes.jsonl");
  ASSERT_TRUE(file.good());
  size_t scenes = 0, edits = 0, shared = 0;
  for (std::string line; std::getline(file, line); ++scenes) {
    if (testing::Test::HasFailure()) break;
    SCOPED_TRACE(Concat("scene ", scenes));
    RandomEdits run(nlohmann::json::parse(line), static_cast<unsigned>(scenes));
    if (!run.Open()) continue;
    for (int i = 0; i < kEditsPerScene && run.Step() && !testing::Test::HasFailure(); ++i) ++edits;
    shared += run.shared();
  }
  EXPECT_GT(edits, 4 * scenes) << "most scenes must be small enough";
  EXPECT_GT(shared, edits / 8) << "edits of values must keep the prims";
}

}  // namespace
}  // namespace stagedoor
