import type { Message } from "../../pages/messages.ts";

/** Messages of the statement from gross to net. */
export const bridgeMessages = {
  bridge: ["Do bruto ao líquido", "From gross to net"],
  bridge_caption: ["Do bruto ao líquido, linha por linha", "From gross to net, line by line"],
  bridge_help_plain: [
    "O bruto é exatamente a soma das outras linhas.",
    "The gross is exactly the sum of the other lines.",
  ],
  bridge_help_converted: [
    "O bruto é exatamente a soma das outras linhas em reais, ao câmbio público travado. O arredondamento é o que sobra de centavos inteiros na conversão.",
    "The gross is exactly the sum of the other lines in BRL, at the public rate that was locked. Rounding is what whole cents leave over in the conversion.",
  ],
  line: ["Linha", "Line"],
  amount: ["Valor", "Amount"],
  in_brl: ["Em reais, ao câmbio público", "In BRL, at the public rate"],
  line_gross: ["Bruto cobrado de quem pagou", "Gross charged to the payer"],
  line_service_fee: ["Tarifa de serviço", "Service fee"],
  line_installment_surcharge: ["Acréscimo do parcelamento", "Installment surcharge"],
  line_iof: ["IOF", "IOF (tax on the conversion)"],
  line_rounding: ["Arredondamento da conversão", "Rounding of the conversion"],
  line_net: ["Líquido para você", "Your net"],
  line_refunded: ["Devolvido a quem pagou", "Given back to the payer"],
  line_borne: ["A seu cargo", "Borne by you"],
  refund_bridge: ["Do devolvido ao que fica a seu cargo", "From what went back to what you bear"],
  refund_bridge_caption: [
    "Do devolvido ao que fica a seu cargo, linha por linha",
    "From what went back to what you bear, line by line",
  ],
  rate: ["Câmbio público", "Public rate"],
  rate_text: ["1 USD = {rate} BRL", "1 USD = {rate} BRL"],
  rate_locked: ["Fixado em", "Locked at"],
  rate_until: ["Vale até", "Valid until"],
  settlement: ["Liquidação", "Settlement"],
  succeeded_on: ["Pago no dia", "Paid on"],
  settles_on: ["Previsão de liquidação", "Settles on"],
  settled_at: ["Liquidado em", "Settled at"],
} as const satisfies Readonly<Record<string, Message>>;
