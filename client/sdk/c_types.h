/* The types that all parts of the C interface use: codes, errors, stages, options of calls, and
 * values. Programs include stagedoor.h. */
#ifndef STAGEDOOR_CLIENT_SDK_C_TYPES_H_
#define STAGEDOOR_CLIENT_SDK_C_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The initial value of a struct of options: its size, and 0 or NULL for all other fields. */
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

/* The error of a failed call. The functions return "" or SD_OK for NULL. */
typedef struct sd_error sd_error;

sd_code sd_error_code(const sd_error* error);
/* Stable, for programs to act on, such as "PRIM_NOT_FOUND"; "" if there is none. */
const char* sd_error_reason(const sd_error* error);
const char* sd_error_message(const sd_error* error);
/* The scene path concerned, and what to do; "" if unknown. */
const char* sd_error_path(const sd_error* error);
const char* sd_error_hint(const sd_error* error);
void sd_error_destroy(sd_error* error);

/* --------------------------------------------------------------------------- stages and calls */

/* An open stage. Its lease is renewed in the background; if it is lost, the stage is opened again.
 */
typedef struct sd_stage sd_stage;

/* How one call is made. */
typedef struct sd_call_options {
  size_t struct_size;
  /* The deadline, retries included. 0: that of the connection. */
  uint32_t timeout_ms;
  /* W3C trace context, and an ID by which the daemon's log finds the call. NULL: none. */
  const char* traceparent;
  const char* request_id;
} sd_call_options;

/* ------------------------------------------------------------------------------------- values */

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

#ifdef __cplusplus
}
#endif

#endif /* STAGEDOOR_CLIENT_SDK_C_TYPES_H_ */
