import { X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";
import type { ServerTls } from "../../../src/platform/config/tls.ts";
import type { ServerTlsFiles } from "../../../src/platform/config/tls-config.ts";
import { readServerTls } from "../../serve/tls.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("TLS");
const DAY_MS = 86_400_000;
const RENEW_DAYS = 14;
const BY_OTHERS = 0o077;

/** Checks the certificate files of a server. Without files the server uses cleartext. */
export async function checkCertificate(
  name: string,
  files: ServerTlsFiles | undefined,
  nowMs: number,
): Promise<Finding> {
  if (!files) return ok(`${name}: cleartext`);
  let tls: ServerTls;
  try {
    tls = readServerTls(files);
  } catch (error) {
    return problem(lineOf(error), "The files are PEM; the key is that of the certificate.");
  }
  const { mode } = await stat(files.key);
  if ((mode & BY_OTHERS) !== 0) {
    return problem(`${files.key} can be read by other users`, `Run chmod 600 ${files.key}.`);
  }
  return judgeDates(`${name}: ${files.cert}`, new X509Certificate(tls.cert), nowMs);
}

function judgeDates(what: string, { validFromDate, validToDate }: X509Certificate, nowMs: number): Finding {
  const until = `${what} is valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`;
  if (nowMs < validFromDate.getTime() || nowMs >= validToDate.getTime()) {
    return problem(until, "Renew it, or set the clock; a running service reads it again on SIGHUP.");
  }
  const isLate = validToDate.getTime() - nowMs < RENEW_DAYS * DAY_MS;
  return isLate ? warning(until, "Renew it; a running service reads it again on SIGHUP.") : ok(until);
}
