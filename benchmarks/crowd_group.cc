#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <map>
#include <random>
#include <span>
#include <utility>

#include "benchmarks/bench_engine.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"
#include "scene/geom/bbox3d.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skinning.h"
#include "scene/skel/skinning_influences.h"
#include "scene/skel/skinning_query.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/time_samples.h"
#include "scene/values/vec.h"

namespace stagedoor::bench {
namespace {

struct Character {
  bool instanced = false;
  std::vector<std::shared_ptr<const SkeletonQuery>> skeletons;
  std::vector<std::shared_ptr<const SkinningQuery>> meshes;
};

// Which meshes of a character to deform.
enum class Kind { kAll, kWithoutBlendShapes, kOnlyWithBlendShapes };

// Deforms many prims at the times of `poses`: prim by prim, so that what a prim uses at all times
// stays in the processor's caches, and in parallel if options.executor is not null. Result i is
// that of prim i / poses.size() at time i % poses.size().
std::vector<SkinResult> DeformAll(RequestContext& context,
                                  std::span<const std::shared_ptr<const SkinningQuery>> prims,
                                  std::span<PoseCache> poses, const SkinOptions& options) {
  std::vector<const SkeletonQuery*> skeletons;
  skeletons.reserve(prims.size());
  for (const auto& prim : prims) skeletons.push_back(&prim->skeleton());
  // Poses first, on all threads: prims then only look them up.
  for (PoseCache& at : poses) at.Prepare(context, skeletons, options.executor);
  // On one thread, because pose caches are for one thread.
  std::vector<SkinPose> where;
  where.reserve(prims.size() * poses.size());
  for (const auto& prim : prims) {
    for (PoseCache& at : poses) where.push_back(prim->PoseAt(context, at));
  }
  std::vector<SkinResult> results(where.size());
  const auto deform = [&](size_t begin, size_t end) {
    for (size_t i = begin * poses.size(); i < end * poses.size() && context.Check().ok(); ++i) {
      results[i] = prims[i / poses.size()]->Deform(context, where[i], options);
    }
  };
  if (options.executor && prims.size() > 1) {
    ParallelFor(*options.executor, prims.size(), 1, deform);
  } else {
    deform(0, prims.size());
  }
  return results;
}

class CrowdGroup {
 public:
  CrowdGroup(const std::string& scenes, Report& report)
      : info_(scenes, "crowd"),
        report_(report),
        engine_(report.one_thread()),
        executor_(report.one_thread() ? nullptr : &engine_.executor()),
        times_({5.0, 17.5, 60.0}) {
    if (!report.brief()) times_.insert(times_.end(), {101.25, 180.0});
    stage_ = engine_.Open(info_.root());
  }

  void Populate() {
    std::vector<std::string> roots = info_.texts("skelRoots");
    roots.resize(std::min<size_t>(roots.size(), report_.brief() ? 8 : 24));
    report_.Settle();
    const double seconds = Seconds([&] {
      for (const std::string& root : roots) characters_.push_back(MakeCharacter(root));
    });
    report_.Add("crowd.populate.roots_per_s", "1/s", {static_cast<double>(roots.size()) / seconds});
    CheckAnswers();
  }

  void Skin() {
    report_.MeasureParallelRate("crowd.skin.points_per_s", "1/s", Deformation(Kind::kAll));
    report_.MeasureParallelRate("crowd.skin_lbs.points_per_s", "1/s",
                                Deformation(Kind::kWithoutBlendShapes));
    report_.MeasureParallelRate("crowd.skin_blend.points_per_s", "1/s",
                                Deformation(Kind::kOnlyWithBlendShapes));
    report_.MeasureTwoThreadRate("crowd.skin.points_per_s.t2", "1/s",
                                 [&](int half) { return DeformHalf(half, Kind::kAll); });
    report_.Rate("crowd.skin_xforms.joints_per_s", "1/s", [&] {
      size_t joints = 0;
      for (double time : times_) {
        for (const Character& c : characters_) {
          for (const auto& skeleton : c.skeletons) {
            const auto xforms = skeleton->SkinningTransforms(engine_.context(), TimeCode::At(time));
            Require(xforms.has_value(), "crowd: a skeleton has no transforms");
            joints += xforms->size();
          }
        }
      }
      return static_cast<double>(joints);
    });
  }

  // Measures the kernels on one large mesh without a stage. Influences are prepared once, as in the
  // engine.
  void Kernels() {
    constexpr int kJoints = 100;
    const size_t count = report_.brief() ? 20000 : 200000;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(0, 1);
    std::vector<Vec3f> points(count), out(count);
    std::vector<int> indices(count * 4);
    std::vector<float> weights(count * 4);
    for (Vec3f& p : points) p = {unit(random), unit(random), unit(random)};
    for (int& i : indices) i = static_cast<int>(random() % kJoints);
    for (float& w : weights) w = unit(random) / 4;
    std::vector<Matrix4d> joints(kJoints, Matrix4d::Identity());
    for (Matrix4d& m : joints) m[3][0] = unit(random);
    const auto influences = SkinningInfluences::Create(indices, weights, 4, count, kJoints);
    Require(influences.ok(), "crowd: influences are rejected");
    const auto skin = [&](SkinningMethod method, Executor* executor) {
      SkinPoints(method, *influences, Matrix4d::Identity(), joints, points, out, executor);
      return static_cast<double>(count);
    };
    constexpr auto kLinear = SkinningMethod::kLinear;
    constexpr auto kDual = SkinningMethod::kDualQuaternion;
    skin(kLinear, nullptr);
    CheckKernel(kLinear, *influences, joints, points, out);
    report_.Rate("crowd.skin_kernel_serial.points_per_s", "1/s",
                 [&] { return skin(kLinear, nullptr); });
    const auto halves = PrepareHalves(indices, weights, kJoints);
    const auto skin_half = [&](int half) {
      const size_t first = half == 0 ? 0 : halves[0].points();
      const std::span<const Vec3f> in(points.data() + first, halves[half].points());
      SkinPoints(kLinear, halves[half], Matrix4d::Identity(), joints, in,
                 std::span(out).subspan(first, in.size()));
      return static_cast<double>(in.size());
    };
    report_.MeasureParallelRate(
        "crowd.skin_kernel_parallel.points_per_s", "1/s",
        {.half = skin_half, .all = [&] { return skin(kLinear, &engine_.executor()); }});
    for (size_t i = 0; i < joints.size(); ++i) {
      joints[i] = AxisRotationMatrix({1, 2, 3}, 3.6 * static_cast<double>(i)) * joints[i];
    }
    skin(kDual, nullptr);
    CheckKernel(kDual, *influences, joints, points, out);
    report_.Rate("crowd.skin_dual_kernel_serial.points_per_s", "1/s",
                 [&] { return skin(kDual, nullptr); });
    report_.Rate("crowd.skin_dual_plain_serial.points_per_s", "1/s", [&] {
      SkinPointsReference(kDual, *influences, Matrix4d::Identity(), joints, points, out);
      return static_cast<double>(count);
    });
  }

  // Bakes points, normals and extents of plain characters into time samples in memory.
  void Bake() {
    const int frames = report_.brief() ? 4 : 24;
    const auto plain = PlainCharacters(report_.brief() ? 2 : 8);
    const auto bake_half = [&](int half) {
      return BakeSome(Half(plain, half), frames, nullptr, half);
    };
    const auto bake_all = [&] { return BakeSome(plain, frames, executor_, 0); };
    report_.MeasureParallelRate("crowd.bake.points_per_s", "1/s",
                                {.half = bake_half, .all = bake_all}, report_.few_runs(), false);
  }

 private:
  Character MakeCharacter(const std::string& path) {
    RequestContext& context = engine_.context();
    const Prim root = stage_->FindPrim(path);
    Require(root.valid(), "crowd: a character is missing");
    Character character{.instanced = root.IsInstance()};
    std::map<Path, std::shared_ptr<const SkeletonQuery>> skeletons;
    for (SkinBinding& binding : FindSkinBindings(context, root)) {
      std::shared_ptr<const SkeletonQuery>& skeleton = skeletons[binding.skeleton.path()];
      if (skeleton == nullptr) {
        auto made = SkeletonQuery::Compile(context, binding.skeleton);
        Require(made.ok(), "crowd: a skeleton is invalid");
        skeleton = *std::move(made);
        character.skeletons.push_back(skeleton);
      }
      character.meshes.push_back(SkinningQuery::Compile(context, std::move(binding), skeleton));
    }
    return character;
  }

  SpreadWork Deformation(Kind kind) {
    return {.half = [=, this](int half) { return DeformHalf(half, kind); },
            .all = [=, this] { return DeformSome(characters_, kind, executor_, 0); }};
  }

  double DeformHalf(int half, Kind kind) {
    return DeformSome(Half(characters_, half), kind, nullptr, half);
  }

  template <typename T>
  static std::span<const T> Half(const std::vector<T>& items, int half) {
    const std::span<const T> all(items);
    return half == 0 ? all.first(items.size() / 2) : all.subspan(items.size() / 2);
  }

  // Each character has six meshes, two of them rigid. Also checks the point count of all
  // characters.
  void CheckAnswers() {
    size_t points = 0;
    for (const Character& character : characters_) {
      int rigid = 0;
      for (const auto& mesh : character.meshes) {
        rigid += mesh->is_rigidly_deformed();
        const Attribute attribute = mesh->binding().prim.GetAttribute(Token("points"));
        const Value value = attribute.Get(engine_.context(), TimeCode::At(1));
        points += value.array() ? value.array()->size() : 0;
      }
      Require(character.meshes.size() == 6 && rigid == 2, "crowd: meshes are missing");
    }
    const bool all = characters_.size() == info_.texts("skelRoots").size();
    Require(!all || points == info_.number("points"), "crowd: wrong number of points");
  }

  // Returns the points of deformed meshes; rigid meshes only move. Without an executor, two threads
  // may process different halves.
  double DeformSome(std::span<const Character> characters, Kind kind, Executor* executor,
                    int half) {
    SkinOptions options;
    options.normals = false;
    options.blend_shapes = kind != Kind::kWithoutBlendShapes;
    options.executor = executor;
    std::vector<std::shared_ptr<const SkinningQuery>> meshes;
    for (const Character& character : characters) {
      for (const auto& mesh : character.meshes) {
        if (kind == Kind::kOnlyWithBlendShapes && !mesh->has_blend_shapes()) continue;
        if (kind == Kind::kAll || !mesh->is_rigidly_deformed()) meshes.push_back(mesh);
      }
    }
    std::vector<PoseCache> poses;
    for (double time : times_) poses.emplace_back(TimeCode::At(time));
    const auto results = DeformAll(engine_.context(half), meshes, poses, options);
    size_t points = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      if (meshes[i / poses.size()]->is_rigidly_deformed()) {
        Require(results[i].xform.has_value(), "crowd: a rigid mesh is not moved");
      } else {
        Require(results[i].points.has_value() && results[i].warnings.empty(),
                "crowd: a mesh is not skinned");
        points += results[i].points->size();
      }
    }
    return static_cast<double>(points);
  }

  static void CheckKernel(SkinningMethod method, const SkinningInfluences& influences,
                          const std::vector<Matrix4d>& joints, const std::vector<Vec3f>& points,
                          const std::vector<Vec3f>& out) {
    std::vector<Vec3f> expected(points.size());
    SkinPointsReference(method, influences, Matrix4d::Identity(), joints, points, expected);
    for (size_t i = 0; i < out.size(); i += 37) {
      for (int c = 0; c < 3; ++c) {
        Require(std::abs(out[i][c] - expected[i][c]) < 1e-5f, "crowd: the kernel is wrong");
      }
    }
  }

  static std::array<SkinningInfluences, 2> PrepareHalves(std::span<const int> indices,
                                                         std::span<const float> weights,
                                                         size_t joints) {
    const size_t half = indices.size() / 8 * 4;
    auto first =
        SkinningInfluences::Create(indices.first(half), weights.first(half), 4, half / 4, joints);
    auto second = SkinningInfluences::Create(indices.subspan(half), weights.subspan(half), 4,
                                             (indices.size() - half) / 4, joints);
    Require(first.ok() && second.ok(), "crowd: influences are rejected");
    return {*std::move(first), *std::move(second)};
  }

  std::vector<const Character*> PlainCharacters(size_t wanted) const {
    std::vector<const Character*> plain;
    for (const Character& character : characters_) {
      if (!character.instanced && plain.size() < wanted) plain.push_back(&character);
    }
    return plain;
  }

  // Bakes characters in parallel, each of them frame by frame.
  double BakeSome(std::span<const Character* const> characters, int frames, Executor* executor,
                  int half) {
    std::atomic<size_t> points = 0;
    const auto bake = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) points += BakeCharacter(*characters[i], frames, half);
    };
    if (executor) {
      ParallelFor(*executor, characters.size(), 1, bake);
    } else {
      bake(0, characters.size());
    }
    Require(points > 0, "crowd: nothing was baked");
    return static_cast<double>(points);
  }

  // A deformed mesh as attribute values over time.
  struct Baked {
    std::vector<std::pair<double, Value>> points, normals, extents;

    void Add(double frame, const Array<Vec3f>& deformed, const Array<Vec3f>* turned) {
      const Range3d range = RangeOf(deformed.span());
      const auto corner = [](const Vec3d& v) {
        return Vec3f{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
      };
      extents.emplace_back(frame, Value(Array<Vec3f>{corner(range.min), corner(range.max)}));
      points.emplace_back(frame, Value(deformed));
      if (turned) normals.emplace_back(frame, Value(*turned));
    }
  };

  size_t BakeCharacter(const Character& character, int frames, int half) {
    std::vector<Baked> baked(character.meshes.size());
    size_t count = 0;
    for (int frame = 10; frame < 10 + frames; ++frame) {
      PoseCache poses(TimeCode::At(frame));
      for (size_t i = 0; i < baked.size(); ++i) {
        if (character.meshes[i]->is_rigidly_deformed()) continue;
        const SkinResult result = character.meshes[i]->Deform(engine_.context(half), poses, {});
        Require(result.points.has_value(), "crowd: a mesh is not skinned");
        count += result.points->size();
        baked[i].Add(frame, *result.points, result.normals ? &*result.normals : nullptr);
      }
    }
    std::vector<RefPtr<const TimeSamples>> attributes;
    for (Baked& mesh : baked) {
      for (auto* samples : {&mesh.points, &mesh.normals, &mesh.extents}) {
        attributes.push_back(MakeTimeSamples(std::move(*samples)));
      }
    }
    return count;
  }

  const SceneInfo info_;
  Report& report_;
  BenchEngine engine_;
  Executor* const executor_;
  std::vector<double> times_;
  std::shared_ptr<const Stage> stage_;
  std::vector<Character> characters_;
};

}  // namespace

void MeasureCrowd(const std::string& scenes, Report& report) {
  // Keep freed memory for the next results, as the daemon does.
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  // Otherwise each thread's heap grows page by page, each time with the process's mappings locked.
  mallopt(M_TOP_PAD, 16 << 20);
  CrowdGroup group(scenes, report);
  group.Populate();
  group.Skin();
  if (!report.options().one_thread) group.Kernels();
  group.Bake();
}

}  // namespace stagedoor::bench
