import { readFileSync } from "node:fs";
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { ConfigError } from "../../src/platform/config/config.ts";
import { ASKING, type ClientTls, type ServerTls } from "../../src/platform/config/tls.ts";
import type { ClientTlsFiles, ServerTlsFiles } from "../../src/platform/config/tls-config.ts";

/** Reads a server's files. Throws ConfigError when one is missing or they do not match. */
export function readServerTls({ cert, key, clientCa, asksForAny }: ServerTlsFiles): ServerTls {
  const pair = usable({ cert: read(cert), key: read(key) }, `${cert} and ${key}`);
  if (asksForAny) return { ...pair, ...ASKING, rejectUnauthorized: false };
  if (clientCa === undefined) return pair;
  return { ...usable({ ...pair, ca: read(clientCa) }, clientCa), ...ASKING, rejectUnauthorized: true };
}

/** Reads a client's files. Throws ConfigError as `readServerTls` does. */
export function readClientTls({ ca, cert, key }: ClientTlsFiles): ClientTls {
  const files = { ca, cert, key };
  const present = Object.entries(files).flatMap(([name, path]) => (path === undefined ? [] : [[name, path]]));
  if (present.length === 0) return {};
  const texts: ClientTls = Object.fromEntries(present.map(([name = "", path = ""]) => [name, read(path)]));
  return usable(texts, present.map(([, path]) => path).join(" and "));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it cannot be read";
    throw new ConfigError(`The TLS file ${path} cannot be read: ${code}.`, { cause: error });
  }
}

function usable<Texts extends ClientTls>(texts: Texts, paths: string): Texts {
  try {
    createSecureContext(texts);
    // TLS silently ignores a text that is no certificate.
    if (texts.ca !== undefined) void new X509Certificate(texts.ca);
    return texts;
  } catch (error) {
    throw new ConfigError(`The TLS files ${paths} cannot be used together.`, { cause: error });
  }
}
