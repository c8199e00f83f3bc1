import { Api } from "../support/api.ts";
import type { TestTenant } from "../support/service.ts";
import { overEachTransport, type OverTransport } from "../support/transports.ts";

/** A service over one transport, with a tenant paid in BRL and one paid in USD that ask for quotes. */
interface Quoters extends OverTransport {
  readonly usd: TestTenant;
  readonly usdApi: Api;
}

/** Starts them over each transport for a file's tests, and closes them after those. */
export async function quotersOverEachTransport(): Promise<Quoters[]> {
  const transports = await overEachTransport();
  return await Promise.all(
    transports.map(async (on) => {
      const usd = await on.service.createTenant({ payoutCurrency: "USD" });
      return { ...on, usd, usdApi: new Api(on.service, usd.testKey) };
    }),
  );
}
