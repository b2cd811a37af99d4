import { Effect, Schema, Struct } from "effect"
import { Flag } from "effect/cli"
import { integrationOperations as declared, Integrations } from "../../../app/sharing/Integrations.ts"
import { DisclosedIntegration, IntegrationRecord, NewIntegration } from "../../../domain/access/Integration.ts"
import { CredentialRotation } from "../../../domain/access/OwnCredentials.ts"
import { processors } from "../../../domain/access/Processor.ts"
import { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { credentialsFile, parseCredentials, parseNewCredentials } from "../CredentialsFile.ts"
import { commandsOf, ofOrganisation, runAgainst } from "../Operation.ts"
import { fileOf, idOf, optional, optionalText, shownOnce, switchOf, text, valuesOf, wholeNumber } from "./Parameters.ts"

/** A bank account on one line: BSB, number and name. */
const bankAccountOf = (text: string) => {
  const [bsb = "", account_number = "", ...name] = text.trim().split(/\s+/u)
  return { bsb, account_number, account_name: name.join(" ") }
}

const credentialsFlag = (description: string) => fileOf(credentialsFile, `${description}`)

const secrets = { credentials: credentialsFile }

export const integrationCommands = commandsOf("integration", {
  create: ofOrganisation({
    description: declared.create.summary,
    parameters: {
      label: text("label", "What the account is called"),
      processor_connect_account_id: optionalText(
        "processor-connect-account",
        "The account's identifier at the processor, which opens an account by default"
      ),
      country: optionalText(
        "country",
        "The country in which an account is opened, two letters, e.g. NZ; that of the processor's own account by default"
      ),
      processor: optional(
        Flag.Literals("processor", processors),
        "The processor: test in a sandbox, stripe elsewhere by default"
      ),
      methods: Flag.optional(
        valuesOf("methods", "How donors may pay, comma-separated (default: card,au_becs_debit,payto)")
      ),
      settlement_currency: optionalText(
        "settlement-currency",
        "The currency in which it is paid out; the organisation's by default"
      ),
      bank_account: Flag.optional(
        Flag.map(
          text(
            "bank-account",
            "The bank account to which donors transfer, at bank: BSB, number and name, e.g. '062-000 12345678 Harbour Trust'"
          ),
          bankAccountOf
        )
      ),
      is_default: switchOf("default", "Have it take the organisation's gifts, as the first one does"),
      is_own: switchOf("own", "The organisation's own account, with credentials of its own; for good"),
      credentials: Flag.optional(
        credentialsFlag(
          "With --own, a file with the lines STRIPE_SECRET_KEY=…, STRIPE_PUBLISHABLE_KEY=… and STRIPE_NOTICE_SECRETS=…"
        )
      )
    },
    secrets,
    input: Schema.Struct({
      ...Struct.omit(NewIntegration.fields, ["credentials"]),
      credentials: Schema.optionalKey(Schema.String)
    }),
    output: DisclosedIntegration,
    remark: shownOnce,
    run: Effect.fnUntraced(function* ({ credentials: text, ...input }) {
      const given = text === undefined ? {} : { credentials: yield* parseNewCredentials(text) }
      // Which flags go together is the use case's to say.
      const asked = { ...input, ...given } as NewIntegration
      return yield* Integrations.use((use) => use.create(asked))
    })
  }),
  onboard: runAgainst(declared.onboard, {
    parameters: {
      id: idOf("integration"),
      return_url: text("return-url", "Where the processor sends whoever has finished, or stopped"),
      refresh_url: text("refresh-url", "Where it sends whoever opens a link that leads nowhere any more")
    }
  }),
  check: runAgainst(declared.check),
  list: runAgainst(declared.list, {
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
  "rotate-passphrase": runAgainst(declared.rotatePassphrase, { remark: shownOnce }),
  "set-default": runAgainst(declared.setDefault),
  "set-bank-account": runAgainst(declared.setBankAccount, {
    parameters: {
      id: idOf("integration"),
      bsb: text("bsb", "The bank, state and branch: six digits"),
      account_number: text("account-number", "The number of the account"),
      account_name: text("account-name", "The name that the bank has it under")
    }
  }),
  "rotate-credentials": ofOrganisation({
    description: declared.rotateCredentials.summary,
    parameters: {
      id: idOf("integration"),
      credentials: credentialsFlag(
        "A file with what is new of STRIPE_SECRET_KEY=…, STRIPE_PUBLISHABLE_KEY=… and STRIPE_NOTICE_SECRETS=…, a line each"
      ),
      overlap_hours: optional(
        wholeNumber("overlap-hours"),
        `How long the former webhook secrets stay valid where new ones come, 0 to ${Limits.secretOverlapHours} (default: ${Limits.secretOverlapDefaultHours})`
      )
    },
    secrets,
    input: Schema.Struct({
      id: IntegrationId,
      credentials: Schema.String,
      overlap_hours: CredentialRotation.fields.overlap_hours
    }),
    output: IntegrationRecord,
    run: Effect.fnUntraced(function* ({ credentials, id, ...overlap }) {
      const given = yield* parseCredentials(credentials)
      // A file may have none of them, which the use case refuses.
      const rotation = { ...overlap, ...given } as CredentialRotation
      return yield* Integrations.use((use) => use.rotateCredentials(id, rotation))
    })
  }),
  deactivate: runAgainst(declared.deactivate)
})
