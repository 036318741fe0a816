#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "benchmarks/attributes.h"
#include "benchmarks/bench_engine.h"
#include "benchmarks/flattening.h"
#include "benchmarks/groups.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"
#include "benchmarks/transforms.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor::bench {
namespace {

class CityGroup {
 public:
  CityGroup(const std::string& scenes, Report& report)
      : info_(scenes, "city"), report_(report), engine_(report.options().one_thread) {
    stage_ = engine_.Open(info_.root());
    prims_ = AllPrims(*stage_, PrimFlagsPredicate::Default());
    some_ = Subsample(prims_, report.brief() ? 4000 : 20000);
    attributes_ = AuthoredAttributes(some_);
    std::shuffle(attributes_.begin(), attributes_.end(), std::mt19937(1));
    attributes_.resize(std::min<size_t>(attributes_.size(), report.brief() ? 5000 : 50000));
  }

  // Checks the number of lots, of buildings that are not instances, and the depth of the scene.
  void CheckAnswers() {
    int lots = 0, plain = 0;
    for (const Prim& prim : prims_) {
      lots += prim.name().str().starts_with("Lot_");
      plain += prim.name() == Token("Building") && !prim.IsInstance();
    }
    Require(lots == info_.integer("lots"), "city: wrong number of lots");
    Require(plain == info_.integer("plainBuildings"), "city: wrong number of plain buildings");
    size_t depth = 0;
    for (const Prim& prim : stage_->Traverse(PrimFlagsPredicate::Default().WithInstanceProxies())) {
      depth = std::max(depth, prim.path().depth());
    }
    Require(depth == info_.number("depth"), "city: wrong depth");
    stage_->VisitErrors([](const CompositionError& error) {
      Require(false, "city: " + error.message);
      return false;
    });
    report_.Add("city.prims", "count", {static_cast<double>(prims_.size())});
  }

  void Traversals() {
    report_.Rate("city.traverse.bare_prims_per_s", "1/s",
                 [&] { return Count(PrimFlagsPredicate::Default()); });
    report_.Rate("city.traverse.prims_per_s", "1/s", [&] {
      size_t prims = 0, bytes = 0;
      for (const Prim& prim : stage_->Traverse(PrimFlagsPredicate::Default())) {
        bytes += prim.path().ToString().size() + prim.type_name().str().size();
        ++prims;
      }
      Require(prims == prims_.size() && bytes > prims, "city: prims are missing");
      return static_cast<double>(prims);
    });
    report_.Rate("city.traverse.proxies_per_s", "1/s",
                 [&] { return Count(PrimFlagsPredicate::Default().WithInstanceProxies()); });
    report_.Rate("city.traverse.properties_per_s", "1/s", [&] {
      size_t properties = 0;
      for (const Prim& prim : some_) properties += prim.AuthoredPropertyNames().size();
      return static_cast<double>(properties);
    });
    std::vector<std::string> paths;
    for (const Prim& prim : some_) paths.push_back(prim.path().ToString());
    report_.Rate("city.lookup.prims_per_s", "1/s", [&] {
      size_t found = 0;
      for (const std::string& path : paths) found += stage_->FindPrim(path).valid();
      Require(found == paths.size(), "city: a prim is not found by its path");
      return static_cast<double>(found);
    });
  }

  void Attributes() {
    RequestContext& context = engine_.context();
    report_.Rate("city.get.default.values_per_s", "1/s", [&] {
      size_t found = 0;
      for (const Attribute& a : attributes_) found += !a.Get(context, TimeCode::Default()).empty();
      Require(found * 2 > attributes_.size(), "city: values are missing");
      return static_cast<double>(attributes_.size());
    });
    report_.Rate("city.resolveinfo.calls_per_s", "1/s", [&] {
      size_t found = 0;
      for (const Attribute& a : attributes_) {
        found += a.Compile(context).kind() != ResolveInfoSource::kNone;
      }
      Require(found > 0, "city: no sources");
      return static_cast<double>(attributes_.size());
    });
    const std::vector<Attribute> few(
        attributes_.begin(), attributes_.begin() + std::min<size_t>(5000, attributes_.size()));
    report_.Rate("city.propertystack.calls_per_s", "1/s", [&] {
      size_t opinions = 0;
      for (const Attribute& a : few) opinions += a.Stack().size();
      Require(opinions >= few.size(), "city: opinions are missing");
      return static_cast<double>(few.size());
    });
  }

  void Geometry() {
    RequestContext& context = engine_.context();
    const std::vector<Prim> xformable = FilterXformable(some_);
    MeasureTransforms("city.xform", context, xformable, {1.0}, &engine_.executor(), report_);
    const Prim city = stage_->FindPrim("/City");
    report_.Rate(
        "city.bounds.prims_per_s", "1/s",
        [&] {
          ComputeWorldBound(context, city, &engine_.executor());
          return static_cast<double>(prims_.size());
        },
        report_.few_runs(), /*warm=*/false);
  }

  // Sessions on a stage that others share too: each edit is of a snapshot without edits, and the
  // next one of a snapshot with a hundred.
  void Edits() {
    std::vector<Prim> plain;
    for (const Prim& prim : some_) {
      if (!prim.IsInstanceProxy() && plain.size() < 100) plain.push_back(prim);
    }
    report_.Rate("city.edit.first_per_s", "1/s", [&] {
      for (size_t i = 0; i < 10; ++i) Edit(stage_, plain[i].path(), nullptr);
      return 10.0;
    });
    std::shared_ptr<const Layer> session;
    std::shared_ptr<const Stage> edited = stage_;
    for (const Prim& prim : plain) {
      std::tie(edited, session) = Edit(edited, prim.path(), session.get());
    }
    report_.Rate("city.edit.next_per_s", "1/s", [&] {
      for (size_t i = 0; i < 10; ++i) Edit(edited, plain[i].path(), session.get());
      return 10.0;
    });
    report_.Rate("city.edit.structure_per_s", "1/s", [&] {
      LayerBuilder builder;
      builder.Set(builder.EnsurePrim(plain.back().path()), Fields().active, Value(false));
      auto layer = std::move(builder).Build({.identifier = "session.usda", .anonymous = true});
      Require(Stage::EditSession(engine_.context(), stage_, std::move(layer)).ok(),
              "city: deactivating a prim fails");
      return 1.0;
    });
    // No other layer has this property.
    const Prim prim = edited->FindPrim(plain[0].path());
    Require(prim.GetAttribute(Token("edited")).valid(), "city: an edit has no effect");
    Require(edited->prim_count() == stage_->prim_count(), "city: an edit has lost prims");
  }

  void Flatten() { MeasureFlatten("city.flatten_s", engine_.context(), *stage_, report_); }

 private:
  using Edited = std::pair<std::shared_ptr<const Stage>, std::shared_ptr<const Layer>>;

  // Sets a value in a copy of `session`, which may be null.
  Edited Edit(const std::shared_ptr<const Stage>& before, Path prim, const Layer* session) {
    LayerBuilder builder = session == nullptr ? LayerBuilder() : LayerBuilder(*session);
    const SpecId attribute =
        builder.EnsureProperty(prim.AppendProperty(Token("edited")), SpecType::kAttribute);
    builder.Set(attribute, Fields().typeName, Value(Token("double")));
    builder.Set(attribute, Fields().default_, Value(++edits_));
    auto layer = std::move(builder).Build({.identifier = "session.usda", .anonymous = true});
    auto stage = Stage::EditSession(engine_.context(), before, layer);
    Require(stage.ok(), "city: an edit fails");
    return {*std::move(stage), std::move(layer)};
  }

  double Count(PrimFlagsPredicate predicate) const {
    size_t prims = 0;
    for ([[maybe_unused]] const Prim& prim : stage_->Traverse(predicate)) ++prims;
    return static_cast<double>(prims);
  }

  const SceneInfo info_;
  Report& report_;
  BenchEngine engine_;
  std::shared_ptr<const Stage> stage_;
  std::vector<Prim> prims_, some_;
  std::vector<Attribute> attributes_;
  double edits_ = 0;
};

}  // namespace

void MeasureCity(const std::string& scenes, Report& report) {
  CityGroup group(scenes, report);
  group.CheckAnswers();
  group.Traversals();
  group.Attributes();
  group.Geometry();
  group.Edits();
  group.Flatten();
}

}  // namespace stagedoor::bench
