import type { Variable } from "./variable.ts";

function digest(name: string, image: string): Variable {
  return {
    name,
    absent: "required",
    readBy: ["containers"],
    example: `sha256:${"0".repeat(64)}`,
    text: `The digest of the image ${image}; \`deploy/image-digests.sh\` prints today's.`,
  };
}

/** What deploy/compose.yaml and its build read besides variables of the service. */
export const CONTAINERS: readonly Variable[] = [
  digest("NODE_DIGEST", "of Node that builds the service"),
  digest("DEBIAN_DIGEST", "of Debian that the service runs in"),
  digest("POSTGRES_DIGEST", "of PostgreSQL"),
  digest("CADDY_DIGEST", "of Caddy, the proxy"),
  {
    name: "POSTGRES_PASSWORD",
    absent: "required",
    readBy: ["containers"],
    example: "an-example-that-is-no-secret",
    text: "The password of the database: `openssl rand -hex 24`.",
  },
  {
    name: "FRONT_NETWORK",
    default: "10.89.250.0/24",
    readBy: ["containers"],
    example: "10.90.0.0/24",
    text: "The network of proxy and gateway, whose addresses the gateway trusts as proxies.",
  },
  {
    name: "ENGINE",
    default: "podman",
    readBy: ["containers"],
    example: "docker",
    text: "The engine that `deploy/image-digests.sh` asks the registries with.",
  },
];
