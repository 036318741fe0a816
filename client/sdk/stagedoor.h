/* The C interface of libstagedoor, for renderers and other languages: connect, open a stage, read
 * values, sample times, skinned points, transforms and bounds, get whole frames, and watch for
 * changes. Pure C11.
 *
 *   sd_connection* connection = NULL;
 *   sd_stage* stage = NULL;
 *   sd_values* values = NULL;
 *   sd_value points;
 *   sd_error* error = NULL;
 *   if (sd_connect(NULL, &connection, &error) == SD_OK &&
 *       sd_stage_open(connection, "/show/shot.usda", NULL, &stage, &error) == SD_OK &&
 *       sd_get_value(stage, "/World/Char.points", 12, NULL, &values, &error) == SD_OK &&
 *       sd_values_get(values, 0, 0, &points, &error) == SD_OK) {
 *     ... points.data, points.count ...
 *   } else {
 *     fprintf(stderr, "%s\n", sd_error_message(error));
 *   }
 *   sd_error_destroy(error);
 *   sd_values_destroy(values);
 *   sd_stage_destroy(stage);
 *   sd_connection_destroy(connection);
 *
 * Objects are opaque. Each has a destroy function, which does nothing for NULL. Objects may be
 * destroyed in any order: a stage keeps its connection, and results do not need their stage.
 *
 * Functions that can fail return a code and take `error`, the last argument: if it is not NULL and
 * the call fails, *error is a new object, which the caller destroys. Results (*out) are set only if
 * the call succeeds. NULL for an argument that must be there is SD_INVALID_ARGUMENT.
 *
 * Threads: all functions may be called from any thread at the same time, with the same objects;
 * only a destroy function needs an object that no other thread is using. Calls block until the
 * daemon has answered or the deadline has passed. A child process must not use what its parent made
 * before fork().
 *
 * Strings are UTF-8 and end with a zero byte. Strings and arrays that functions return belong to
 * the object that they come from and live as long as it does.
 *
 * Compatibility: programs keep working with later libraries of the same soname. Structs of options
 * begin with their size, so that fields can be added at the end; set it with SD_INIT:
 *
 *   sd_connect_options options = SD_INIT(sd_connect_options);
 */
#ifndef STAGEDOOR_CLIENT_SDK_STAGEDOOR_H_
#define STAGEDOOR_CLIENT_SDK_STAGEDOOR_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts up when functions or fields are added. */
#define SD_ABI_VERSION 3
/* The SD_ABI_VERSION of the library that is running. */
uint32_t sd_abi_version(void);

#define SD_INIT(type) \
  { .struct_size = sizeof(type) }

/* The canonical codes of gRPC. */
typedef enum sd_code {
  SD_OK = 0,
  SD_CANCELLED = 1,
  SD_UNKNOWN = 2,
  SD_INVALID_ARGUMENT = 3,
  SD_DEADLINE_EXCEEDED = 4,
  SD_NOT_FOUND = 5,
  SD_ALREADY_EXISTS = 6,
  SD_PERMISSION_DENIED = 7,
  SD_RESOURCE_EXHAUSTED = 8,
  SD_FAILED_PRECONDITION = 9,
  SD_ABORTED = 10,
  SD_OUT_OF_RANGE = 11,
  SD_UNIMPLEMENTED = 12,
  SD_INTERNAL = 13,
  SD_UNAVAILABLE = 14,
  SD_DATA_LOSS = 15,
  SD_UNAUTHENTICATED = 16
} sd_code;

/* ------------------------------------------------------------------------------------- errors */

typedef struct sd_error sd_error;

/* All are "" or SD_OK for NULL. */
sd_code sd_error_code(const sd_error* error);
/* Stable, for programs to act on, such as "PRIM_NOT_FOUND"; "" if there is none. */
const char* sd_error_reason(const sd_error* error);
const char* sd_error_message(const sd_error* error);
/* The scene path concerned, and what to do; "" if unknown. */
const char* sd_error_path(const sd_error* error);
const char* sd_error_hint(const sd_error* error);
void sd_error_destroy(sd_error* error);

/* -------------------------------------------------------------------------------- connections */

typedef struct sd_connection sd_connection;

typedef struct sd_connect_options {
  size_t struct_size;
  /* Daemons that serve the same scenes, each "HOST:PORT" or "unix:PATH"; the first that answers is
   * used. None: the environment variable STAGEDOOR_ADDRESS, or a private daemon of
   * this user, which is started when it is needed. */
  const char* const* addresses;
  size_t address_count;
  /* The deadline of calls, retries included. 0: 60 seconds. */
  uint32_t timeout_ms;
  /* Encrypts the connection; so do ca_file and certificate_file. Files are PEM. NULL: none. */
  int32_t tls;
  const char* ca_file;
  const char* certificate_file;
  const char* key_file;
  const char* server_name;
  /* A file with a bearer token. */
  const char* token_file;
  /* A name for the daemon's list of stages. */
  const char* client_name;
  /* Maximum bytes of arrays that are kept, so that they are not sent again. 0: 256 MiB;
   * UINT64_MAX: none are kept. */
  uint64_t array_cache_bytes;
} sd_connect_options;

/* Returns at once; the first call waits for the daemon. `options` may be NULL. */
sd_code sd_connect(const sd_connect_options* options, sd_connection** out, sd_error** error);
void sd_connection_destroy(sd_connection* connection);

/* ------------------------------------------------------------------------------------- stages */

/* An open stage. Its lease is renewed in the background; if it is lost, the stage is opened again.
 */
typedef struct sd_stage sd_stage;

typedef struct sd_stage_options {
  size_t struct_size;
  /* The session layer as usda text. NULL: none. */
  const char* session_layer;
  /* Whether payloads stay unloaded. */
  int32_t load_none;
  /* The paths of the prims to populate. None: the whole stage. */
  const char* const* population_mask;
  size_t population_mask_count;
  /* A name under which others can join the session. NULL: a private one. */
  const char* session;
  /* A serialized stagedoor.v1.OpenStageRequest for everything else, such as load rules, variant
   * fallbacks, a change policy and a resolver context. The fields above are added. Since
   * SD_ABI_VERSION 3. */
  const void* request;
  size_t request_size;
} sd_stage_options;

/* How one call is made. */
typedef struct sd_call_options {
  size_t struct_size;
  /* The deadline, retries included. 0: that of the connection. */
  uint32_t timeout_ms;
  /* W3C trace context, and an ID by which the daemon's log finds the call. NULL: none. */
  const char* traceparent;
  const char* request_id;
} sd_call_options;

/* `options` may be NULL, and so may all sd_call_options. */
sd_code sd_stage_open(sd_connection* connection, const char* root_layer,
                      const sd_stage_options* options, sd_stage** out, sd_error** error);
/* Gives the lease back, without waiting for the daemon. */
void sd_stage_destroy(sd_stage* stage);
/* A stage that reads this snapshot, whatever edits are made: calls fail with the reason
 * SNAPSHOT_GONE once the daemon does not hold it any more. Since SD_ABI_VERSION 3. */
sd_code sd_stage_at_snapshot(sd_stage* stage, const char* snapshot, sd_stage** out,
                             sd_error** error);
/* The newest snapshot that a reply has named, or the one that the stage reads, as 32 hexadecimal
 * digits and a zero byte. Since SD_ABI_VERSION 3. */
sd_code sd_stage_snapshot(const sd_stage* stage, char snapshot[33], sd_error** error);
/* Opens again what has changed on disk, in the session of the stage. The new snapshot is the one
 * that sd_stage_snapshot returns. Since SD_ABI_VERSION 3. */
sd_code sd_stage_reload(sd_stage* stage, const sd_call_options* call, sd_error** error);
/* The time codes of the stage, as it was opened. Any of the pointers may be NULL; NaN for a time
 * that is not authored. */
sd_code sd_stage_time_codes(const sd_stage* stage, double* start, double* end,
                            double* time_codes_per_second, sd_error** error);
/* Replaces the session layer by usda text, or removes it if `text` is NULL. */
sd_code sd_stage_set_session_layer(sd_stage* stage, const char* text, const sd_call_options* call,
                                   sd_error** error);

/* ------------------------------------------------------------------------------------- values */

/* The values of attributes at times. */
typedef struct sd_values sd_values;

/* Reads paths x times in one call. A time is in time codes; NaN is the default time. Errors of
 * single values do not fail the call: sd_values_get returns them. */
sd_code sd_get_values(sd_stage* stage, const char* const* paths, size_t path_count,
                      const double* times, size_t time_count, const sd_call_options* call,
                      sd_values** out, sd_error** error);
/* Reads one value: path 0 at time 0 of the result. */
sd_code sd_get_value(sd_stage* stage, const char* path, double time, const sd_call_options* call,
                     sd_values** out, sd_error** error);
void sd_values_destroy(sd_values* values);

/* The kind of a value. More kinds may be added; treat an unknown one as SD_OTHER. */
typedef enum sd_kind {
  SD_NONE = 0,    /* there is no value */
  SD_BLOCKED = 1, /* there is none because a layer blocks it */
  SD_NUMBER = 2,  /* a single number or bool: `number`, and `integer` if it is an integer */
  SD_TUPLE = 3,   /* a vector, matrix or quaternion: `data`, `count` is 1 */
  SD_ARRAY = 4,   /* an array of numbers, vectors, ...: `data` */
  SD_TEXT = 5,    /* a string, token or asset path, or an array of these: sd_values_text */
  SD_OTHER = 6    /* something else */
} sd_kind;

/* The type of the numbers in `data`. */
typedef enum sd_component {
  SD_COMPONENT_NONE = 0,
  SD_COMPONENT_BOOL = 1, /* one byte, 0 or 1 */
  SD_COMPONENT_UINT8 = 2,
  SD_COMPONENT_INT32 = 3,
  SD_COMPONENT_UINT32 = 4,
  SD_COMPONENT_INT64 = 5,
  SD_COMPONENT_UINT64 = 6,
  SD_COMPONENT_FLOAT16 = 7,
  SD_COMPONENT_FLOAT32 = 8,
  SD_COMPONENT_FLOAT64 = 9,
  SD_COMPONENT_TIME_CODE = 10, /* a FLOAT64 */
  SD_COMPONENT_DURATION = 11   /* a FLOAT64 */
} sd_component;

typedef struct sd_value {
  sd_kind kind;
  /* USD's name of the type, for example "point3f[]"; "" without a value. */
  const char* type_name;
  double number;
  int64_t integer; /* of a uint64 above INT64_MAX, the same bits */
  /* `count` elements of `rows` x `columns` numbers in row-major order, without padding. A point is
   * 1 x 3, a matrix 4 x 4 (for row vectors), a quaternion 1 x 4 (i, j, k, real). The component is
   * also that of a single number, since SD_ABI_VERSION 3. */
  sd_component component;
  uint32_t rows;
  uint32_t columns;
  uint64_t count; /* also of texts */
  const void* data;
} sd_value;

size_t sd_values_path_count(const sd_values* values);
size_t sd_values_time_count(const sd_values* values);
/* The value of a path at a time, by their places in the request. Its error if it has one. */
sd_code sd_values_get(const sd_values* values, size_t path, size_t time, sd_value* out,
                      sd_error** error);
/* A number, for many of them; also SD_NOT_FOUND if there is no value. */
sd_code sd_values_number(const sd_values* values, size_t path, size_t time, double* out,
                         sd_error** error);
/* A text of a value of the kind SD_TEXT; the authored path of an asset. NULL if there is none. */
const char* sd_values_text(const sd_values* values, size_t path, size_t time, size_t index);
/* The resolved path of an asset among the texts of a value; of a missing asset, its path with
 * variable expressions evaluated. NULL if the value has no such asset. Since SD_ABI_VERSION 3. */
const char* sd_values_asset(const sd_values* values, size_t path, size_t time, size_t index);

/* ---------------------------------------------------------------------------- samples, points */

typedef struct sd_time_samples sd_time_samples;

/* The times of the samples of an attribute. */
sd_code sd_get_time_samples(sd_stage* stage, const char* path, const sd_call_options* call,
                            sd_time_samples** out, sd_error** error);
size_t sd_time_samples_count(const sd_time_samples* samples);
const double* sd_time_samples_data(const sd_time_samples* samples);
void sd_time_samples_destroy(sd_time_samples* samples);

typedef struct sd_skinned sd_skinned;

typedef struct sd_skinned_prim {
  const char* path;
  uint32_t time_index;
  /* x, y, z of each point, in the prim's own space. */
  const float* points;
  uint64_t point_count;
} sd_skinned_prim;

/* The points of skinned prims at times after blend shapes and skinning; without paths, of all. */
sd_code sd_get_skinned_points(sd_stage* stage, const char* const* paths, size_t path_count,
                              const double* times, size_t time_count, const sd_call_options* call,
                              sd_skinned** out, sd_error** error);
/* The number of results: one for each prim and time, and one for a prim that failed. */
size_t sd_skinned_count(const sd_skinned* skinned);
/* The error of the prim if it has one: SD_INVALID_ARGUMENT with the reason WRONG_KIND for a prim
 * that is not bound to a skeleton. */
sd_code sd_skinned_get(const sd_skinned* skinned, size_t index, sd_skinned_prim* out,
                       sd_error** error);
void sd_skinned_destroy(sd_skinned* skinned);

/* ------------------------------------------------------------------------- transforms, bounds */

typedef struct sd_transforms sd_transforms;
typedef struct sd_bounds sd_bounds;

/* Local-to-world matrices of prims at times, in one call. Since SD_ABI_VERSION 2. */
sd_code sd_get_transforms(sd_stage* stage, const char* const* paths, size_t path_count,
                          const double* times, size_t time_count, const sd_call_options* call,
                          sd_transforms** out, sd_error** error);
/* The matrix of a prim at a time, by their places in the request, in row-major order and for row
 * vectors: the translation is in matrix[12..14]. The error of the prim if it has one. */
sd_code sd_transforms_get(const sd_transforms* transforms, size_t path, size_t time,
                          double matrix[16], sd_error** error);
void sd_transforms_destroy(sd_transforms* transforms);

/* Axis-aligned bounds in world space of prims and their descendants at times, in one call. Since
 * SD_ABI_VERSION 2. */
sd_code sd_get_bounds(sd_stage* stage, const char* const* paths, size_t path_count,
                      const double* times, size_t time_count, const sd_call_options* call,
                      sd_bounds** out, sd_error** error);
/* The bounds of a prim at a time, by their places in the request; min > max if they are empty. The
 * error of the prim if it has one. */
sd_code sd_bounds_get(const sd_bounds* bounds, size_t path, size_t time, double min[3],
                      double max[3], sd_error** error);
void sd_bounds_destroy(sd_bounds* bounds);

/* ----------------------------------------------------------------------------- all other calls */

typedef struct sd_messages sd_messages;

/* Makes a call about the stage that only reads, such as "Traverse", "Explain" or "ComputeTopology".
 * `request` is its serialized message of stagedoor.v1, in which the reference to the stage is
 * filled in. *out is the reply, or the messages of a stream, with whole arrays. A stream whose
 * connection breaks is read again from its beginning. SD_UNIMPLEMENTED for any other method. Since
 * SD_ABI_VERSION 3. */
sd_code sd_call(sd_stage* stage, const char* method, const void* request, size_t request_size,
                const sd_call_options* call, sd_messages** out, sd_error** error);
size_t sd_messages_count(const sd_messages* messages);
/* A serialized message; NULL from the end on. *size may be NULL. */
const void* sd_messages_data(const sd_messages* messages, size_t index, size_t* size);
void sd_messages_destroy(sd_messages* messages);

/* -------------------------------------------------------------------------------------- assets */

/* Bytes of an asset, and which asset it is. */
typedef struct sd_asset sd_asset;

typedef struct sd_asset_options {
  size_t struct_size;
  /* The resolved path of the layer in which the asset path is written. NULL: none. */
  const char* anchor;
  /* A serialized stagedoor.v1.ResolverContext. NULL: the daemon's own rules alone. */
  const void* resolver_context;
  size_t resolver_context_size;
  /* The version that the asset must have: SD_ABORTED if it has another one. NULL: any. */
  const char* version;
  /* The bytes to read. A length of 0 stands for all of them. */
  uint64_t offset;
  uint64_t length;
  /* Whether to read no bytes, only what the asset is. */
  int32_t without_data;
} sd_asset_options;

/* Reads the bytes of a layer, a texture, a package or a file in one, as they are stored. Read large
 * assets in ranges, each with the version of the first. `options` may be NULL. All functions of
 * this section: since SD_ABI_VERSION 3. */
sd_code sd_read_asset(sd_connection* connection, const char* asset_path,
                      const sd_asset_options* options, const sd_call_options* call, sd_asset** out,
                      sd_error** error);
/* The asset path, made absolute unless it is a search path. */
const char* sd_asset_identifier(const sd_asset* asset);
/* Where the asset is: the anchor of asset paths in it. */
const char* sd_asset_resolved_path(const sd_asset* asset);
/* Names the content: another one after each change. */
const char* sd_asset_version(const sd_asset* asset);
/* The size of the whole asset. */
uint64_t sd_asset_size(const sd_asset* asset);
/* The bytes that were read. *size may be NULL. */
const void* sd_asset_data(const sd_asset* asset, size_t* size);
void sd_asset_destroy(sd_asset* asset);

/* ------------------------------------------------------------------------------------- watches */

typedef struct sd_watch sd_watch;
typedef struct sd_changes sd_changes;

/* Watches for changes of a stage since the newest snapshot that a reply has named, at and below
 * `paths`; without paths, everywhere. Returns at once. A thread of the library receives them until
 * the watch is destroyed. Keeps the stage open. Since SD_ABI_VERSION 2. */
sd_code sd_watch_open(sd_stage* stage, const char* const* paths, size_t path_count, sd_watch** out,
                      sd_error** error);
/* Waits for the next changes. SD_DEADLINE_EXCEEDED if there are none within `timeout_ms`;
 * SD_CANCELLED once the watch was stopped; else the error that ended the watch. */
sd_code sd_watch_next(sd_watch* watch, uint32_t timeout_ms, sd_changes** out, sd_error** error);
/* Ends a watch; another thread that waits in sd_watch_next returns. */
void sd_watch_stop(sd_watch* watch);
void sd_watch_destroy(sd_watch* watch);

/* The fingerprint of the snapshot with the changes. */
const char* sd_changes_snapshot(const sd_changes* changes);
/* Whether the prim or property at a path may have changed. */
int32_t sd_changes_affect(const sd_changes* changes, const char* path);
/* The paths that have changed. Whether a path is resynced: it may have appeared, disappeared or be
 * composed in another way, with everything below it. Else only fields of it have changed. NULL and
 * 0 from the end on. */
size_t sd_changes_count(const sd_changes* changes);
const char* sd_changes_path(const sd_changes* changes, size_t index);
int32_t sd_changes_resynced(const sd_changes* changes, size_t index);
void sd_changes_destroy(sd_changes* changes);

/* ------------------------------------------------------------------------------------- frames */

/* Everything that a renderer draws of a stage at one time, and what differs at the next one. All
 * functions of this section: since SD_ABI_VERSION 3. frame.proto describes the objects.
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
 * Objects have IDs, which are the same in all frames of all daemons; 0 is no object. What varies
 * while the shutter is open has several samples with their times, in time codes of the stage; all
 * else has one sample, and NULL for times. Matrices are 16 numbers in row-major order, for row
 * vectors.
 *
 * Unlike those of other objects, strings and arrays of a frame are valid until the next call of
 * sd_frame_next. Until then any thread may read them. During the call, only its callback may. */
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

/* A sample of the camera. Its error if it has one; SD_NOT_FOUND if there is no camera. */
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

#endif /* STAGEDOOR_CLIENT_SDK_STAGEDOOR_H_ */
