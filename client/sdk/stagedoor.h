/* The C interface of libstagedoor, for renderers and other languages: connect, open a stage, read
 * values, sample times, skinned points, transforms and bounds, and watch for changes. Pure C11.
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
#define SD_ABI_VERSION 2
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
/* The same for one value: path 0 at time 0. */
sd_code sd_get_value(sd_stage* stage, const char* path, double time, const sd_call_options* call,
                     sd_values** out, sd_error** error);
void sd_values_destroy(sd_values* values);

/* What a value is. More kinds may be added; treat an unknown one as SD_OTHER. */
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
  int64_t integer;
  /* `count` elements of `rows` x `columns` numbers in row-major order, without padding. A point is
   * 1 x 3, a matrix 4 x 4 (for row vectors), a quaternion 1 x 4 (i, j, k, real). */
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

#ifdef __cplusplus
}
#endif

#endif /* STAGEDOOR_CLIENT_SDK_STAGEDOOR_H_ */
