import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where this machine's Chromium is: CHROMIUM names one. Undefined: there is none. */
export const CHROMIUM = [process.env["CHROMIUM"] ?? "", ...PLACES].find(
  (path) => path !== "" && existsSync(path),
);

/** Starts it without a window. */
export async function startBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("there is no Chromium here");
  return await chromium.launch({
    executablePath: CHROMIUM,
    // Debian's has no setuid sandbox for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-dev-shm-usage", "--lang=pt-BR"],
  });
}
