import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescMessage,
  DescMethod,
  DescService,
} from "@bufbuild/protobuf";

/** What a comment stands above. */
type Commented = DescEnum | DescEnumValue | DescField | DescMessage | DescMethod | DescService;

/** Reads the comment above something in its .proto file. Handed in: generated code carries no comments. */
export type CommentOf = (desc: Commented) => string;

/** A comment's paragraphs, each on one line. */
function paragraphs(comment: string): string[] {
  return comment
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

/** The whole comment as text. */
export function textOf(comment: string): string {
  return paragraphs(comment).join("\n\n");
}

/** The first paragraph: a service's others are for callers of its RPCs. */
export function firstParagraph(comment: string): string {
  return paragraphs(comment)[0] ?? "";
}

/**
 * An RPC's comment as a summary, its first sentence, and the others. The sentence "Errors: …" is left out: it is
 * for callers of the RPC, and its codes stand in the RPC's options.
 */
export function summaryAndRest(comment: string): { summary: string; rest: string[] } {
  const sentences = textOf(comment)
    .split(/(?<=\.)\s+(?=[A-Z])/)
    .filter((sentence) => !sentence.startsWith("Errors:"));
  const [first = "", ...rest] = sentences;
  return { summary: first.replace(/\.$/, ""), rest };
}
