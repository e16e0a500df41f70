/* libcrypto of OpenSSL 3, opened on first use: one header for each part that is needed.
 *
 * Nothing links it, as with libcurl, which brings it: see CCurl.h. Its variables are out of the environment by then
 * (ccurl_forget_environment): whoever calls anything here has opened libcurl before.
 */
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include "CCryptoAuthority.h"
#include "CCryptoDigest.h"
#include "CCryptoIdentity.h"
#include "CCryptoSigning.h"
#include "CCryptoTLS.h"
#include "CCryptoX509.h"

#endif
