import { expect, test } from "vitest";
import { readTaxId } from "../../src/platform/text/tax-id.ts";

test.each([
  ["529.982.247-25", "52998224725"],
  ["11.222.333/0001-81", "11222333000181"],
  ["11222333000181", "11222333000181"],
  ["00.000.000/0001-91", "00000000000191"],
  ["12.ABC.345/01DE-35", "12ABC34501DE35"],
  ["12.abc.345/01de-35", "12ABC34501DE35"],
  ["zzzzzzzz000191", "ZZZZZZZZ000191"],
])("%s is a person or a company", (text, id) => {
  expect(readTaxId(text)).toBe(id);
});

test.each([
  ["a wrong last digit", "11.222.333/0001-82"],
  ["a wrong first check digit", "11.222.333/0001-91"],
  ["a wrong digit before them", "11.222.334/0001-81"],
  ["two digits in each other's place", "11.223.233/0001-81"],
  ["a wrong check digit after letters", "12.ABC.345/01DE-36"],
  ["a wrong letter", "12.ABD.345/01DE-35"],
  ["the digit that a letter looks like", "12.A8C.345/01DE-35"],
  ["a letter for a check digit", "12.ABC.345/01DE-3S"],
  ["a letter with an accent", "12.ÁBC.345/01DE-35"],
  ["a letter in a CPF", "52998224A25"],
  ["one digit too few", "1122233300018"],
  ["one digit too many", "112223330001811"],
  ["the same digit alone", "00.000.000/0000-00"],
  ["a CPF's wrong digit", "529.982.247-24"],
  ["nothing", ""],
])("%s is not a tax id", (_, text) => {
  expect(readTaxId(text)).toBeNull();
});
