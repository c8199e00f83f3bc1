/** Names and texts as long as people in Brazil have them, and one word that has no place to break. */
export const NAMES = [
  "Maria Aparecida da Conceição Albuquerque Cavalcanti de Vasconcelos",
  "João Guilherme Figueiredo Nascimento Junqueira dos Santos Filho",
  "Ana Beatriz Wanderley Montenegro de Oliveira e Souza",
  "Sebastião Rodrigues de Moraes Albuquerque Neto",
  "Francisca das Chagas Bittencourt Magalhães",
] as const;

export const COMPANY = {
  name: "Indústria e Comércio de Móveis Planejados Irmãos Albuquerque Cavalcanti & Filhos Ltda.",
  displayName: "Marcenaria e Movelaria Silva, Irmãos & Filhos de São Bernardo do Campo",
  color: "#7a1f5c",
  taxId: "11.222.333/0001-81",
  contact: "atendimento-ao-cliente@marcenaria-silva.example",
  site: "https://www.marcenaria-e-movelaria-silva.example",
};

export const PRODUCT = {
  description: "Conjunto de mesa de jantar extensível com seis cadeiras estofadas em linho cru",
  details: "Entrega em até dez dias úteis na Grande São Paulo, com montagem incluída. ".repeat(6),
  product_ref: "MESA-JANTAR-EXTENSIVEL-6-LINHO-CRU-2026",
  reference: "PEDIDO-2026-000184-MESA-DE-JANTAR-EXTENSIVEL-COM-SEIS-CADEIRAS",
  metadata: {
    vendedora: NAMES[2],
    endereco_de_entrega: "Rua Coronel Xavier de Toledo, 1.234, apto. 56, República, São Paulo",
  },
};

/** What programs write where a person would write words. */
export const UNBROKEN = {
  description: `<script>alert("x")</script> ${"Palavra".repeat(12)} \u202E=cmd`,
  details: "Palavra".repeat(40),
  product_ref: "Palavra".repeat(12),
  reference: "Palavra".repeat(12),
  metadata: { a: "Palavra".repeat(20) },
};
