/** A mutator of our own beside Stryker's, which know nothing of SQL: one operator of a statement becomes another. */

interface Node {
  readonly type: string;
}

interface TemplateElement extends Node {
  readonly value: { readonly raw: string; readonly cooked?: string };
}

interface Template extends Node {
  readonly quasis: readonly TemplateElement[];
  readonly expressions: readonly Node[];
}

interface Text extends Node {
  readonly value: string;
}

/** As Stryker's mutators are: gives a replacement of the node for each mutant. */
interface NodeMutator {
  readonly name: string;
  readonly mutate: (path: { readonly node: Node; readonly parent?: Node }) => Iterable<Node>;
}

const SQL =
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|AND|OR|IS(?: NOT)? NULL|ORDER BY)\b|\$\d|[=<>] \$|^(?:ASC|DESC|[<>]=?)$/;

const SWAPS: Readonly<Record<string, string>> = {
  " = ": " <> ",
  " <> ": " = ",
  " < ": " <= ",
  " <= ": " < ",
  " > ": " >= ",
  " >= ": " > ",
  AND: "OR",
  OR: "AND",
  "IS NULL": "IS NOT NULL",
  "IS NOT NULL": "IS NULL",
  "NOT EXISTS": "EXISTS",
  EXISTS: "NOT EXISTS",
  ASC: "DESC",
  DESC: "ASC",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
};

const OPERATOR =
  /(?<= )(?:=|<>|<=|>=|<|>)(?= )|\b(?:IS NOT NULL|IS NULL|NOT EXISTS|EXISTS|AND|OR|ASC|DESC)\b|^[<>]=?$/g;

function* swapped(text: string): Iterable<string> {
  if (!SQL.test(text)) return;
  for (const { 0: found, index } of text.matchAll(OPERATOR)) {
    const other = SWAPS[found] ?? SWAPS[` ${found} `]?.trim();
    // The = of an assignment has no opposite.
    if (other === undefined || (found === "=" && /\bSET\b(?!.*\bWHERE\b)/s.test(text.slice(0, index))))
      continue;
    yield text.slice(0, index) + other + text.slice(index + found.length);
  }
}

export const sqlMutator: NodeMutator = {
  name: "Sql",
  *mutate({ node, parent }) {
    if (node.type === "StringLiteral" && !parent?.type.startsWith("Import")) {
      for (const value of swapped((node as Text).value)) yield { type: "StringLiteral", value } as Text;
    }
    if (node.type !== "TemplateLiteral") return;
    const { quasis, expressions } = node as Template;
    const isSql = quasis.some(({ value }) => SQL.test(value.raw));
    if (!isSql) return;
    for (const [index, { value }] of quasis.entries()) {
      for (const raw of swapped(value.raw)) {
        const changed = quasis.map((quasi, at) => (at === index ? { ...quasi, value: { raw } } : quasi));
        yield structuredClone({ type: "TemplateLiteral", quasis: changed, expressions }) as Template;
      }
    }
  },
};
