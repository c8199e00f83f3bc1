/** The messages of the fields that a payer fills in. */
export const PAYER_MESSAGES = {
  your_details: ["Seus dados", "Your details"],
  details_given: [
    "Os dados que você informou antes serão usados de novo.",
    "The details that you gave before will be used again.",
  ],
  details_others: ["Informar outros dados", "Enter other details"],
  phone: ["Telefone com DDD", "Phone"],
  phone_help: [
    "Exemplo: (11) 91234-5678. De outro país, comece com +.",
    "A number without a country code is Brazilian. From elsewhere, begin with +.",
  ],
  address: ["Endereço", "Address"],
  postal_code: ["CEP", "Postal code (CEP)"],
  street: ["Rua", "Street"],
  number: ["Número", "Number"],
  complement: ["Complemento", "Flat or unit"],
  optional_field: ["{label} (opcional)", "{label} (optional)"],
  district: ["Bairro", "District"],
  city: ["Cidade", "City"],
  state: ["Estado", "State"],
  state_choose: ["Escolha", "Choose"],
  field_missing: ["Preencha este campo.", "Fill in this field."],
  field_too_long: ["Este texto é longo demais.", "This text is too long."],
  field_wrong: ["Confira este campo.", "Check this field."],
  name_wrong: ["Digite o nome completo, sem símbolos.", "Enter the full name, without symbols."],
  email_wrong: [
    "Este e-mail está incompleto. Escreva como ana@exemplo.com.br.",
    "This e-mail address is incomplete. Write it as ana@example.com.",
  ],
  document_wrong: [
    "Há um dígito errado neste CPF ou CNPJ. Confira os números.",
    "A digit of this CPF or CNPJ is wrong. Check the numbers.",
  ],
  phone_wrong: [
    "Este telefone não existe. Escreva com DDD, como (11) 91234-5678.",
    "There is no such phone number. Write it with its area code, as (11) 91234-5678.",
  ],
  postal_code_wrong: ["O CEP tem 8 dígitos, como 01310-100.", "A CEP has 8 digits, as 01310-100."],
  state_wrong: ["Escolha o estado.", "Choose the state."],
  errors_title: ["Confira estes campos:", "Check these fields:"],
  card_number_refused: [
    "Não digite números de cartão nesta página.",
    "Do not type card numbers on this page.",
  ],
} as const;
