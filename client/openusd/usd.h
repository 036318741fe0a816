#ifndef STAGEDOOR_CLIENT_OPENUSD_USD_H_
#define STAGEDOOR_CLIENT_OPENUSD_USD_H_

// The headers of OpenUSD that the plug-in uses. The packages on PyPI have them in <pxr/sdf/…>, an
// installed OpenUSD in <pxr/usd/sdf/…> and <pxr/base/tf/…>.
#if __has_include(<pxr/usd/sdf/layer.h>)
#include <pxr/base/arch/hints.h>
#include <pxr/base/gf/half.h>
#include <pxr/base/gf/matrix2d.h>
#include <pxr/base/gf/matrix3d.h>
#include <pxr/base/gf/matrix4d.h>
#include <pxr/base/gf/quatd.h>
#include <pxr/base/gf/quatf.h>
#include <pxr/base/gf/quath.h>
#include <pxr/base/gf/vec2d.h>
#include <pxr/base/gf/vec2f.h>
#include <pxr/base/gf/vec2h.h>
#include <pxr/base/gf/vec2i.h>
#include <pxr/base/gf/vec3d.h>
#include <pxr/base/gf/vec3f.h>
#include <pxr/base/gf/vec3h.h>
#include <pxr/base/gf/vec3i.h>
#include <pxr/base/gf/vec4d.h>
#include <pxr/base/gf/vec4f.h>
#include <pxr/base/gf/vec4h.h>
#include <pxr/base/gf/vec4i.h>
#include <pxr/base/tf/diagnostic.h>
#include <pxr/base/tf/pathUtils.h>
#include <pxr/base/tf/pyLock.h>
#include <pxr/base/tf/registryManager.h>
#include <pxr/base/tf/stringUtils.h>
#include <pxr/base/tf/token.h>
#include <pxr/base/tf/type.h>
#include <pxr/base/vt/array.h>
#include <pxr/base/vt/dictionary.h>
#include <pxr/base/vt/value.h>
#include <pxr/pxr.h>
#include <pxr/usd/ar/asset.h>
#include <pxr/usd/ar/defineResolver.h>
#include <pxr/usd/ar/notice.h>
#include <pxr/usd/ar/resolver.h>
#include <pxr/usd/ar/resolverContext.h>
#include <pxr/usd/sdf/abstractData.h>
#include <pxr/usd/sdf/assetPath.h>
#include <pxr/usd/sdf/fileFormat.h>
#include <pxr/usd/sdf/layer.h>
#include <pxr/usd/sdf/layerHints.h>
#include <pxr/usd/sdf/listOp.h>
#include <pxr/usd/sdf/pathExpression.h>
#include <pxr/usd/sdf/payload.h>
#include <pxr/usd/sdf/primSpec.h>
#include <pxr/usd/sdf/reference.h>
#include <pxr/usd/sdf/schema.h>
#include <pxr/usd/sdf/timeCode.h>
#include <pxr/usd/sdf/types.h>
#else
#include <pxr/ar/asset.h>
#include <pxr/ar/defineResolver.h>
#include <pxr/ar/notice.h>
#include <pxr/ar/resolver.h>
#include <pxr/ar/resolverContext.h>
#include <pxr/arch/hints.h>
#include <pxr/gf/half.h>
#include <pxr/gf/matrix2d.h>
#include <pxr/gf/matrix3d.h>
#include <pxr/gf/matrix4d.h>
#include <pxr/gf/quatd.h>
#include <pxr/gf/quatf.h>
#include <pxr/gf/quath.h>
#include <pxr/gf/vec2d.h>
#include <pxr/gf/vec2f.h>
#include <pxr/gf/vec2h.h>
#include <pxr/gf/vec2i.h>
#include <pxr/gf/vec3d.h>
#include <pxr/gf/vec3f.h>
#include <pxr/gf/vec3h.h>
#include <pxr/gf/vec3i.h>
#include <pxr/gf/vec4d.h>
#include <pxr/gf/vec4f.h>
#include <pxr/gf/vec4h.h>
#include <pxr/gf/vec4i.h>
#include <pxr/sdf/abstractData.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/fileFormat.h>
#include <pxr/sdf/layer.h>
#include <pxr/sdf/layerHints.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/pathExpression.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/pxr.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/sdf/types.h>
#include <pxr/tf/diagnostic.h>
#include <pxr/tf/pathUtils.h>
#include <pxr/tf/pyLock.h>
#include <pxr/tf/registryManager.h>
#include <pxr/tf/stringUtils.h>
#include <pxr/tf/token.h>
#include <pxr/tf/type.h>
#include <pxr/vt/array.h>
#include <pxr/vt/dictionary.h>
#include <pxr/vt/value.h>
#endif

#ifdef SDF_INTERNAL_NS
#define STAGEDOOR_USD SDF_INTERNAL_NS
#else
#define STAGEDOOR_USD PXR_NS
#endif

namespace stagedoor::openusd {
using namespace STAGEDOOR_USD;  // as OpenUSD's own plug-ins do
}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_USD_H_
