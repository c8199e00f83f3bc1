import { once } from "node:events";
import { createServer } from "node:net";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, problem } = findingsOf("ports");

/** A port that the service listens on. */
export interface Door {
  readonly variable: string;
  readonly port: number;
  /** Whether the service itself answers there. */
  readonly isOurs: () => Promise<boolean>;
}

/** What listening at a door would come to; absent: it would go well. */
interface Refusal {
  readonly code: string;
  readonly line: string;
}

/** Judges one door. */
export async function checkDoor(host: string, { variable, port, isOurs }: Door): Promise<Finding> {
  const name = `${variable} ${port}`;
  if (port === 0) return ok(`${name}: any free port`);
  const refusal = await tryToListen(host, port);
  if (refusal === undefined) return ok(`${name} is free`);
  if (refusal.code !== "EADDRINUSE")
    return problem(`${name}: ${refusal.line}`, adviceFor(refusal.code, variable));
  if (await isOurs()) return ok(`${name}: paylink answers`);
  const advice = `End the program that listens there (ss -ltnp), or set ${variable} to another port.`;
  return problem(`${name} is taken by another program`, advice);
}

/** Listens for an instant: only the system knows whether it may. */
async function tryToListen(host: string, port: number): Promise<Refusal | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    await once(server.close(), "close");
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return { code, line: lineOf(error) };
  }
}

function adviceFor(code: string, variable: string): string {
  if (code === "EACCES") return `Ports below 1024 need rights: set ${variable} to a higher one.`;
  return "Set HOST to an address of this machine, for example 127.0.0.1 or 0.0.0.0.";
}
