import type { EntityName } from "@mikro-orm/core";
import type { Environment } from "./database.ts";

/**
 * Returns an entity's columns for a SELECT from a table of this alias, some of them by other expressions: a page of long
 * JSON that is parsed and mapped stops the process.
 */
export function columnsOf(
  { orm }: Pick<Environment, "orm">,
  entity: EntityName,
  alias: string,
  instead: Readonly<Record<string, string>>,
): string {
  const names = orm
    .getMetadata()
    .get(entity)
    .props.flatMap(({ fieldNames }) => fieldNames);
  return names.map((name) => `${instead[name] ?? `${alias}.${name}`} AS ${name}`).join(", ");
}
