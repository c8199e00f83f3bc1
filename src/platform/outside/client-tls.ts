import { constants } from "node:crypto";
import type { SecureContextOptions } from "node:tls";

// The server chooses the numbers of DHE, and OpenSSL computes with up to 10,000 bits. ECDHE and TLS 1.3 have curves of
// known sizes, and its certificates alone have numbers of its choice.
/** How connections to servers outside do their TLS. */
export const CLIENT_TLS: SecureContextOptions = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE+AESGCM",
    "ECDHE+CHACHA20",
    "ECDHE+AES",
  ].join(":"),
  ecdhCurve: "X25519MLKEM768:X25519:P-256:P-384:P-521",
  // A server would begin handshakes without end.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};
