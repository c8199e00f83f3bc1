import type axe from "axe-core";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

// A page compiles it in half the time that the one with comments takes.
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** An expression: whether the script at an address came in by the nonce of the page's own. */
const addScript = (src: string): string => `new Promise((resolve) => {
  const nonce = document.querySelector("script[nonce]")?.nonce;
  if (nonce === undefined) return resolve(false);
  const script = Object.assign(document.createElement("script"), { src: ${JSON.stringify(src)}, nonce });
  script.onload = () => { script.remove(); resolve(true); };
  script.onerror = () => resolve(false);
  document.head.append(script);
})`;

let address: Promise<string> | undefined;

/** Returns what keeps a page from being accessible. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await addAxe(page);
  return await page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      preload: false,
      resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

/**
 * Adds axe to a page. As a script with an address, which the page's own nonce lets in, the browser keeps it compiled for
 * the next page; given as a text it is compiled for each page anew, and its functions when they are first called.
 */
async function addAxe(page: Page): Promise<void> {
  address ??= serveAxe();
  const isAdded = await page.evaluate<boolean>(addScript(await address));
  if (!isAdded) await page.evaluate(AXE);
}

/** Serves axe for as long as this process works. */
async function serveAxe(): Promise<string> {
  const server = createServer((_request, response) => {
    const headers = { "content-type": "text/javascript", "cache-control": "max-age=86400, immutable" };
    response.writeHead(200, headers).end(AXE);
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/axe.js`;
}
