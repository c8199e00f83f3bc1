/** Writes docs/variables.md. A part of `npm run generate`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { VARIABLES } from "../../src/platform/config/variables/variables.ts";
import { variablesPage } from "./variables-page.ts";

const page = join(import.meta.dirname, "..", "..", "docs", "variables.md");
writeFileSync(page, variablesPage(VARIABLES));
