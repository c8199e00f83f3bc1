/** Where the live mode's rate is fetched. */
export interface PtaxConfig {
  /** The address of the central bank's service, without a trailing slash. */
  readonly url: string;
  /** The age in seconds of bank-open time past which a fetched rate is not used. */
  readonly maxAgeSeconds: number;
}

/** The central bank's public OData service. */
const PTAX_URL = "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata";
// From one bulletin to the next is 24 hours of bank-open time: the next may be six hours late.
const MAX_AGE_SECONDS = 30 * 3600;
const MAX_AGE_SECONDS_MAX = 10 * 86_400;

/**
 * Reads the variables of the live rate. Returns undefined if it is published by hand. Throws the error of `fail`, which gets
 * one line for the operator.
 */
export function readRateConfig(
  text: (name: string) => string | undefined,
  urlOf: (name: string, text: string) => string,
  fail: (problem: string) => Error,
): PtaxConfig | undefined {
  const source = text("FX_SOURCE") ?? "manual";
  if (source !== "manual" && source !== "ptax") throw fail("FX_SOURCE must be one of ptax, manual.");
  const url = urlOf("PTAX_URL", text("PTAX_URL") ?? PTAX_URL);
  const given = text("PTAX_MAX_AGE_SECONDS") ?? String(MAX_AGE_SECONDS);
  const maxAgeSeconds = Number(given);
  if (!/^\d{1,6}$/.test(given) || maxAgeSeconds < 1 || maxAgeSeconds > MAX_AGE_SECONDS_MAX) {
    throw fail(`PTAX_MAX_AGE_SECONDS must be seconds, 1 to ${MAX_AGE_SECONDS_MAX}.`);
  }
  return source === "ptax" ? { url, maxAgeSeconds } : undefined;
}
