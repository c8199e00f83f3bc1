import type { Refusal } from "../contract.ts";
import type { Expected } from "./matching.ts";
import type { World } from "./world.ts";

type Body = Readonly<Record<string, unknown>>;

/** What a call must come to: a success with this body, or one of these refusals. */
export type Decision =
  | { readonly refusals: readonly Refusal[] }
  | {
      readonly expected: Expected;
      /** Identifiers in the body that must be new. */
      readonly ids: (body: Body) => readonly string[];
      readonly learn: (body: Body, text: string) => World;
    };
