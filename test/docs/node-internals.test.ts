import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

// What reaches into Node's servers, sockets and streams past their documented interface.
const PATCHES = [
  /\.onIncoming\b/,
  /_httpMessage\b/,
  /\bremoveAllListeners\b/,
  /\.(?:push|destroy|emit|write|end|read|pause|resume|_\w+) = (?!=)/,
];

const isPatch = (text: string): boolean => PATCHES.some((pattern) => pattern.test(text));

test("no file patches what Node has of servers, sockets and streams", () => {
  const files = globSync("{cli,contract,gateway,src,tools/bank}/**/*.ts", { cwd: root }).toSorted();
  expect(files.length).toBeGreaterThan(800);
  expect(files.filter((path) => isPatch(readFileSync(join(root, path), "utf8")))).toEqual([]);
});

test.each([
  "if (socket.parser) socket.parser.onIncoming = () => SKIP_REST;",
  'Reflect.get(socket, "_httpMessage")',
  'server.removeAllListeners("connection");',
  "request.push = (chunk) => true;",
  "socket.destroy = (error?: Error) => socket;",
])("a patch is found: %s", (line) => {
  expect(isPatch(line)).toBe(true);
});

test.each(["items.push(one);", "this.#end = end;", "if (part.end === 0) return;", "socket.destroy();"])(
  "other code is not reported: %s",
  (line) => {
    expect(isPatch(line)).toBe(false);
  },
);
