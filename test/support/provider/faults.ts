/**
 * What goes wrong with one call. "lost": it is carried out, and the connection is cut. "cut": the connection is cut
 * before. "hang": it is never answered. "silent": it is carried out, and never answered. "status", "busy",
 * "unauthorized": it is refused before it is carried out. "html", "empty": it is carried out, and its answer is that.
 * "text": it is not carried out, and its answer is that. "twice": it is carried out two times, and answered once.
 * "late": its connection is cut, and it is carried out when the held function is called, without an answer.
 * "before", "after": something else happens at the provider before the call is carried out, or between that and its
 * answer. "held": it is carried out, and answered when the promise is kept.
 */
export type Fault =
  | { readonly kind: "lost" | "cut" | "hang" | "silent" | "unauthorized" | "twice" }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "busy"; readonly retryAfter: string | null }
  | { readonly kind: "html"; readonly status: number }
  | { readonly kind: "empty"; readonly status: 200 | 204 }
  | {
      readonly kind: "text";
      readonly status: number;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "late"; readonly hold: (carryOut: () => void) => void }
  | { readonly kind: "held"; readonly until: Promise<unknown> }
  | { readonly kind: "before" | "after"; readonly act: () => void };

/** The faults that wait for their calls. */
export class Faults<Call extends string> {
  readonly #waiting = new Map<Call, Fault[]>();
  /** Draws the fault of a call for which none waits. */
  draw: (call: Call, query: URLSearchParams) => Fault | undefined = () => undefined;

  /** The next `times` calls of a name fail. */
  add(call: Call, fault: Fault, times: number): void {
    const list = this.#waiting.get(call) ?? [];
    for (let count = 0; count < times; count++) list.push(fault);
    this.#waiting.set(call, list);
  }

  /** Returns the fault of a call that came, if one waits for it. */
  take(call: Call, query: URLSearchParams): Fault | undefined {
    return this.#waiting.get(call)?.shift() ?? this.draw(call, query);
  }

  clear(): void {
    this.#waiting.clear();
  }
}
