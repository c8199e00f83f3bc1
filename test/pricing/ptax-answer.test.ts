import { describe, expect, test } from "vitest";
import { newestBulletin } from "../../src/pricing/ptax-answer.ts";
import { olindaText } from "../support/olinda.ts";

const TIME = "2026-03-06 13:10:20.291";
const read = (time: string, sale: string) => newestBulletin(olindaText([[time, sale]]));

/** The code of the fault, or what was read. */
function codeOf(answer: string): unknown {
  try {
    return newestBulletin(answer);
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}

describe("cotacaoVenda", () => {
  test.each([
    ["5.2404", 5_240_400n],
    ["5.241", 5_241_000n],
    ["5.24", 5_240_000n],
    ["5", 5_000_000n],
    ["5.24105", 5_241_050n],
    ["5.241050", 5_241_050n],
    // No float in between: 5.24105 and 1.000001 have no exact one.
    ["1.000001", 1_000_001n],
    ["0.01", 10_000n],
    ["1000", 1_000_000_000n],
  ])("%s is %s micros", (text, spotMicros) => expect(read(TIME, text)?.spotMicros).toBe(spotMicros));

  test.each([
    ["1e1", "bad_number"],
    ["52e-1", "bad_number"],
    ["-5.24", "bad_number"],
    ["0", "bad_number"],
    ["5.2404001", "bad_number"],
    ['"5.24"', "bad_number"],
    ["null", "bad_number"],
    ["true", "bad_number"],
    ["[5.24]", "bad_number"],
    ['{"text":"5.24"}', "bad_number"],
    ["0.009999", "out_of_bounds"],
    ["1000.000001", "out_of_bounds"],
    ["NaN", "no_json"],
    ["05.24", "no_json"],
    ["5,24", "no_json"],
  ])("%s is refused: %s", (text, code) => expect(codeOf(olindaText([[TIME, text]]))).toBe(code));

  test("of an older bulletin than the newest is not read", () => {
    const answer = olindaText([
      ["2026-03-05 13:10:20.1", "1e1"],
      [TIME, "5.24"],
    ]);
    expect(newestBulletin(answer)?.spotMicros).toBe(5_240_000n);
  });
});

describe("dataHoraCotacao is the time of São Paulo in whole seconds, kept as it is written", () => {
  test.each([
    ["2026-03-06 13:10:20.291", "2026-03-06T16:10:20Z"],
    ["2026-03-06 13:10:20.29", "2026-03-06T16:10:20Z"],
    ["2026-03-06 13:10:20.9", "2026-03-06T16:10:20Z"],
    ["2026-03-06 13:10:20", "2026-03-06T16:10:20Z"],
    ["2026-03-06 13:10:20.999999999", "2026-03-06T16:10:20Z"],
    ["2026-12-31 23:59:59.5", "2027-01-01T02:59:59Z"],
    // Summer time, until 2019.
    ["2018-12-06 13:10:20.291", "2018-12-06T15:10:20Z"],
    ["2021-08-06 13:11:22.291", "2021-08-06T16:11:22Z"],
  ])("case 15: %s, which has no zone, is %s", (time, instant) => {
    expect(read(time, "5.24")).toMatchObject({ text: time, publishedAt: new Date(instant) });
  });

  test.each([
    "2026-03-06T13:10:20Z",
    "2026-03-06 13:10:20Z",
    "2026-03-06 13:10:20-03:00",
    "2026-02-30 13:10:20",
    "2026-03-06 24:10:20",
    "2026-03-06 13:10",
    "06/03/2026 13:10:20",
    "2026-03-06 13:10:20.",
    "",
  ])("%s is refused", (time) => expect(codeOf(olindaText([[time, "5.24"]]))).toBe("bad_time"));

  test("that is none is refused", () => {
    expect(codeOf('{"value":[{"cotacaoVenda":5.24}]}')).toBe("bad_time");
    expect(codeOf('{"value":[{"cotacaoVenda":5.24,"dataHoraCotacao":20260306}]}')).toBe("bad_time");
  });
});

describe("an answer", () => {
  test("case 15: without bulletins is nothing new", () =>
    expect(newestBulletin(olindaText([]))).toBeUndefined());

  test("has the newest of its bulletins, in whatever order they are", () => {
    const rows = [
      ["2026-03-05 13:10:20.1", "5.1"],
      ["2026-03-06 13:10:20.1", "5.3"],
      ["2026-03-04 13:10:20.1", "5.2"],
    ] as const;
    expect(newestBulletin(olindaText(rows))?.spotMicros).toBe(5_300_000n);
    expect(newestBulletin(olindaText(rows.toReversed()))?.spotMicros).toBe(5_300_000n);
  });

  test.each([
    ["nothing", "", "no_json"],
    ["a page", "<!DOCTYPE html><html><body>Erro</body></html>", "no_json"],
    ["half an answer", olindaText([[TIME, "5.24"]]).slice(0, -2), "no_json"],
    ["a number", "5.24", "no_bulletins"],
    ["null", "null", "no_bulletins"],
    ["a list", "[]", "no_bulletins"],
    ["an error object", '{"error":{"code":"500"}}', "no_bulletins"],
    ["a value that is no list", '{"value":{}}', "no_bulletins"],
    ["a list of other things", '{"value":[5.24]}', "no_bulletins"],
  ])("that is %s is refused", (_what, text, code) => expect(codeOf(text)).toBe(code));
});
