const HTTPS_ALWAYS = { "strict-transport-security": "max-age=31536000" } as const;
const NONE = {} as const;

/**
 * Headers of every answer that follow from how the gateway listens. Under its own TLS, browsers are told to come back by
 * https alone, for a year; subdomains are the operator's to decide on. Over http browsers ignore it, and behind a proxy
 * it is the proxy's to say.
 */
export function transportHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return isSecure ? HTTPS_ALWAYS : NONE;
}
