import { describe, expect, test } from "vitest";
import { tableText, type TableCell } from "../../cli/output/table.ts";

const PLAIN = { heading: (text: string) => text, cell: (text: string) => text };
const HEADINGS = ["id", "name", "note", "n"];

function rowOf(id: string, name: string, note: string, n: string): TableCell[] {
  return [id, name, note, n].map((text, column) => ({ text, isWhole: column === 0 || column === 3 }));
}

const ROWS = [
  rowOf("pl_01k5e8zj7qf4x9r2m3n6p8s0tv", "Running shoes", "a note that is longer than all the others", "7"),
  rowOf("pl_01k5e8zj7qf4x9r2m3n6p8s0tw", "Botões 日本語 🎉", "short", "100000"),
];
const shownIn = (columns: number): string[] => tableText(HEADINGS, ROWS, columns, PLAIN).split("\n");

describe("a table", () => {
  test("is as wide as its texts where there is room", () => {
    expect(shownIn(Infinity)).toEqual([
      "id                             name              note                                       n",
      "pl_01k5e8zj7qf4x9r2m3n6p8s0tv  Running shoes     a note that is longer than all the others  7",
      // Each of three characters is two columns wide, and the last one too.
      "pl_01k5e8zj7qf4x9r2m3n6p8s0tw  Botões 日本語 🎉  short                                      100000",
      "",
    ]);
  });

  test("has its longest texts shortened where there is less, and no id or number", () => {
    expect(shownIn(72)).toEqual([
      "id                             name             note             n",
      "pl_01k5e8zj7qf4x9r2m3n6p8s0tv  Running shoes    a note that is…  7",
      "pl_01k5e8zj7qf4x9r2m3n6p8s0tw  Botões 日本語 …  short            100000",
      "",
    ]);
  });

  test("is a block for each row where ids and numbers alone do not fit", () => {
    expect(shownIn(60)).toEqual([
      "id    pl_01k5e8zj7qf4x9r2m3n6p8s0tv",
      "name  Running shoes",
      "note  a note that is longer than all the others",
      "n     7",
      "",
      "id    pl_01k5e8zj7qf4x9r2m3n6p8s0tw",
      "name  Botões 日本語 🎉",
      "note  short",
      "n     100000",
      "",
    ]);
  });
});
