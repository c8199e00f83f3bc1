import type { Interceptor } from "@connectrpc/connect";

// Shorter waits show nothing.
const SHOWN_AFTER_MS = 400;
const TEXTS: Readonly<Record<string, string>> = {
  CheckLedger: "checking the books of all tenants",
  ResendFailedEvents: "finding missed events and sending them again",
};

/** Shows on a terminal that a call takes long. Prints nothing with --json, or when stderr is a file or a pipe. */
export const showWaiting: Interceptor = (next) => async (request) => {
  if (!process.stderr.isTTY || process.argv.includes("--json")) return await next(request);
  const { default: yoctoSpinner } = await import("yocto-spinner");
  const spinner = yoctoSpinner({
    text: TEXTS[request.method.name] ?? "waiting for the core",
    stream: process.stderr,
  });
  const timer = setTimeout(() => spinner.start(), SHOWN_AFTER_MS);
  try {
    return await next(request);
  } finally {
    clearTimeout(timer);
    spinner.stop();
  }
};
