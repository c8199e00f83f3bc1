import { fork } from "node:child_process";
import { once } from "node:events";
import { heavyChain, newHeavyKey, pemOf } from "./heavy-certificates.ts";
import type { Attack } from "./hostile-client.ts";

const CLIENT = new URL("hostile-client.ts", import.meta.url);
const LONGEST = 40;

/** Chains whose verification takes some ten milliseconds for each certificate. */
export class HostileChains {
  readonly #key = newHeavyKey();
  readonly #chain = heavyChain(this.#key, LONGEST);

  /** Opens connections from another process, each with a chain of so many certificates. Returns how many were answered. */
  async attack(
    port: number,
    count: number,
    certificates: number,
    localAddress = "127.0.0.1",
  ): Promise<number> {
    const cert = this.#chain.slice(0, certificates).map(pemOf).join("");
    const key = this.#key.privateKey.export({ type: "pkcs8", format: "pem" });
    const child = fork(CLIENT, { execArgv: [], env: {} });
    child.send({ port, localAddress, count, cert, key } satisfies Attack);
    const [answered] = (await once(child, "message")) as [number];
    return answered;
  }
}

/** Returns the processor's time in milliseconds that this thread spends until the work is done. */
export async function ownMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
