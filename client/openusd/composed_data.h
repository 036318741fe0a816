#ifndef STAGEDOOR_CLIENT_OPENUSD_COMPOSED_DATA_H_
#define STAGEDOOR_CLIENT_OPENUSD_COMPOSED_DATA_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "connections.h"
#include "daemon_stage.h"
#include "prim_tree.h"
#include "property_loader.h"
#include "result.h"
#include "spline_loader.h"
#include "stage_arguments.h"
#include "usd.h"
#include "value_loader.h"

namespace stagedoor::openusd {

// The data of a layer that shows a composed stage of a daemon, as UsdStage::Flatten would write it:
// prims with their composed fields, authored properties, values and time samples in stage time.
// All of it is of one snapshot, and is fetched when it is asked for. Cannot be edited.
//
// Thread-safe. While a thread waits for the daemon, it does not hold Python's lock. What cannot be
// fetched is posted as an error (TfError), which is an exception in Python, and looks like a field
// that is not there; it is asked for again the next time.
class ComposedData final : public SdfAbstractData {
 public:
  static Result<SdfAbstractDataRefPtr> Open(std::shared_ptr<const DaemonConnection> connection,
                                            const StageArguments& arguments);
  ~ComposedData() override = default;

  // The fingerprint of the newest snapshot of the stage, or of this one if the daemon cannot say.
  std::string FindNewestSnapshot() const;

  bool StreamsData() const override { return true; }
  bool HasSpec(const SdfPath& path) const override;
  SdfSpecType GetSpecType(const SdfPath& path) const override;
  bool Has(const SdfPath& path, const TfToken& field, SdfAbstractDataValue* value) const override;
  bool Has(const SdfPath& path, const TfToken& field, VtValue* value) const override;
  VtValue Get(const SdfPath& path, const TfToken& field) const override;
  const std::type_info& GetTypeid(const SdfPath& path, const TfToken& field) const override;
  std::vector<TfToken> List(const SdfPath& path) const override;

  // The times of what was fetched so far.
  std::set<double> ListAllTimeSamples() const override;
  std::set<double> ListTimeSamplesForPath(const SdfPath& path) const override;
  size_t GetNumTimeSamplesForPath(const SdfPath& path) const override;
  bool GetBracketingTimeSamples(double time, double* lower, double* upper) const override;
  bool GetBracketingTimeSamplesForPath(const SdfPath& path, double time, double* lower,
                                       double* upper) const override;
  bool GetPreviousTimeSampleForPath(const SdfPath& path, double time,
                                    double* previous) const override;
  bool QueryTimeSample(const SdfPath& path, double time, VtValue* value) const override;
  bool QueryTimeSample(const SdfPath& path, double time,
                       SdfAbstractDataValue* value) const override;

  // Edits are refused.
  void CreateSpec(const SdfPath&, SdfSpecType) override;
  void EraseSpec(const SdfPath&) override;
  void MoveSpec(const SdfPath&, const SdfPath&) override;
  void Set(const SdfPath&, const TfToken&, const VtValue&) override;
  void Set(const SdfPath&, const TfToken&, const SdfAbstractDataConstValue&) override;
  void Erase(const SdfPath&, const TfToken&) override;
  void SetTimeSample(const SdfPath&, double, const VtValue&) override;
  void EraseTimeSample(const SdfPath&, double) override;

 protected:
  void _VisitSpecs(SdfAbstractDataSpecVisitor* visitor) const override;

 private:
  // A property with the prim that has it. Both are null if there is no such property.
  struct Located {
    PrimEntry* prim = nullptr;
    const PropertyEntry* property = nullptr;
  };

  ComposedData(std::shared_ptr<const DaemonConnection> connection, const StageArguments& arguments)
      : id_(NextId()),
        connection_(std::move(connection)),
        arguments_(arguments),
        property_loader_(arguments.time.has_value()),
        value_loader_(arguments),
        spline_loader_(connection_, arguments) {}

  static uint64_t NextId();
  Result<bool> Load();
  // The stage whose payloads are loaded, for a layer whose boundaries are payloads.
  Result<const DaemonStage*> LoadedStage();

  // These post an error and return null or an empty value if something cannot be fetched.
  PrimEntry* FindPrim(const SdfPath& path) const;
  const PropertyTable* FindProperties(PrimEntry& prim) const;
  Located FindProperty(const SdfPath& path) const;
  VtValue GetDefault(const Located& located) const;
  // The value of a field that is there and does not change, so that it need not be copied; null if
  // there is none, or if it must be made.
  const VtValue* FindStored(const Located& located, const TfToken& field) const;
  bool HasDefault(const Located& located) const;
  VtValue GetSamples(const Located& located) const;
  VtValue GetSpline(const Located& located) const;

  // Visits a prim with its properties and variants; false once the visitor has seen enough.
  bool VisitPrim(PrimEntry& prim, SdfAbstractDataSpecVisitor* visitor) const;
  VtValue PrimField(PrimEntry& prim, const TfToken& field) const;
  VtValue VariantField(const SdfPath& path, const TfToken& field) const;
  VtValue PropertyField(const Located& located, const TfToken& field) const;
  SdfSpecType VariantSpecType(const SdfPath& path) const;

  const uint64_t id_;  // differs from those of all others, those that are gone included
  const std::shared_ptr<const DaemonConnection> connection_;
  const StageArguments arguments_;
  std::unique_ptr<DaemonStage> stage_;  // set by Load
  std::mutex loaded_mu_;
  std::unique_ptr<DaemonStage> loaded_stage_;  // guarded by loaded_mu_
  std::unique_ptr<PrimTree> tree_;             // set by Load
  Fields root_fields_;                         // set by Load
  // Caches that const methods fill on demand, from the stages above.
  mutable PropertyLoader property_loader_;
  mutable ValueLoader value_loader_;
  mutable SplineLoader spline_loader_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_COMPOSED_DATA_H_
