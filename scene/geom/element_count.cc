#include "scene/geom/element_count.h"

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {
Token TopologySchema(const Prim& prim) {
  const GeomTokens& t = Geom();
  for (const Token schema : {t.Mesh, t.TetMesh, t.BasisCurves, t.HermiteCurves, t.NurbsCurves,
                             t.NurbsPatch, t.Points, t.PointInstancer}) {
    if (prim.IsA(schema)) return schema;
  }
  return Token();
}

size_t ElementCount(RequestContext& context, const Prim& prim, Token schema, TimeCode time) {
  const GeomTokens& t = Geom();
  if (schema == t.Mesh) return AttributeArray<int>(context, prim, t.faceVertexCounts, time).size();
  if (schema == t.TetMesh)
    return AttributeArray<Vec4i>(context, prim, t.tetVertexIndices, time).size();
  if (schema == t.Points) return PointCount(context, prim, time);
  if (schema == t.PointInstancer)
    return AttributeArray<int>(context, prim, t.protoIndices, time).size();
  if (schema == t.NurbsPatch) return 0;
  return AttributeArray<int>(context, prim, t.curveVertexCounts, time).size();
}

size_t PointCount(RequestContext& context, const Prim& prim, TimeCode time) {
  return AttributeArray<Vec3f>(context, prim, Geom().points, time).size();
}

}  // namespace stagedoor
