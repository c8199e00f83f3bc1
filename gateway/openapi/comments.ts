import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescMessage,
  DescMethod,
  DescService,
} from "@bufbuild/protobuf";

/** The parts of a .proto file that have comments. */
type Commented = DescEnum | DescEnumValue | DescField | DescMessage | DescMethod | DescService;

/** Returns the comment of an element in its .proto file. It is passed in because generated code has no comments. */
export type CommentOf = (desc: Commented) => string;

/** Returns a comment's paragraphs, each on one line. */
function paragraphs(comment: string): string[] {
  return comment
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

/** Returns the whole comment as text. */
export function textOf(comment: string): string {
  return paragraphs(comment).join("\n\n");
}

/**
 * Returns the first sentence of an RPC's comment as the summary, and the rest. The sentence "Errors: …" is left out: it
 * is for callers of the RPC, and the RPC's options have its codes.
 */
export function summaryAndRest(comment: string): { summary: string; rest: string[] } {
  const sentences = textOf(comment)
    .split(/(?<=\.)\s+(?=[A-Z])/)
    .filter((sentence) => !sentence.startsWith("Errors:"));
  const [first = "", ...rest] = sentences;
  return { summary: first.replace(/\.$/, ""), rest };
}
