/* SPDX-License-Identifier: Apache-2.0
 *
 * An op of your own in a shared library. The library exports one function, opscope_plugin_entry, and is found
 * as
 * *.so in a folder given by --ops, where its describe() says what it holds, or named by a spec: {plugin:
 * libmine.so}.
 *
 * It is loaded in the engine's process only. Everything here is called on one thread, the engine's launch
 * thread. Plain C; a struct grows at its end and says its size, and what would break a plugin raises the
 * version.
 */
#ifndef OPSCOPE_PLUGIN_H
#define OPSCOPE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OPSCOPE_PLUGIN_ABI 1u

/* C's names and typedefs, in a project of C++. */
/* NOLINTBEGIN(readability-identifier-naming,modernize-use-using,modernize-redundant-void-arg) */

/* A tensor of the workload, in the device's memory. It stays where it is until destroy(). Inputs are shared
 * by all implementations and must not be written. */
typedef struct opscope_tensor {
  const char* name;
  const char* dtype; /* "float32", "float16", "bfloat16", "float8_e4m3fn", "int32", "int64", "int8" */
  void* data;        /* a CUdeviceptr on "cuda", an ordinary address on "host" */
  size_t bytes;
  const int64_t* shape;
  uint32_t rank;
} opscope_tensor;

/* A dimension or a parameter. */
typedef struct opscope_number {
  const char* name;
  int is_floating; /* then `real`, else `integer` */
  int64_t integer;
  double real;
} opscope_number;

/* Work on the host device: a kernel that the stream's thread runs, recorded as a GPU's kernel is. `data` must
 * live until the call has been waited for: state does. Returns 0, or not when the device is lost. */
typedef int (*opscope_host_launch)(void* stream, const char* kernel_name, void (*kernel)(void* data),
                                   void* data);

typedef struct opscope_request {
  uint32_t size;              /* sizeof(opscope_request) of the program that asks */
  const char* implementation; /* which of the plugin's */
  const char* device_kind;    /* "cuda" or "host" */
  int device;                 /* CUDA's ordinal, current on this thread; 0 on "host" */
  const opscope_tensor* tensors;
  uint32_t tensor_count;
  const opscope_number* numbers;
  uint32_t number_count;
  opscope_host_launch host_launch; /* null on "cuda" */
} opscope_request;

typedef struct opscope_plugin {
  uint32_t abi;  /* OPSCOPE_PLUGIN_ABI */
  uint32_t size; /* sizeof(opscope_plugin) */
  const char* name;
  /* The ops as the text of a spec file (docs/ops.md); their bodies say {plugin: this}. Null, or it returns
   * null, when specs beside the library describe them. */
  const char* (*describe)(void);
  /* Looks up, allocates and warms everything that a call needs, into *state. A function that can fail returns
   * not 0 and writes a sentence, ended by a zero byte, into `error` of `error_size` bytes. The request's
   * pointers are good until this returns; tensors' data longer. */
  int (*prepare)(const opscope_request* request, void** state, char* error, size_t error_size);
  /* One call: issues its work on `stream` (a CUstream, or what host_launch takes) and does not wait for it.
   * This is what is timed. Work on other streams must have begun after, and joined, this one. */
  int (*call)(void* state, void* stream, char* error, size_t error_size);
  /* Gives back what prepare() made; the device is idle. */
  void (*destroy)(void* state);
} opscope_plugin;

/* The one symbol. Returns a plugin that lives as long as the library. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const opscope_plugin*
opscope_plugin_entry(void);

/* NOLINTEND(readability-identifier-naming,modernize-use-using,modernize-redundant-void-arg) */

#ifdef __cplusplus
}
#endif
#endif
