/** A worker as its own process, with the tests' settings: `node worker-process.ts <database url> <settings as JSON>`. */
import { createCore } from "../../src/app.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import { coreOptions, type CoreSettings } from "../support/core-options.ts";

const [databaseUrl = "", settings = "{}"] = process.argv.slice(2);
const core = await createCore(
  coreOptions(databaseUrl, systemClock, [], JSON.parse(settings) as CoreSettings),
);
const worker = core.startWorker();
process.stdout.write("working\n");
process.on("SIGTERM", () => {
  void worker
    .stop()
    .then(() => core.close())
    .then(() => process.exit(0));
});
