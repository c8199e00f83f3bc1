import { join } from "node:path";
import { programOf } from "../../cli/program.ts";
import { readConfig } from "../../src/platform/config/config.ts";

const program = await programOf([]);

export const root = join(import.meta.dirname, "..", "..");
/** The folder of what an operator deploys. */
export const deploy = join(root, "deploy");

/** The digests that the operator gives, by their variables. */
export const DIGESTS = ["NODE_DIGEST", "DEBIAN_DIGEST", "POSTGRES_DIGEST", "CADDY_DIGEST"];

/** The names that the configuration asks the environment for. */
export function knownVariables(): Set<string> {
  const asked = new Set<string>();
  readConfig(new Proxy({}, { get: (_target, name) => void asked.add(String(name)) }));
  return asked;
}

/** Whether `paylink <words>` is a command line that is understood. */
export function isCommand(words: readonly string[]): boolean {
  const [name, ...options] = words;
  const command = program.commands.find((one) => one.name() === name);
  const role = command?.options.find(({ long }) => long === "--role");
  if (options.length === 0) return command !== undefined;
  return options[0] === "--role" && role?.argChoices?.includes(options[1] ?? "") === true;
}
