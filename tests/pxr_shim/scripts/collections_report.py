"""Collections and their members."""

import sys

from pxr import Usd

stage = Usd.Stage.Open(sys.argv[1])
for prim in stage.TraverseAll():
    for collection in Usd.CollectionAPI.GetAll(prim):
        query = collection.ComputeMembershipQuery()
        print(collection.GetCollectionPath(), collection.GetName(),
              collection.GetExpansionRuleAttr().Get(), collection.GetIncludeRootAttr().Get())
        print("  includes", collection.GetIncludesRel().GetTargets())
        print("  excludes", collection.GetExcludesRel().GetTargets())
        members = Usd.CollectionAPI.ComputeIncludedPaths(query, stage)
        print("  members", len(members), members[:20])
        for found in list(stage.Traverse())[:10]:
            print("   ", found.GetPath(), query.IsPathIncluded(found.GetPath()))
