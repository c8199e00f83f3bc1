import type { DescMessage } from "@bufbuild/protobuf";
import { PUBLIC_SERVICES } from "../../contract/public-services.ts";

const names = new Set<string>();
const seen = new Set<string>();
for (const { methods } of PUBLIC_SERVICES) for (const { input } of methods) addNames(input);

function addNames({ typeName, fields }: DescMessage): void {
  if (seen.has(typeName)) return;
  seen.add(typeName);
  for (const { name, message } of fields) {
    names.add(name);
    if (message) addNames(message);
  }
}

/**
 * Returns the beginning of an error's param that the contract names, such as "metadata" of "metadata.order", or undefined.
 * The rest is the client's text, which no log holds.
 */
export function knownParam(param: string | null): string | undefined {
  const parts = param?.split(".") ?? [];
  const end = parts.findIndex((part) => !names.has(part.replace(/\[\d+\]$/, "")));
  return parts.slice(0, end < 0 ? parts.length : end).join(".") || undefined;
}
