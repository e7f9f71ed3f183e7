#pragma once
/* Some types of the CUDA runtime. */
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUstream_st *cudaStream_t;
typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
