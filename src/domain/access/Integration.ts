import { Schema, Struct } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { Country } from "../kernel/Countries.ts"
import { clearable, type Forms, type InForms, inForms } from "../kernel/Fields.ts"
import { IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { Currency, CurrencyInUse } from "../kernel/Money.ts"
import { PaymentMethod } from "../kernel/PaymentMethod.ts"
import { rulesOf } from "../kernel/Rule.ts"
import { Name, NameUpTo, visibleChecks } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { NewCredentials } from "./OwnCredentials.ts"
import { ProcessorName } from "./Processor.ts"
import { StatementMapping } from "./StatementMapping.ts"

/** The bank account to which donors transfer. money, section 3: Bank transfer. */
export const BankAccount = Schema.Struct({
  account_name: Schema.String,
  bsb: Schema.String,
  account_number: Schema.String
}).annotate({ identifier: "BankAccount" })
export type BankAccount = typeof BankAccount.Type

/** A bank account as it is given: the numbers may have spaces and dashes. */
export const NewBankAccount = Schema.Struct({
  account_name: NameUpTo(Limits.bankAccountNameCharacters).check(...visibleChecks("a name that is not empty")),
  bsb: Schema.String.check(Schema.isPattern(/^\s*\d{3}[ -]?\d{3}\s*$/, { description: "six digits, such as 062-000" })),
  account_number: Schema.String.check(
    Schema.isPattern(/^\s*(?:\d[ -]?){3,9}\d\s*$/, { description: "four to ten digits" })
  )
}).annotate({
  identifier: "NewBankAccount",
  meanings: {
    account_name: "The name that the bank has it under.",
    bsb: "The bank, state and branch: six digits.",
    account_number: "The number of the account: four to ten digits."
  }
})
export type NewBankAccount = typeof NewBankAccount.Type

const onlyDigits = (text: string): string => text.replace(/\D/g, "")

/**
 * A bank account as it is kept: the same account is always written the same.
 * @example
 * Integration.keptBankAccount({ account_name: " Sea ", bsb: "062000", account_number: "1234 5678" })
 * // => { account_name: "Sea", bsb: "062-000", account_number: "12345678" }
 */
export const keptBankAccount = ({ account_name, account_number, bsb }: NewBankAccount): BankAccount => {
  const six = onlyDigits(bsb)
  return {
    account_name: account_name.trim(),
    bsb: `${six.slice(0, 3)}-${six.slice(3)}`,
    account_number: onlyDigits(account_number)
  }
}

/**
 * An organisation's account at a payment processor, which can receive distributions. Its passphrase lets other
 * organisations link it; only a keyed hash is stored. decisions, section 4: Recipient accounts.
 */
export class Integration extends Schema.Opaque<Integration>()(
  Schema.Struct({
    id: IntegrationId,
    organisation_id: OrganisationId,
    label: Schema.String,
    /** The name of the processor's adapter. */
    processor: Schema.String,
    processor_connect_account_id: Schema.String,
    charges_enabled: Schema.Boolean,
    methods: Schema.Array(PaymentMethod),
    /** The currency in which it is paid out: charges must have it. money, section 4: Currency. */
    settlement_currency: Currency,
    /** Whether it takes the organisation's gifts where nothing else is said. At most one active account does. */
    is_default: Schema.Boolean,
    is_active: Schema.Boolean,
    /** Null where donors do not transfer to it. */
    bank_account: Schema.NullOr(BankAccount),
    /** How the statements of that account are written; null until one is imported. */
    statement_mapping: Schema.NullOr(StatementMapping),
    /** The last day of which a statement is imported whole; null while there is none. */
    statement_until: Schema.NullOr(CalendarDate),
    /** Keyed hash of the normalised passphrase; null while there is none. */
    passphrase_hash: Schema.NullOr(Schema.String),
    /** The id of the ring's key that the hash was made with. */
    passphrase_key_id: Schema.NullOr(Schema.String),
    passphrase_rotated_at: Schema.NullOr(Instant),
    /**
     * Whether it is the organisation's own account, which is asked with its own credentials, and not a connected account of
     * the operator's platform. It never changes: charges are looked for where they were made.
     */
    is_own: Schema.Boolean,
    /** The credentials of an own account, sealed with an encryption key; null for others. */
    sealed_credentials: Schema.NullOr(Schema.String),
    /** The notice secrets before the last rotation, sealed, while they are valid. */
    previous_sealed_notice_secrets: Schema.NullOr(Schema.String),
    previous_notice_secrets_expire_at: Schema.NullOr(Instant),
    credentials_rotated_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredIntegration" })
) {}

const ofTransfers = ["id", "organisation_id", "processor", "is_own", "is_default", "is_active"] as const

/** The facts that decide between which accounts money can be transferred. money, section 3. */
export const TransferAccount = Integration.mapFields(Struct.pick(ofTransfers))
export type TransferAccount = typeof TransferAccount.Type

/** An integration as far as transfers go by it. */
export const transferAccountOf: (integration: Integration) => TransferAccount = Struct.pick(ofTransfers)

const meanings = {
  label: "What the account is called.",
  processor: "The processor: `test` in a sandbox, `stripe` or `bank` where money is real, or one of the host's own.",
  processor_connect_account_id: "The account's identifier at the processor.",
  charges_enabled: "Whether the processor takes charges for it now.",
  methods: "How donors may pay to it.",
  settlement_currency: "The currency in which it is paid out: gifts to it have this one.",
  is_default:
    "Whether it takes the organisation's gifts; bank transfers, where it takes none, go to another one that does.",
  is_active: "Whether it takes gifts at all; where not, what is linked to it stays, and nobody links it anew.",
  bank_account: "The bank account to which donors transfer; null where they do not.",
  statement_until: "The last day of which a bank statement is imported whole; null while there is none.",
  is_own: "Whether it is the organisation's own account, with credentials of its own; it never changes.",
  previous_notice_secrets_expire_at:
    "Until when webhooks are accepted that the former secrets signed; null where there are none.",
  credentials_rotated_at: "When the credentials of its own were changed last; null while they were not."
}

const { every, has, liesAhead } = rulesOf<Integration>()

/** Whether it takes its organisation's gifts: it is the default, and in use. */
export const isDefault = ({ is_active, is_default }: Pick<Integration, "is_active" | "is_default">): boolean =>
  is_default && is_active

/** Integrations with credentials of their own. */
export const ownCredentialsRule = has("sealed_credentials")

/** Integrations whose notice secrets before the last rotation are still valid, beside the newer ones. */
export const overlapRule = every(has("previous_sealed_notice_secrets"), liesAhead("previous_notice_secrets_expire_at"))

const notShown = [
  "organisation_id",
  "statement_mapping",
  "passphrase_hash",
  "passphrase_key_id",
  "sealed_credentials",
  "previous_sealed_notice_secrets"
] as const

/** An integration as its own organisation sees it. */
export const IntegrationRecord = Integration.mapFields(Struct.omit(notShown)).annotate({
  identifier: "Integration",
  meanings
})

/** An integration with its passphrase, which is shown once. */
export const DisclosedIntegration = IntegrationRecord.mapFields((fields) => ({
  ...fields,
  passphrase: Schema.String
})).annotate({ identifier: "DisclosedIntegration" })

const Methods = Schema.Array(PaymentMethod).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(PaymentMethod.literals.length),
  Schema.isUnique()
)

const connected = { is_own: [false, null], credentials: "absent" } as const
const open = { processor_connect_account_id: "given", country: "absent" } as const

/** An account of donors' transfers, one of the operator's platform, or one with credentials of its own, which is open already. */
const forms = [
  { processor: ["bank"], bank_account: "given", ...connected, ...open },
  { bank_account: "absent", ...connected },
  { bank_account: "absent", is_own: [true], credentials: "given", ...open }
] as const satisfies Forms

const newFields = Schema.Struct({
  label: Name,
  processor_connect_account_id: clearable(Name),
  country: clearable(Country),
  processor: clearable(ProcessorName),
  methods: clearable(Methods),
  settlement_currency: clearable(CurrencyInUse),
  is_default: clearable(Schema.Boolean),
  bank_account: clearable(NewBankAccount),
  is_own: clearable(Schema.Boolean),
  credentials: clearable(NewCredentials)
}).annotate({
  identifier: "NewIntegration",
  meanings: {
    ...meanings,
    processor_connect_account_id:
      "The account's identifier at the processor; where none is given, the processor opens an account.",
    country:
      "The country of the organisation for which the processor opens an account, in two letters; that of the processor's own account when not given.",
    processor:
      "The processor: `test`, `stripe`, `bank`, or one of the host's own; `test` in a sandbox and `stripe` elsewhere when not given.",
    methods: "How donors may pay to it; all but bank transfers when not given, and those alone at `bank`.",
    settlement_currency: "The currency in which it is paid out; the organisation's when not given.",
    is_default: "Whether it takes the organisation's gifts; the first account of an organisation does in any case.",
    bank_account: "The bank account to which donors transfer: needed at `bank`, and at no other processor.",
    is_own: "Whether it is the organisation's own account, with credentials of its own; false when not given.",
    credentials: "The credentials of an own account: needed there, and nowhere else. They are never shown again."
  }
})

/** The input of a new integration. */
export const NewIntegration = inForms(newFields, forms)

/** A text that is any name but the bank's has no type of its own: those of a processor leave it out. */
type OfProcessor<Processor> = Omit<typeof newFields.Type, "processor"> & {
  readonly processor?: Exclude<Processor, "bank"> | null
}
export type NewIntegration<Processor extends string = string> = InForms<OfProcessor<Processor>, typeof forms>

/** The list of integrations. */
export const listing = {
  filters: { created_at: { kind: "timestamp", description: "When the integration was made" } }
} as const satisfies ListSpec
