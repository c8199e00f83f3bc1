/** A line for the operator that was made without anything of a request, and may be logged as it is. */
export class Notice {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
