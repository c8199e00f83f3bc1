import { programOf } from "../../cli/program.ts";

const program = await programOf([]);

/** What a command line lacks or has too much; null when it would run. */
export function faultOf(line: string): string | null {
  let command = program;
  const words = [...line.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word).slice(1);
  const given: string[] = [];
  let operands = 0;
  while (words.length > 0) {
    const word = words.shift() ?? "";
    const next = command.commands.find((one) => one.name() === word);
    if (word.startsWith("--")) {
      const option = [...command.options, ...program.options].find(({ long }) => long === word);
      if (!option) return `no option ${word}`;
      given.push(word);
      const value = option.required ? words.shift() : undefined;
      if (option.argChoices && !option.argChoices.includes(value ?? "")) return `no choice ${value}`;
    } else if (next) command = next;
    else operands += 1;
  }
  const missing = command.options.filter(({ mandatory, long }) => mandatory && !given.includes(long ?? ""));
  if (missing.length > 0) return `missing ${missing.map(({ long }) => long).join(", ")}`;
  const needed = command.registeredArguments.filter((argument) => argument.required).length;
  if (operands < needed || operands > command.registeredArguments.length) return `${operands} operands`;
  return command.commands.length > 0 ? "no command" : null;
}
