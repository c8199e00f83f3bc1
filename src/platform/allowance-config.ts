type Text = (name: string) => string | undefined;

/** What makes work on a developer's own machine easy. */
export interface AllowanceConfig {
  /** True: webhooks of test mode may use http and loopback addresses. Unset: only on a demo machine. */
  readonly allowLoopbackWebhooks: boolean;
  /** True: providers and the source of rates may use http and loopback addresses. */
  readonly allowLoopbackProviders: boolean;
  /** True: the console's cookies are sent without Secure while PUBLIC_URL is http. Undefined: not configured. */
  readonly allowHttpConsole: boolean | undefined;
  /** True: reflection shows the core's schemas without a token. Unset: only on a demo machine. */
  readonly allowOpenReflection: boolean;
}

/** Reads these variables. Throws the error of `fail`, which gets one line for the operator. */
export function readAllowances(
  text: Text,
  isDemoMachine: boolean,
  fail: (problem: string) => Error,
): AllowanceConfig {
  const allowed = (name: string): boolean | undefined => {
    const word = text(name);
    if (word === undefined) return undefined;
    if (word !== "true" && word !== "false") throw fail(`${name} must be one of true, false.`);
    return word === "true";
  };
  return {
    allowLoopbackWebhooks: allowed("WEBHOOK_ALLOW_LOOPBACK") ?? isDemoMachine,
    allowLoopbackProviders: allowed("PROVIDER_ALLOW_LOOPBACK") ?? false,
    allowHttpConsole: allowed("CONSOLE_ALLOW_HTTP"),
    allowOpenReflection: allowed("CORE_OPEN_REFLECTION") ?? isDemoMachine,
  };
}
