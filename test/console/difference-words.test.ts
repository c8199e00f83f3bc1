import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { differenceText } from "../../gateway/console/reconciliation/differences.ts";
import type { Visit } from "../../gateway/console/visit.ts";
import { formatOf } from "../../gateway/pages/format.ts";
import { LANGUAGES } from "../../gateway/pages/language.ts";
import { DifferenceKind, DifferenceSchema } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";

const DUE = "2026-11-30";

test.each([
  [-9_900_000n, "R$ 99.000,00 a caminho, previsto até {day}", "R$99,000.00 on its way, expected by {day}"],
  [
    9_900_000n,
    "R$ 99.000,00 ainda a sair, previsto até {day}",
    "R$99,000.00 yet to go out, expected by {day}",
  ],
])("money in transit of %s says which way it goes", (amount, ...words) => {
  const difference = create(DifferenceSchema, {
    kind: DifferenceKind.IN_TRANSIT,
    amount,
    dueOn: DUE,
  });
  const texts = LANGUAGES.map((language) => {
    const format = formatOf(language);
    const text = differenceText({ language, format } as Visit, difference);
    return text.replaceAll("\u{a0}", " ").replace(format.day(DUE), "{day}");
  });
  expect(texts).toEqual(words);
});
