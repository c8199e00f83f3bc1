/**
 * The service for those who change it: it starts again when a file changes, its log is for people, and a bank plays the
 * demo's live mode. `npm run dev -- --bank-port 0` moves the bank's page.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, styleText } from "node:util";

const ROOT = join(import.meta.dirname, "..", "..");
const MAIN = join(ROOT, "cli", "main.ts");
const WATCHED = ["src", "gateway", "contract", "cli"].map((folder) => `--watch-path=${join(ROOT, folder)}`);
const TONES = { warn: "yellow", error: "red", fatal: "red" } as const;
const TIME = { from: 11, to: 23 };

const { values } = parseArgs({ options: { "bank-port": { type: "string", default: "8090" } } });
// The bank is on this machine.
const env = { PROVIDER_ALLOW_LOOPBACK: "true", ...process.env };
const service = spawn(process.execPath, ["--watch", "--watch-preserve-output", ...WATCHED, MAIN, "serve"], {
  env,
  stdio: ["ignore", "inherit", "pipe"],
});
let bank: ChildProcess | undefined;

/** Returns a line of the log as people read it, and any other line as it is. */
function readable(line: string): string {
  if (!/^\{"level":.*\}$/.test(line)) return line;
  const { level, time, msg, notice, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const tone = TONES[level as keyof typeof TONES] ?? "dim";
  return [
    styleText("dim", new Date(Number(time)).toISOString().slice(TIME.from, TIME.to)),
    styleText(tone, String(level).padEnd(5)),
    notice ?? msg,
    ...Object.entries(fields).map(([name, value]) => `${styleText("dim", `${name}=`)}${plain(value)}`),
    ...(err === undefined ? [] : [`\n${JSON.stringify(err, null, 2)}`]),
  ].join(" ");
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function end(signal: NodeJS.Signals): void {
  service.kill(signal);
  bank?.kill(signal);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
for await (const line of createInterface({ input: service.stderr })) {
  console.error(readable(line));
  if (bank === undefined && line.includes('"listener":"rest"')) {
    const args = [MAIN, "demo", "bank", "--port", values["bank-port"]];
    bank = spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "inherit"] });
  }
}
end("SIGTERM");
