import { messages, type Message } from "../../pages/messages.ts";

const SIDES = {
  ours: ["Nossos registros", "Our books"],
  statement: ["Extrato", "Statement"],
  bank: ["Banco", "Bank"],
} as const;

const COLUMNS = {
  opening: ["abertura", "opening"],
  in: ["entradas", "in"],
  fees: ["tarifas", "fees"],
  returns: ["devoluções", "returns"],
  out: ["saídas", "out"],
  closing: ["encerramento", "closing"],
} as const;

type ColumnTitle = `${keyof typeof SIDES}_${keyof typeof COLUMNS}`;

const COLUMN_TITLES = Object.fromEntries(
  Object.entries(SIDES).flatMap(([side, [portuguese, english]]) =>
    Object.entries(COLUMNS).map(([column, words]): [string, Message] => [
      `${side}_${column}`,
      [`${portuguese}: ${words[0]}`, `${english}: ${words[1]}`],
    ]),
  ),
) as Record<ColumnTitle, Message>;

/** The titles of the workbook's columns, by the names that they have in CSV files. */
const TITLES = {
  ...COLUMN_TITLES,
  day: ["Dia", "Day"],
  account: ["Conta no provedor", "Provider account"],
  state: ["Situação", "Status"],
  closed_at: ["Conferido em", "Found even at"],
  statement_stated: ["Extrato: saldo informado", "Statement: balance stated"],
  bank_account: ["Conta bancária", "Bank account"],
  bank_stated: ["Banco: saldo informado", "Bank: balance stated"],
  statement_complete: ["Extrato completo", "Statement complete"],
  statement_carries: ["Abertura + linhas = encerramento", "Opening + lines = closing"],
  statement_lines: ["Linhas do extrato", "Lines of the statement"],
  statement_lines_sha256: ["SHA-256 das linhas do extrato", "SHA-256 of the statement's lines"],
  statement_read_at: ["Extrato lido em", "Statement read at"],
  statement_fault: ["A última leitura falhou", "The last reading failed"],
  number: ["Diferença do dia", "Difference of the day"],
  leg: ["Comparação", "Compared"],
  difference_kind: ["Diferença", "Difference"],
  amount: ["Valor", "Amount"],
  fee_expected: ["Tarifa do contrato", "Fee by the contract"],
  fee_charged: ["Tarifa cobrada", "Fee charged"],
  due_on: ["Previsto até", "Expected by"],
  reason: ["Motivo", "Reason"],
  decided_by: ["Explicado por", "Explained by"],
  decided_at: ["Explicado em", "Explained at"],
  decision: ["Explicação", "Explanation"],
  match: ["Correspondência", "Match"],
  line_count: ["Linhas", "Lines"],
  line_side: ["Lado da linha", "Side of the line"],
  line_account: ["Conta da linha", "Account of the line"],
  line_day: ["Dia da linha", "Day of the line"],
  line_kind: ["Movimento", "Movement"],
  line_amount: ["Valor da linha", "Amount of the line"],
  line_text: ["Texto", "Text"],
  payment: ["Pagamento", "Payment"],
  reference: ["Referência", "Reference"],
  end_to_end_id: ["Identificador do Pix (end-to-end)", "End-to-end ID of Pix"],
  provider_payment_id: ["Código do pagamento no provedor", "Provider's ID of the payment"],
  foreign_id: ["Código no provedor ou no banco", "ID at the provider or the bank"],
  key: ["Chave da linha", "Key of the line"],
  undone_by: ["Desfeito por", "Undone by"],
  undone_at: ["Desfeito em", "Undone at"],
  days: ["Dias das linhas", "Days of the lines"],
  keys: ["Chaves das linhas", "Keys of the lines"],
  import: ["Importação", "Import"],
  file_name: ["Arquivo", "File"],
  file_sha256: ["SHA-256 do arquivo", "SHA-256 of the file"],
  imported_lines: ["Linhas novas", "New lines"],
  known_lines: ["Linhas já conhecidas", "Lines known before"],
  imported_by: ["Importado por", "Imported by"],
  imported_at: ["Importado em", "Imported at"],
  kind: ["Movimento", "Movement"],
  currency: ["Moeda", "Currency"],
  text: ["Texto", "Text"],
  at: ["Hora (São Paulo)", "Time (São Paulo)"],
  balance: ["Saldo informado", "Balance stated"],
  installment: ["Parcela", "Installment"],
  settlement_id: ["Código do repasse", "ID of the payout"],
  books_match: ["Correspondência com nossos registros", "Match with our books"],
  books_rule: ["Regra", "Rule"],
  bank_match: ["Correspondência com o banco", "Match with the bank"],
  bank_rule: ["Regra (banco)", "Rule (bank)"],
  rule: ["Regra", "Rule"],
  raw_sha256: ["SHA-256 da linha original", "SHA-256 of the original line"],
} satisfies Record<string, Message>;

export type TitleKey = keyof typeof TITLES;

export const titlesIn = messages<TitleKey>(TITLES);

export const messagesIn = messages({
  sheet_month: ["Mês", "Month"],
  sheet_differences: ["Diferenças", "Differences"],
  sheet_decisions: ["Explicações", "Explanations"],
  sheet_imports: ["Importações", "Imports"],
  sheet_statement: ["Extrato", "Statement"],
  sheet_bank: ["Banco", "Bank"],
  sheet_books: ["Nossos registros", "Our books"],

  difference_missing_here: ["só no segundo lado", "on the second side alone"],
  difference_missing_there: ["só no primeiro lado", "on the first side alone"],
  difference_amount_differs: ["valores diferentes", "amounts differ"],
  difference_fee_differs: ["tarifa fora do contrato", "fee not by the contract"],
  difference_doubled: ["em dobro", "twice"],
  difference_in_transit: ["a caminho", "in transit"],
  difference_decided: ["explicado por uma pessoa", "explained by a person"],

  title: ["Pacote do contador: {month}", "Accountant's package: {month}"],
  of: ["Empresa {tenant}, ambiente {mode}", "Tenant {tenant}, environment {mode}"],
  units: [
    "Valores em reais com sinal: positivo entrou na conta, negativo saiu. Dias e horas são de São Paulo.",
    "Amounts are in reais with their sign: positive came in, negative went out. Days and times are of São Paulo.",
  ],
  files: ["Arquivos", "Files"],
  file_month: [
    "cada dia e conta: a situação e os três lados. Abertura + entradas + tarifas + devoluções + saídas = encerramento. Também o SHA-256 das linhas do extrato do dia.",
    "each day and account: its status and the three sides. Opening + in + fees + returns + out = closing. Also the SHA-256 of the day's lines of the statement.",
  ],
  file_differences: [
    "o que difere, uma linha do arquivo para cada linha da diferença. O valor, o motivo, quem explicou e quando estão na primeira linha de cada diferença.",
    "what differs, one row for each line of a difference. The amount, the reason, who explained it and when are in the first row of each difference.",
  ],
  file_decisions: [
    "as explicações de linhas do mês e as que foram dadas no mês, também as desfeitas, com quem e quando.",
    "the explanations of lines of the month and those made in the month, also those undone, with who and when.",
  ],
  file_imports: [
    "os arquivos do banco que trouxeram as linhas do mês, com o SHA-256, quem importou e quando.",
    "the bank's files that brought the month's lines, with their SHA-256, who imported them and when.",
  ],
  file_statement: [
    "as linhas do extrato da conta {name}, com as correspondências, as regras e o SHA-256 da linha original.",
    "the lines of the statement of the account {name}, with their matches, rules and the SHA-256 of the original line.",
  ],
  file_bank: [
    "as linhas da conta bancária {name}, com a correspondência, a regra e o SHA-256 da linha original.",
    "the lines of the bank account {name}, with their match, rule and the SHA-256 of the original line.",
  ],
  file_books: [
    "as linhas dos nossos registros da conta {name}. Os repasses do provedor estão só no extrato; a coluna dos nossos registros os toma de lá.",
    "the lines of our books of the account {name}. Payouts are in the statement alone; the column of our books takes them from there.",
  ],
  file_workbook: ["os mesmos dados como planilha.", "the same data as a workbook."],
  file_seal: [
    "o fechamento do dia, como GetSeal responde. As linhas fechadas estão no painel, na página do dia; o SHA-256 delas é rowsSha256.",
    "the close of the day, as GetSeal answers. The closed rows are in the console, at the day's close; their SHA-256 is rowsSha256.",
  ],
  file_sums: [
    "o SHA-256 de cada arquivo. Confira com: sha256sum -c SHA256SUMS",
    "the SHA-256 of each file. Check them by: sha256sum -c SHA256SUMS",
  ],
  missing: ["O que falta", "What is missing"],
  none_missing: ["Nada.", "Nothing."],
  unsealed: ["Dias que não foram fechados: {days}.", "Days that are not closed: {days}."],
  too_many_differences: [
    "{day}: {count} diferenças, das quais só as primeiras de cada conta estão aqui.",
    "{day}: {count} differences, of which only the first ones of each account are here.",
  ],
  too_many_lines: [
    "{day}, diferença {number}: {count} linhas, das quais só as primeiras 100 estão aqui.",
    "{day}, difference {number}: {count} lines, of which only the first 100 are here.",
  ],
  left_out: [
    "Na planilha não cabem, e estão só nos arquivos CSV: {sheets}.",
    "The workbook has no room for these, which are in the CSV files alone: {sheets}.",
  ],
  open_days: ["Dias que ainda não conferem: {days}.", "Days that are not even or explained yet: {days}."],
});
