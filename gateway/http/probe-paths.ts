/** The addresses of the gateway's probes. `/healthz` is the former name of `/readyz`. */
export const PROBES: readonly string[] = ["/livez", "/readyz", "/healthz"];

/** Returns whether the route is a probe's: called too often to be logged, counted or traced. */
export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.includes(route);
}
