/* libcrypto, opened on first use: nothing links it. One header for each part that is needed. */
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include "CCryptoDigest.h"

#endif
