/* banned -- calls the house does without; included by config.h's tail for every unit. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#if defined(__GNUC__) && !defined(__cplusplus)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol gets alloca localtime
#endif

#endif
