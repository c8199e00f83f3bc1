import { PORT } from "./socket-folder.ts";

const DEFAULTS: Readonly<Record<string, string>> = {
  max_connections: "100",
  shared_buffers: "256MB",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // The client receives its errors itself. Their details and queries contain personal data.
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
};

/** Without these, an acknowledged payment could be lost. */
const DURABILITY: Readonly<Record<string, string>> = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
};

const OWN: ReadonlySet<string> = new Set([
  "data_directory",
  "listen_addresses",
  "port",
  "unix_socket_directories",
  "unix_socket_permissions",
]);

/** Returns the launcher's settings with the caller's. Throws on a setting that the caller may not change. */
export function serverSettings(chosen: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const settings = { ...DEFAULTS, ...DURABILITY };
  for (const [name, value] of Object.entries(chosen)) {
    const plain = normalise(name);
    if (plain in DURABILITY || OWN.has(plain)) {
      throw new Error(`The embedded PostgreSQL's setting ${name} cannot be changed.`);
    }
    settings[plain] = value;
  }
  return settings;
}

/** Returns the arguments of `postgres`, which listens only on its socket. */
export function serverArguments(
  cluster: string,
  socketDir: string,
  settings: Readonly<Record<string, string>>,
): string[] {
  const all = {
    ...settings,
    listen_addresses: "",
    port: String(PORT),
    unix_socket_directories: socketDir,
    unix_socket_permissions: "0700",
  };
  return ["-D", cluster, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** PostgreSQL accepts any case, and `-` for `_`. */
function normalise(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}
