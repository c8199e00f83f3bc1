/** Takes a picture of every page of payers and of the console: see README.md. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { withDatabases } from "../drills/fuzz/target.ts";
import { hasBrowser, sharedBrowser } from "../../test/support/browser.ts";
import { startServiceOn } from "../../test/support/service.ts";
import { Album } from "./album.ts";
import { consoleScreens } from "./console-screens.ts";
import { openShowcase } from "./showcase.ts";
import { LANGUAGES, walk } from "./walk.ts";

const HELP = `Usage: npm run screens -- [options]

Starts the service with a company that has used it for weeks, visits every page of payers and of the console in
Portuguese and English on a phone, a tablet and a desk, and writes a picture of each with an index.html.

  --to FOLDER    where the pictures go (.cache/screens)
  --only TEXT    only the pages whose name has this text
  --help

Exit code 0: all pictures are made. 2: it cannot run.`;

const { values } = parseArgs({
  options: {
    to: { type: "string", default: join(import.meta.dirname, "..", "..", ".cache", "screens") },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});

async function takeAll(): Promise<void> {
  const album = new Album(resolve(values.to));
  await album.clear();
  await withDatabases(async (newDatabase) => {
    const url = await newDatabase();
    const showcase = await openShowcase(async (settings) => await startServiceOn(url, "direct", settings));
    try {
      const screens = [...showcase.payer, ...consoleScreens(showcase)];
      const chosen = screens.filter(({ name }) => name.includes(values.only));
      for (const language of LANGUAGES) {
        await walk(showcase, chosen, language, async (sight) => await album.add(sight));
      }
    } finally {
      await showcase.close();
    }
  });
  await (await sharedBrowser()).close();
  console.log(`${album.count} pictures: ${await album.bind()}`);
}

if (values.help) console.log(HELP);
else if (hasBrowser) await takeAll();
else {
  console.error("There is no Chromium here: CHROMIUM may name one.");
  process.exitCode = 2;
}
