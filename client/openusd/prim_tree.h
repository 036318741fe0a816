#ifndef STAGEDOOR_CLIENT_OPENUSD_PRIM_TREE_H_
#define STAGEDOOR_CLIENT_OPENUSD_PRIM_TREE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon_stage.h"
#include "prim_entry.h"
#include "result.h"
#include "stage_arguments.h"
#include "usd.h"

namespace stagedoor::openusd {

struct ParsedPrim;

// The prims of a layer that shows a composed stage. The main block has the prims down to the
// boundaries. What is behind each boundary, and each prototype, is a block of its own below a root
// prim with a made name, which is fetched when a path in it is looked up:
//
//   /Flattened_Payload_1World_1Block   what the payload of /World/Block brings, the prim included,
//   or
//                                      the prims below it that a boundary at a depth cut off
//   /Flattened_Outline_1World_1Block   the prim and those below it as they are without the payload:
//                                      /World/Block specializes it, so that the payload, which may
//                                      be stronger than some of it, wins once it is loaded
//   /Flattened_Prototype_1a2b3c        the descendants of all instances that share a prototype
//
// Thread-safe: each block is fetched once, by one thread, while others that need it wait. Entries
// live as long as the tree.
class PrimTree {
 public:
  // `stage` has the main block. `loaded` returns the stage with payloads, which the blocks behind
  // payloads are of; it may be called more than once.
  PrimTree(const StageArguments& arguments, const DaemonStage* stage,
           std::function<Result<const DaemonStage*>()> loaded)
      : boundaries_(arguments.boundaries),
        depth_(arguments.boundary_depth),
        stage_(stage),
        loaded_(std::move(loaded)) {}

  // Fetches the main block.
  Result<bool> Load();
  // The prim at a path, or null if there is none. FindFetched looks only at what was fetched, and
  // says whether a block would have to be fetched.
  Result<PrimEntry*> Find(const SdfPath& path);
  PrimEntry* FindFetched(const SdfPath& path, bool* must_fetch) const;
  // Fetches all blocks, one after another, and passes the entries of each to `visit`, until it
  // returns false.
  Result<bool> VisitAll(const std::function<bool(PrimEntry&)>& visit);
  // Passes the entries of all blocks that were fetched to `visit`, which must not use the tree.
  void VisitFetched(const std::function<void(const PrimEntry&)>& visit) const;

  // The names of the root prims. Those behind boundaries are not among them, so that a UsdStage
  // does not fetch them all.
  const TfTokenVector& root_names() const { return root_names_; }

 private:
  // A block that is fetched when it is needed.
  struct Pending {
    std::string scene_root;
    std::string layer_root;
    bool instance_proxies = false;
    bool has_bare_root = true;
    bool behind_payload = false;
    std::mutex mu;  // held while the block is fetched
    std::atomic<bool> fetched{false};
  };

  // The results of a traversal: its block, and blocks of outlines.
  struct Fetched;

  Result<bool> Fetch(Pending* pending);
  Result<bool> FetchInto(std::unique_ptr<PrimBlock> block);
  // Adds a prim of a reply.
  void AddPrim(std::string_view message, Fetched* fetched);
  void AddEntry(const std::string& scene_path, ParsedPrim prim, bool may_cut, PrimBlock* block);
  // Adds the prim whose payload is behind a boundary, and starts the block of its outline.
  void AddOutlined(const std::string& scene_path, const ParsedPrim& prim, Fetched* fetched);
  // Whether the payload of a prim of a block is behind a boundary.
  bool IsBehindBoundary(const ParsedPrim& prim, const PrimBlock& block) const;
  // Whether the outline has children of a prim that is behind a payload.
  bool HasOutlinedChildren(const PrimEntry& entry) const;
  // Adds an arc to the prototype of an instance, or a payload, whose block is fetched later.
  void AddPrototype(uint64_t prototype, PrimEntry* entry);
  void AddPayload(bool behind_payload, PrimEntry* entry);
  void AddPending(const SdfPath& root, std::unique_ptr<Pending> pending);
  void Publish(std::unique_ptr<PrimBlock> block, bool is_main);
  Pending* FindPending(const SdfPath& path) const;

  const StageArguments::Boundaries boundaries_;
  const uint32_t depth_;
  const DaemonStage* const stage_;
  const std::function<Result<const DaemonStage*>()> loaded_;
  // Set by Load, and not changed afterwards.
  TfTokenVector root_names_;
  std::unordered_map<SdfPath, PrimEntry*, SdfPath::Hash> main_entries_;

  mutable std::shared_mutex mu_;  // guards what follows
  std::vector<std::unique_ptr<PrimBlock>> blocks_;
  std::unordered_map<SdfPath, PrimEntry*, SdfPath::Hash> entries_;  // of all other blocks
  std::map<SdfPath, std::unique_ptr<Pending>> pending_;             // by the root in the layer
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_PRIM_TREE_H_
