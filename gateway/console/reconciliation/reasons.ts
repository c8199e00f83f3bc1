import type { Visit } from "../visit.ts";

/** The core's reasons for lines that it does not take, by their forms, in Portuguese. */
const PORTUGUESE: readonly (readonly [form: RegExp, text: string])[] = [
  [/^(\d{4})-(\d\d)-(\d\d) is after today$/, "$3/$2/$1 é depois de hoje"],
  [/^(.*) is not BRL or USD$/, "$1 não é BRL nem USD"],
  [/^its text has more than (\d+) characters$/, "o texto tem mais de $1 caracteres"],
  [/^its document number has more than (\d+) characters$/, "o número do documento tem mais de $1 caracteres"],
  [/^(?:it|the row) has more than (\d+) characters$/, "a linha tem mais de $1 caracteres"],
  [/^it has (\d+) characters instead of (\d+)$/, "a linha tem $1 caracteres em vez de $2"],
  [/^(.*) is no type of record$/, "$1 não é um tipo de registro"],
  [/^segment (.*) is of no statement$/, "o segmento $1 não é de extrato"],
  [/^transaction (\d+) has two (\w+)$/, "a transação $1 tem dois $2"],
  [/^transaction (\d+): (\w+) (.*) is no day$/, "transação $1: $2 $3 não é um dia"],
  [/^transaction (\d+): (\w+) (.*) is no amount$/, "transação $1: $2 $3 não é um valor"],
  [
    /^transaction (\d+): the file ends before it does$/,
    "transação $1: o arquivo acaba no meio dela, baixe-o de novo",
  ],
  [/^(.*) is no day$/, "$1 não é um dia"],
  [/^(.*) is no amount with C or D$/, "$1 não é um valor com C ou D"],
  [/^(.*) is no amount$/, "$1 não é um valor"],
  [/^the file ends before .*: fetch it again$/, "o arquivo está cortado no fim: baixe-o de novo"],
  [/^the file is empty$/, "o arquivo está vazio"],
  [
    /^the file is an old workbook: save it as XLSX$/,
    "o arquivo é de uma versão antiga do Excel: salve-o como XLSX",
  ],
  [/^the file is a ZIP, and no workbook of Excel$/, "o arquivo é um ZIP, e não uma planilha do Excel"],
  [
    /^the file is .* it needs a mapping of its columns$/,
    "o arquivo precisa do mapa das colunas: preencha-o na conta",
  ],
  [
    /^the file is of two accounts, (.*) and (.*): import one file an account$/,
    "o arquivo é de duas contas, $1 e $2: importe um arquivo por conta",
  ],
  [/^the (?:file|lines|workbook) ha(?:s|ve) more than .*$/, "o arquivo é grande demais: importe-o em partes"],
  [/^the titles have no (.*)$/, "os títulos não têm $1"],
  [/^the titles have two (.*): map it by its number$/, "os títulos têm dois $1: use o número da coluna"],
  [/^the OFX file has no transactions$/, "o arquivo OFX não tem transações"],
  [/^the CNAB 240 file has no segment E$/, "o arquivo CNAB 240 não tem segmento E"],
  [
    /^the (?:CSV|first sheet) has no line that the account's mapping reads$/,
    "nenhuma linha pode ser lida com o mapa da conta",
  ],
  [/^the account's mapping has no separator for a CSV$/, "o mapa da conta não tem separador para um CSV"],
  [/^the CSV cannot be read from here on: (.*)$/, "o CSV não pode ser lido a partir daqui: $1"],
  [/^the workbook has no sheet$/, "a planilha está vazia"],
  [
    /^(?:the workbook is damaged: .*|the (?:sheet's rows|row's cells) are out of order|a cell names a text that is not there)$/,
    "a planilha está danificada: salve-a de novo como XLSX",
  ],
];

/** Returns why a line is not taken, in the user's language; as the core has it if its form is not known. */
export function reasonText({ language }: Pick<Visit, "language">, reason: string): string {
  if (language === "en") return reason;
  const found = PORTUGUESE.find(([form]) => form.test(reason));
  return found ? reason.replace(...found) : reason;
}
