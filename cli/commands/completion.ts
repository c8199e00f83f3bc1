import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { join } from "node:path";
import { examples } from "../output/help.ts";

const MAIN = join(import.meta.dirname, "..", "main.ts");

// The library's script takes the words from the bash-completion package, which a bare machine does not have.
const WORDS_WITHOUT_PACKAGE = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
  _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  }
fi`;

/** Completes commands, options and choices. Must be added last: it reads them when the user presses Tab. */
export function addCompletion(program: Command): void {
  const completions = tab(program, { completionCommandName: "completion" });
  const command = program.commands.find((one) => one.name() === "completion");
  if (!command) throw new Error("the library has made no command");
  command.action((shell: string) => {
    if (shell === "bash") process.stdout.write(`${WORDS_WITHOUT_PACKAGE}\n`);
    completions.setup(program.name(), `${quoted(process.execPath)} ${quoted(MAIN)}`, shell);
  });
  command.addHelpText(
    "after",
    `${examples("completion bash", "completion fish")}

In bash: source <(npx paylink completion bash); alias paylink='npx paylink'`,
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
