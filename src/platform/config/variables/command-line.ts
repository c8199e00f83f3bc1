import type { Variable } from "./variable.ts";

/** What the command line reads besides variables of the service. */
export const COMMAND_LINE: readonly Variable[] = [
  {
    name: "CORE_URL",
    default: "http://127.0.0.1:50051",
    readBy: ["command line", "examples"],
    example: "https://core.example.com:50051",
    text: "The address at which the core's clients reach its gRPC. The default is made of `CORE_PORT`, and is https with `CORE_TLS_CERT`.",
  },
  {
    name: "CORE_ADDRESS",
    absent: "none",
    readBy: ["command line", "examples"],
    example: "core.example.com:50051",
    text: "The former name of `CORE_URL`, with host and port alone. Works with a warning while `CORE_URL` is not set.",
  },
  {
    name: "XDG_CONFIG_HOME",
    absent: "`.config` in the home folder",
    readBy: ["command line"],
    example: "/home/me/.config",
    text: "The folder in which `paylink listen` keeps the secret that it signs with.",
  },
  {
    name: "TZ",
    absent: "this machine's time zone",
    readBy: ["command line"],
    example: "America/Sao_Paulo",
    text: "The time zone of the times in tables; `--json` has UTC.",
  },
  {
    name: "NO_COLOR",
    absent: "colours on a terminal",
    readBy: ["command line"],
    example: "1",
    text: "If it is set, there are no colours. Files and pipes never have them.",
  },
  {
    name: "NODE_COMPILE_CACHE",
    absent: "`.cache/compiled` beside the code",
    readBy: ["core", "gateway", "worker", "command line"],
    example: "/var/cache/paylink",
    text: "The folder in which Node keeps compiled code, for a faster start.",
  },
  {
    name: "MALLOC_ARENA_MAX",
    default: "1",
    readBy: ["core", "gateway", "worker", "command line"],
    example: "2",
    text: "How many arenas the C library allocates memory in. More take up to 80 MB more under load.",
  },
];
