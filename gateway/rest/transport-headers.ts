const HTTPS_ALWAYS = { "strict-transport-security": "max-age=31536000" } as const;
const NONE = {} as const;

/**
 * Returns the headers of every answer that follow from how the gateway listens. With its own TLS, browsers must use
 * https for a year. Subdomains are left to the operator. Browsers ignore the header over http, and behind a proxy it is
 * the proxy's task.
 */
export function transportHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return isSecure ? HTTPS_ALWAYS : NONE;
}
