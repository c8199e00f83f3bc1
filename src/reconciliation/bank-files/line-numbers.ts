/** Counts a text's lines up to places that are asked for in their order. */
export class LineNumbers {
  readonly #text: string;
  #line = 1;
  #next: number;

  constructor(text: string) {
    this.#text = text;
    this.#next = text.indexOf("\n");
  }

  /** Returns the number of the line, from 1, that has the character at `place`. No later call may ask for an earlier place. */
  at(place: number): number {
    while (this.#next !== -1 && this.#next < place) {
      this.#line++;
      this.#next = this.#text.indexOf("\n", this.#next + 1);
    }
    return this.#line;
  }
}
