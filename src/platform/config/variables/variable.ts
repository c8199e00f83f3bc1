/** What reads a variable: a part of the service, the command line, the programs of examples/, or what starts the containers. */
type Reader = "core" | "gateway" | "worker" | "command line" | "examples" | "containers";

/** A variable of the environment, as docs/variables.md shows it. */
export type Variable = {
  readonly name: string;
  readonly readBy: readonly Reader[];
  /** A value that is accepted and is not the default. A secret's is a placeholder. */
  readonly example: string;
  /** Other variables that the example needs, with examples of their own. */
  readonly needs?: Readonly<Record<string, string>>;
  /** What it is for, in Markdown: sentences without units or limits that another column has. */
  readonly text: string;
} & (
  | { readonly default: string }
  | { /** What holds while it is not set, in Markdown. */ readonly absent: string }
);

/** Every part of the service. */
export const PARTS = ["core", "gateway", "worker"] as const;
/** The parts that have a database. */
export const CORES = ["core", "worker"] as const;
