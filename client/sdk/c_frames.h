/* Everything that a renderer draws of a stage at one time, and what differs at the next one. All
 * functions of this header: since SD_ABI_VERSION 3. frame.proto describes the objects. Programs
 * include stagedoor.h.
 *
 *   sd_frame_options options = SD_INIT(sd_frame_options);
 *   options.camera = "/World/Cam";
 *   options.shutter_open = -0.25, options.shutter_close = 0.25;
 *   if (sd_frame_create(stage, &options, &frame, &error) == SD_OK &&
 *       sd_frame_next(frame, 12, NULL, NULL, NULL, &error) == SD_OK) {
 *     const uint64_t* ids;
 *     const size_t count = sd_frame_changed(frame, SD_FRAME_TRANSFORM, &ids);
 *     for (size_t i = 0; i < count; ++i) {
 *       sd_frame_place place;
 *       if (sd_frame_get_place(frame, ids[i], &place, NULL) == SD_OK) ... place.matrices ...
 *     }
 *   }
 *
 * Objects have IDs, which are the same in all frames of all daemons; 0 is not an ID. What varies
 * while the shutter is open has several samples with their times, in time codes of the stage; all
 * else has one sample, and NULL for times. Matrices are 16 numbers in row-major order, for row
 * vectors.
 *
 * Unlike those of other objects, strings and arrays of a frame are valid until the next call of
 * sd_frame_next. Until then any thread may read them. During the call, only its callback may. */
#ifndef STAGEDOOR_CLIENT_SDK_C_FRAMES_H_
#define STAGEDOOR_CLIENT_SDK_C_FRAMES_H_

#include <stddef.h>
#include <stdint.h>

#include "client/sdk/c_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sd_frame sd_frame;

typedef struct sd_frame_options {
  size_t struct_size;
  /* The path of a Camera. NULL: that of the render settings. */
  const char* camera;
  /* When the shutter opens and closes, in time codes from the time of the frame on, and the number
   * of equal parts at whose ends motion is sampled; 0: at the authored samples. Not sampled if the
   * shutter opens when it closes. */
  double shutter_open;
  double shutter_close;
  uint32_t shutter_segments;
  /* The path of RenderSettings. NULL: those of the stage, if it has some. */
  const char* render_settings;
  /* The paths of the prims to draw with all below them, and of those to leave out. None: all of the
   * stage, and none. */
  const char* const* roots;
  size_t root_count;
  const char* const* excluded;
  size_t excluded_count;
  /* The contexts of shaders, such as "ri", in the order in which they are looked for. */
  const char* const* render_contexts;
  size_t render_context_count;
  /* Whether indices of primvars are replaced by the elements, and invisible prims left out. */
  int32_t flatten_primvars;
  int32_t without_invisible;
} sd_frame_options;

/* Asks the daemon nothing. `options` may be NULL. Keeps the stage open. */
sd_code sd_frame_create(sd_stage* stage, const sd_frame_options* options, sd_frame** out,
                        sd_error** error);
void sd_frame_destroy(sd_frame* frame);

/* Called for each message of sd_frame_next, on its thread: sd_frame_changed names what has come.
 * If it does not return 0, the call ends with SD_CANCELLED. */
typedef int32_t (*sd_frame_callback)(sd_frame* frame, void* data);

/* Gets the frame at a time; NaN is the default time. `callback` may be NULL. If the call fails, the
 * frame is not to be used before another call has succeeded, which brings all of it. One call at a
 * time: SD_FAILED_PRECONDITION. */
sd_code sd_frame_next(sd_frame* frame, double time, sd_frame_callback callback, void* data,
                      const sd_call_options* call, sd_error** error);
/* Ends the call of sd_frame_next that another thread is in, with SD_CANCELLED. */
void sd_frame_cancel(sd_frame* frame);
/* Computes a name of the frame at a time, without getting it: frames with equal fingerprints are
 * equal in every bit, but for their time. */
sd_code sd_frame_fingerprint(const sd_frame* frame, double time, const sd_call_options* call,
                             uint8_t fingerprint[32], sd_error** error);

typedef enum sd_frame_kind {
  SD_FRAME_PRIM = 1,
  SD_FRAME_GEOMETRY = 2,
  SD_FRAME_SUBSET = 3,
  SD_FRAME_MATERIAL = 4,
  SD_FRAME_LIGHT = 5,
  SD_FRAME_LIGHT_SET = 6,
  /* Only as changes: of prims and lights, and of all that is gone. */
  SD_FRAME_VISIBILITY = 7,
  SD_FRAME_TRANSFORM = 8,
  SD_FRAME_REMOVED = 9
} sd_frame_kind;

/* The IDs of all objects of a kind, in no particular order. Returns how many they are. */
size_t sd_frame_ids(const sd_frame* frame, sd_frame_kind kind, const uint64_t** ids);
/* The IDs of the objects of a kind that the last call has brought; in a callback, its message. */
size_t sd_frame_changed(const sd_frame* frame, sd_frame_kind kind, const uint64_t** ids);
/* Whether all that the frame had before is gone, and whether its camera is another one. */
int32_t sd_frame_is_complete(const sd_frame* frame);
int32_t sd_frame_camera_changed(const sd_frame* frame);
/* The failures to compute parts of prims, which are missing in the frame. sd_frame_failure returns
 * the code of an error, which names the path of the prim. */
size_t sd_frame_failure_count(const sd_frame* frame);
sd_code sd_frame_failure(const sd_frame* frame, size_t index, sd_error** error);

typedef struct sd_frame_info {
  const char* snapshot; /* its fingerprint */
  double time;          /* NaN for the default time */
  uint64_t prim_count;  /* of those that can be drawn */
  double meters_per_unit;
  double time_codes_per_second;
  const char* up_axis; /* "Y" or "Z" */
} sd_frame_info;

/* The functions below fail with SD_NOT_FOUND if the frame has no object of the kind with this ID,
 * or no value of this name, and with SD_OUT_OF_RANGE for an index that is too large. */
sd_code sd_frame_get_info(const sd_frame* frame, sd_frame_info* out, sd_error** error);

typedef struct sd_frame_camera {
  const char* path;
  size_t sample_count;
  double time; /* of this sample; NaN if there is only one */
  double local_to_world[16];
  double view_matrix[16];       /* from world space to the space of the camera, without its scale */
  double projection_matrix[16]; /* from there to the cube from -1 to 1 */
  double window[4];             /* minimum and maximum x and y, at the distance of 1 */
  float clipping_range[2];
  float focal_length;
  float f_stop;
  float focus_distance;
  float exposure_scale; /* the factor of the radiance */
} sd_frame_camera;

/* A sample of the camera. Its error if it has one; SD_NOT_FOUND without a camera. */
sd_code sd_frame_get_camera(const sd_frame* frame, size_t sample, sd_frame_camera* out,
                            sd_error** error);

typedef struct sd_frame_prim {
  const char* path;
  const char* type_name; /* such as "Mesh" */
  const char* purpose;   /* "default", "render", "proxy" or "guide" */
  const char* draw_mode; /* "cards", "bounds" or "origin"; "" if it is drawn by its geometry */
  uint64_t material;
  uint64_t light_set;  /* the lights that illuminate it */
  uint64_t shadow_set; /* the lights that it casts shadows from */
  uint64_t geometry;
  uint64_t prototype; /* the root of the prototype whose part it is; 0: it is drawn where it is */
} sd_frame_prim;

sd_code sd_frame_get_prim(const sd_frame* frame, uint64_t prim, sd_frame_prim* out,
                          sd_error** error);

typedef struct sd_frame_place {
  int32_t visible;
  size_t sample_count;
  const double* times;
  const double* matrices; /* 16 for each sample */
} sd_frame_place;

/* Where a prim or light is: in world space, or relative to the root of its prototype. */
sd_code sd_frame_get_place(const sd_frame* frame, uint64_t prim_or_light, sd_frame_place* out,
                           sd_error** error);

typedef struct sd_frame_value {
  const char* interpolation; /* "" if the value is not for elements */
  int32_t element_size;      /* of primvars */
  int32_t indexed;           /* whether sd_frame_get_indices has indices */
  int32_t changed;           /* whether it is among what sd_frame_changed names */
  size_t sample_count;
  const double* times;
} sd_frame_value;

/* The names of the values of a geometry or light, such as "points" or "inputs:color", in the order
 * of the alphabet. NULL from the end on. */
const char* sd_frame_value_name(const sd_frame* frame, uint64_t object, size_t index);
sd_code sd_frame_get_value(const sd_frame* frame, uint64_t object, const char* name,
                           sd_frame_value* out, sd_error** error);
sd_code sd_frame_get_sample(const sd_frame* frame, uint64_t object, const char* name, size_t sample,
                            sd_value* out, sd_error** error);
sd_code sd_frame_get_indices(const sd_frame* frame, uint64_t object, const char* name,
                             size_t sample, sd_value* out, sd_error** error);
/* A text of a sample of the kind SD_TEXT. NULL if there is none. */
const char* sd_frame_sample_text(const sd_frame* frame, uint64_t object, const char* name,
                                 size_t sample, size_t index);

typedef struct sd_frame_instances {
  size_t prototype_count;
  const uint64_t* prototypes; /* 0 for one that has no prim */
  size_t instance_count;
  const uint32_t* prototype_indices; /* for each instance */
  const uint32_t* instance_indices;  /* its place in protoIndices */
  const int64_t* ids;                /* NULL if they have none */
  size_t sample_count;
  const double* times;
} sd_frame_instances;

/* The instances of a point instancer: instance i draws the prims of its prototype by the transform
 * of the prim, then that of the instance, then that of the instancer. */
sd_code sd_frame_get_instances(const sd_frame* frame, uint64_t geometry, sd_frame_instances* out,
                               sd_error** error);
/* The matrices of a sample, 16 numbers for each instance. */
sd_code sd_frame_get_instance_transforms(const sd_frame* frame, uint64_t geometry, size_t sample,
                                         const double** out, sd_error** error);

typedef struct sd_frame_subset {
  const char* path;
  const char* element_type;
  const char* family;
  uint64_t prim;
  uint64_t material;
  const int32_t* indices;
  size_t index_count;
} sd_frame_subset;

sd_code sd_frame_get_subset(const sd_frame* frame, uint64_t subset, sd_frame_subset* out,
                            sd_error** error);

typedef struct sd_frame_light {
  const char* path;
  const char* type_name;
  const char* shader_id;
  int32_t is_filter;
  uint64_t material; /* of a mesh light; and the prim that it illuminates from */
  uint64_t prim;
  const uint64_t* filters;
  size_t filter_count;
  const uint64_t* portals;
  size_t portal_count;
} sd_frame_light;

sd_code sd_frame_get_light(const sd_frame* frame, uint64_t light, sd_frame_light* out,
                           sd_error** error);
/* The IDs of the lights of a set, ascending. */
sd_code sd_frame_get_light_set(const sd_frame* frame, uint64_t light_set, const uint64_t** lights,
                               size_t* count, sd_error** error);

typedef struct sd_frame_material {
  const char* path;
  size_t node_count;
  /* The nodes of the shaders that the renderer begins with; SIZE_MAX if there is none. */
  size_t surface;
  size_t displacement;
  size_t volume;
} sd_frame_material;

/* A material with its network of shaders. The error of the network if it has one. */
sd_code sd_frame_get_material(const sd_frame* frame, uint64_t material, sd_frame_material* out,
                              sd_error** error);

typedef struct sd_frame_node {
  const char* path;
  const char* id; /* such as "UsdPreviewSurface" */
  size_t input_count;
} sd_frame_node;

sd_code sd_frame_get_node(const sd_frame* frame, uint64_t material, size_t node, sd_frame_node* out,
                          sd_error** error);

typedef struct sd_frame_input {
  const char* name;
  sd_value value;
  /* The node and the output that it is connected to; SIZE_MAX and "" if it is not. */
  size_t source_node;
  const char* source_output;
} sd_frame_input;

sd_code sd_frame_get_input(const sd_frame* frame, uint64_t material, size_t node, size_t input,
                           sd_frame_input* out, sd_error** error);
/* A text of an input's value of the kind SD_TEXT. NULL if there is none. */
const char* sd_frame_input_text(const sd_frame* frame, uint64_t material, size_t node, size_t input,
                                size_t index);

#ifdef __cplusplus
}
#endif

#endif /* STAGEDOOR_CLIENT_SDK_C_FRAMES_H_ */
