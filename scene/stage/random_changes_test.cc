// Random edits of random scenes: whatever differs between the snapshots before and after must be
// covered by the changes that are reported.
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/stage_changes.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class RandomScene {
 public:
  explicit RandomScene(unsigned seed) : random_(seed) {}

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  // A layer of prims A, B, C … with arcs to each other, and to layers after `level`.
  std::string Text(int level, bool overs) {
    std::string text;
    if (level == 0 && Pick(4) == 0) text += "(\n  defaultPrim = \"B\"\n)\n";
    for (char name = 'A'; name < 'F'; ++name) {
      if (Pick(3) > 0) text += Prim(name, level, 0, overs);
    }
    return text;
  }

 private:
  std::string Arcs(int level) {
    std::string arcs;
    const auto target = [&] {
      std::string path = Concat("</", static_cast<char>('A' + Pick(5)));
      if (Pick(4) == 0) path += Concat('/', static_cast<char>('A' + Pick(5)));
      return path + ">";
    };
    if (Pick(5) == 0) arcs += Concat("  inherits = ", target(), "\n");
    if (Pick(8) == 0) arcs += Concat("  specializes = ", target(), "\n");
    if (Pick(5) == 0) arcs += Concat("  references = ", target(), "\n");
    if (level < 2 && Pick(3) == 0) {
      arcs += Concat("  payload = @./layer", level + 1, ".usda@", target(), "\n");
    }
    if (Pick(8) == 0) arcs += "  instanceable = true\n";
    if (Pick(10) == 0) arcs += "  active = false\n";
    if (Pick(6) == 0) arcs += Concat("  doc = \"", Pick(2), "\"\n");
    if (Pick(8) == 0) arcs += Concat("  variants = { string s = \"v", Pick(2), "\" }\n");
    return arcs;
  }

  std::string Prim(char name, int level, int depth, bool overs) {
    const bool variants = Pick(8) == 0;
    std::string arcs = overs && Pick(3) > 0 ? "" : Arcs(level);
    if (variants) arcs += "  prepend variantSets = \"s\"\n";
    std::string text = Concat(overs && Pick(4) > 0 ? "over" : (Pick(6) == 0 ? "class" : "def"),
                              " \"", name, "\" (\n", arcs, ") {\n");
    for (int i = 0; i < 2; ++i) {
      if (Pick(2) == 0) text += Concat("  double x", i, " = ", Pick(3), "\n");
    }
    if (depth < 2) {
      for (char child = 'A'; child < 'D'; ++child) {
        if (Pick(3) == 0) text += Prim(child, level, depth + 1, overs);
      }
    }
    if (variants) {
      text += Concat("  variantSet \"s\" = {\n    \"v", Pick(2),
                     "\" {\n      double x0 = ", Pick(3), "\n    }\n  }\n");
    }
    return text + "}\n";
  }

  std::mt19937 random_;
};

// Null if the scene is too large.
std::shared_ptr<const Stage> Open(TestScene& scene) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = 300000});
  StageOptions options;
  options.root = "/layer0.usda";
  options.session = "/session.usda";
  scene.mutable_environment().max_prims = 2000;
  const auto stage = Stage::Open(context, scene.environment(), std::move(options));
  return stage.ok() ? *stage : nullptr;
}

// Descriptions of all that clients can see of each prim and property, by its path.
std::map<std::string, std::string> Describe(const Stage& stage) {
  RequestContext context;
  std::map<std::string, std::string> all;
  size_t count = 0;
  for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
    if (++count > 5000) break;
    std::string& text = all[prim.PathText()];
    text = Concat(prim.data().flags, ' ', static_cast<int>(prim.specifier()), ' ',
                  prim.type_name().text());
    if (const auto* documentation =
            prim.Metadata(context, Token("documentation")).Get<std::string>()) {
      text += *documentation;
    }
    for (const VariantSetInfo& set : prim.VariantSets(context)) {
      text += Concat(' ', set.name, '=', set.selection, Join(set.choices, ","));
    }
    for (const Token name : prim.AuthoredPropertyNames()) {
      const Value value = prim.GetAttribute(name).Get(context, TimeCode::Default());
      const double* number = value.Get<double>();
      all[Concat(prim.PathText(), '.', name.text())] = number ? Concat(*number) : "?";
    }
  }
  return all;
}

bool Covers(const StageChanges& changes, const std::string& path) {
  if (changes.changed_infos.contains(path) || changes.everything()) return true;
  for (const std::string& root : changes.resynced) {
    if (path == root || path.starts_with(root + "/") || path.starts_with(root + ".")) return true;
  }
  return false;
}

TEST(RandomChangesTest, EveryDifferenceIsCovered) {
  size_t differences = 0, precise = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomScene random(seed);
    TestScene scene;
    scene.Write("session.usda", random.Text(2, true));
    for (int level = 0; level < 3; ++level) {
      scene.Write(Concat("layer", level, ".usda"), random.Text(level, false));
    }
    auto before = Open(scene);
    if (before == nullptr) continue;
    for (int edit = 0; edit < 6; ++edit) {
      if (random.Pick(3) > 0) {
        scene.Write("session.usda", random.Text(2, true));
      } else {
        const int level = random.Pick(3);
        scene.Write(Concat("layer", level, ".usda"), random.Text(level, false));
      }
      const auto after = Open(scene);
      if (after == nullptr) continue;
      RequestContext context;
      const auto changes = StageChanges::Find(context, *before, *after, {});
      ASSERT_TRUE(changes.ok()) << changes.status();
      precise += !changes->everything();
      const auto old_state = Describe(*before), new_state = Describe(*after);
      for (const auto& [from, to] : {std::pair(&old_state, &new_state), {&new_state, &old_state}}) {
        for (const auto& [path, text] : *from) {
          const auto other = to->find(path);
          if (other != to->end() && other->second == text) continue;
          ++differences;
          EXPECT_TRUE(Covers(*changes, path))
              << "seed " << seed << " edit " << edit << ": " << path;
        }
      }
      before = after;
    }
  }
  EXPECT_GT(differences, 1000u);
  EXPECT_GT(precise, 100u);
}

}  // namespace
}  // namespace stagedoor
