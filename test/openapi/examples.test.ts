import { describe, expect, test } from "vitest";
import { answerAt, openApi, operations, problemsAt, type Operation } from "../support/openapi.ts";

describe("examples", () => {
  test("every operation's and every webhook's are valid, the schemas closed", () => {
    let count = 0;
    const check = (
      place: readonly string[],
      content: NonNullable<Operation["requestBody"]>["content"],
    ): void => {
      const { example, examples = {} } = content["application/json"];
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map((each) => each.value),
      ];
      if (values.length === 0) throw new Error(`no example at ${place.join(" ")}`);
      for (const value of values) {
        expect([
          place.join(" "),
          problemsAt([...place, "content", "application/json", "schema"], value),
        ]).toEqual([place.join(" "), []]);
        count += 1;
      }
    };
    for (const { path, verb, operation } of operations()) {
      if (operation.requestBody) check(["paths", path, verb, "requestBody"], operation.requestBody.content);
      for (const status of Object.keys(operation.responses)) {
        const found = answerAt(path, verb, Number(status));
        if (found?.answer.content) check(found.place, found.answer.content);
      }
    }
    for (const [type, { post }] of Object.entries(openApi.webhooks)) {
      check(["webhooks", type, "post", "requestBody"], post.requestBody?.content as never);
    }
    expect(count).toBeGreaterThan(100);
  });

  test("a broken one would be found", () => {
    const schema = [
      "webhooks",
      "payment.failed",
      "post",
      "requestBody",
      "content",
      "application/json",
      "schema",
    ];
    const { example } =
      openApi.webhooks["payment.failed"]?.post.requestBody?.content["application/json"] ?? {};
    const event = example as { data: object };
    expect(problemsAt(schema, { ...event, more: 1 })).toHaveLength(1);
    expect(
      problemsAt(schema, { ...event, data: { ...event.data, decline_code: "unheard_of" } }),
    ).toHaveLength(1);
    expect(problemsAt(schema, { ...event, type: "payment.succeeded" })).toHaveLength(1);
  });
});
