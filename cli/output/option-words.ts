import type { Command } from "commander";

/** Options whose name differs from the field that they fill. */
const OPTIONS: Readonly<Record<string, string>> = {
  tenant_id: "tenant",
  payment_method: "method",
  payment_methods: "methods",
  collect_fields: "collect",
  event_types: "events",
  event_type: "type",
  object_id: "object",
  endpoint_id: "endpoint",
  event_id: "event",
  max_age_seconds: "max-age",
  spot_micros: "spot",
  permissions: "allow",
  addresses: "allow-address",
  since: "failed-since",
  expires_at: "expires-in",
};

/** Arguments whose name differs from the field that they fill. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  payment_id: "payment",
  delivery_id: "id",
  user_id: "user",
};

/** Returns the core's sentence with its fields renamed to the command's options and arguments. */
export function inOptions(sentence: string, command: Command | undefined): string {
  if (!command) return sentence;
  const given = (field: string): string | undefined => optionOf(field, command) ?? argumentOf(field, command);
  const wordOf = (field: string): string => given(field) ?? field;
  return sentence
    .replace(/^settings\./, "")
    .replace(/^([a-z_]+)(?:\.[a-z_]+)*(?= )/, (path, field: string) => given(field) ?? path)
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, wordOf);
}

/** Returns the option that fills the field. Of several, it is the one that was given. */
function optionOf(field: string, command: Command): string | undefined {
  const names = new Set([field.replaceAll("_", "-"), OPTIONS[field]].map((name) => `--${name}`));
  const found = command.options.filter(({ long }) => long != null && names.has(long));
  const given = found.find((option) => command.getOptionValueSource(option.attributeName()) === "cli");
  return (given ?? found[0])?.long ?? undefined;
}

function argumentOf(field: string, { registeredArguments }: Command): string | undefined {
  const names = new Set([field, ARGUMENTS[field]]);
  const found = registeredArguments.find((argument) => names.has(argument.name()));
  return found && `<${found.name()}>`;
}
