import type { Variable } from "../../src/platform/config/variables/variable.ts";

const INTRODUCTION = `# Variables

Every variable of the environment, one a row, made by \`npm run generate\` from \`src/platform/config/variables/\`. An empty value
counts as none. \`serve\` in one process reads what core, gateway and worker read; each part checks all of them, and \`paylink
doctor\` says which one is wrong. [deploy/](../deploy/README.md) says which to set first. With \`DATABASE_URL\` the driver of
PostgreSQL also reads libpq's variables, such as \`PGPASSWORD\`. The \`OTEL_*\` ones are those of OpenTelemetry that work: traces are
sent, its metrics and logs are not. The [examples](../examples/README.md) have a few of their own.

| variable | default | read by | example | |
|---|---|---|---|---|
`;

/** Returns docs/variables.md. */
export function variablesPage(variables: readonly Variable[]): string {
  return `${INTRODUCTION}${variables.map(rowOf).join("\n")}\n`;
}

function rowOf(variable: Variable): string {
  const { name, readBy, example, needs = {}, text } = variable;
  const fallback = "default" in variable ? `\`${variable.default}\`` : variable.absent;
  const needed = Object.keys(needs).map((other) => `\`${other}\``);
  const last = needed.pop();
  const others = needed.length === 0 ? last : `${needed.join(", ")} and ${last}`;
  const together = last === undefined ? "" : ` Set with ${others}.`;
  return `| \`${name}\` | ${fallback} | ${readBy.join(", ")} | \`${example}\` | ${text}${together} |`;
}
