/** A line for the operator that contains nothing from a request, so that it may be logged as it is. */
export class Notice {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
