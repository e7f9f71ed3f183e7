/* Plain <sys/socket.h>. */
#pragma once
#include <sys/types.h>
typedef unsigned int socklen_t;
struct sockaddr;
