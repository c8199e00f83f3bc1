import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { useBundle } from "./serve/packages.ts";

// Node keeps there what it compiled, beside the code and for its owner. Where it cannot write, it compiles at each start.
const COMPILED = join(import.meta.dirname, "..", ".cache", "compiled");

/** Runs the given command. The program is loaded after the cache is on, for what is loaded before is not kept. */
export async function run(): Promise<void> {
  enableCompileCache(COMPILED);
  useBundle();
  const program = await import("./program.ts");
  await program.run();
}

if (import.meta.main) await run();
