import { once } from "node:events";
import { createServer } from "node:net";
import { UNAVAILABLE_PORT } from "../../observe/metrics-server.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("ports");

/** A port that the service listens on. */
export interface Listener {
  readonly variable: string;
  readonly port: number;
  /** Returns whether the service itself answers on the port. */
  readonly isOurs: () => Promise<boolean>;
}

/** The error of an attempt to listen. */
interface Refusal {
  readonly code: string;
  readonly line: string;
}

/** A listener and the state of its port. */
interface Found {
  readonly listener: Listener;
  readonly state: "any" | "free" | "ours" | "taken" | Refusal;
}

// Listeners that one process opens together.
const ROLES: readonly (readonly string[])[] = [
  ["PORT", "CORE_PORT", "CORE_HTTP_PORT", "CALLBACK_TLS_PORT"],
  ["CORE_PORT", "CORE_HTTP_PORT"],
];

/** Checks the listeners together. A port fails a start also when a paylink with another configuration has it. */
export async function* checkListeners(host: string, listeners: readonly Listener[]): AsyncGenerator<Finding> {
  const found = await Promise.all(
    listeners.map(async (listener) => ({ listener, state: await stateOf(host, listener) })),
  );
  for (const each of found) yield judgeListener(each, found);
}

async function stateOf(host: string, { port, isOurs }: Listener): Promise<Found["state"]> {
  if (port === 0) return "any";
  const refusal = await tryToListen(host, port);
  if (refusal === undefined) return "free";
  if (refusal.code !== "EADDRINUSE") return refusal;
  return (await isOurs()) ? "ours" : "taken";
}

function judgeListener({ listener, state }: Found, all: readonly Found[]): Finding {
  const { variable, port } = listener;
  const name = `${variable} ${port}`;
  const twin = all.find(
    (other) => port !== 0 && other.listener.port === port && isBeside(variable, other.listener.variable),
  );
  if (twin) {
    return problem(`${name} is ${twin.listener.variable} as well`, `Set ${variable} to another port.`);
  }
  if (state === "any") return ok(`${name}: any free port`);
  if (state === "free") return ok(`${name} is free`);
  if (state === "ours" && isOfThisService(variable, all)) return ok(`${name}: paylink answers`);
  const advice = `End the program that listens there (ss -ltnp), or set ${variable} to another port.`;
  if (variable === "METRICS_PORT" && isDispensable(state)) {
    const by =
      state === "ours" ? "a paylink of another configuration, or a part of this one" : "another program";
    const found = typeof state === "object" ? `${name}: ${state.line}` : `${name} is taken by ${by}`;
    return warning(`${found}: a start goes without metrics`, advice);
  }
  if (state === "ours") {
    return warning(
      `${name}: a paylink of another configuration answers, or a part of this one: a start would fail`,
      advice,
    );
  }
  if (state === "taken") return problem(`${name} is taken by another program`, advice);
  return problem(`${name}: ${state.line}`, adviceFor(state.code, variable));
}

/** Returns whether one process may open both. */
function isBeside(variable: string, other: string): boolean {
  if (variable === other) return false;
  const isMetrics = variable === "METRICS_PORT" || other === "METRICS_PORT";
  return isMetrics || ROLES.some((role) => role.includes(variable) && role.includes(other));
}

/** Returns whether the listener belongs to a running process of this configuration. */
function isOfThisService(variable: string, all: readonly Found[]): boolean {
  const ours = new Set(all.flatMap(({ listener, state }) => (state === "ours" ? listener.variable : [])));
  const used = new Set(all.map(({ listener }) => listener.variable));
  const running = ROLES.filter((role) => role.every((each) => ours.has(each) || !used.has(each)));
  return running.some((role) => variable === "METRICS_PORT" || role.includes(variable));
}

/** Returns whether a start can do without a port in this state. */
function isDispensable(state: Found["state"]): boolean {
  return typeof state === "object" ? UNAVAILABLE_PORT.has(state.code) : true;
}

/** Returns the error of a short attempt to listen, or undefined. Only the system knows whether it may. */
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
