import { Flag } from "effect/cli"
import { integrationOperations as declared } from "../../../app/sharing/operations/integrations.ts"
import { processors } from "../../../domain/access/Processor.ts"
import type { Operation } from "../Operation.ts"
import { over } from "../Over.ts"
import { commaList, described, idOf, optional, paging, shownOnce } from "./Parameters.ts"

/** A bank account on one line: BSB, number and name. */
const bankAccountOf = (text: string) => {
  const [bsb = "", account_number = "", ...name] = text.trim().split(/\s+/u)
  return { bsb, account_number, account_name: name.join(" ") }
}

export const integrationCommands: ReadonlyArray<Operation> = [
  over(declared.create, {
    group: "integration",
    name: "create",
    description: declared.create.says,
    parameters: {
      label: described(Flag.String("label"), "What the account is called"),
      processor_connect_account_id: described(Flag.String("account"), "The account's identifier at the processor"),
      processor: optional(
        Flag.Literals("processor", processors),
        "The processor: test in a sandbox, stripe elsewhere by default"
      ),
      methods: Flag.optional(
        Flag.map(
          described(Flag.String("methods"), "How donors may pay, comma-separated (default: card,au_becs_debit,payto)"),
          commaList
        )
      ),
      settlement_currency: optional(
        Flag.String("currency"),
        "The currency in which it is paid out; the organisation's by default"
      ),
      bank_account: Flag.optional(
        Flag.map(
          described(
            Flag.String("bank-account"),
            "The bank account to which donors transfer, at bank: BSB, number and name, e.g. '062-000 12345678 Harbour Trust'"
          ),
          bankAccountOf
        )
      ),
      is_default: Flag.withDefault(
        described(Flag.Boolean("default"), "Have it take the organisation's gifts, as the first one does"),
        false
      )
    },
    remark: shownOnce
  }),
  over(declared.list, {
    group: "integration",
    name: "list",
    description: declared.list.says,
    parameters: paging,
    columns: [
      "id",
      "label",
      "processor",
      "processor_connect_account_id",
      "methods",
      "settlement_currency",
      "is_default",
      "is_active",
      "charges_enabled",
      "passphrase_rotated_at"
    ]
  }),
  over(declared.rotatePassphrase, {
    group: "integration",
    name: "rotate-passphrase",
    description: declared.rotatePassphrase.says,
    parameters: { id: idOf("integration") },
    remark: shownOnce
  }),
  over(declared.setDefault, {
    group: "integration",
    name: "set-default",
    description: declared.setDefault.says,
    parameters: { id: idOf("integration") }
  }),
  over(declared.setBankAccount, {
    group: "integration",
    name: "set-bank-account",
    description: declared.setBankAccount.says,
    parameters: {
      id: idOf("integration"),
      bsb: described(Flag.String("bsb"), "The bank, state and branch: six digits"),
      account_number: described(Flag.String("account-number"), "The number of the account"),
      account_name: described(Flag.String("account-name"), "The name that the bank has it under")
    }
  }),
  over(declared.deactivate, {
    group: "integration",
    name: "deactivate",
    description: declared.deactivate.says,
    parameters: { id: idOf("integration") }
  })
]
