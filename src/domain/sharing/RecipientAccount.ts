import { type DateTime, Result, Schema, Struct } from "effect"
import type { Integration } from "../access/Integration.ts"
import type { Organisation } from "../access/Organisation.ts"
import { IntegrationId, IntroductionId, OrganisationId, RecipientAccountLinkId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import * as Rule from "../kernel/Rule.ts"
import { LongText, Name, nameOrNull } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { ownPassphrase, wrongPassphrase } from "./Passphrase.ts"

const meanings = {
  label: "What the organisation calls the account.",
  recipient_org_name: "Name of the recipient organisation when it was linked.",
  recipient_org_slug: "The recipient organisation's name in addresses.",
  recipient_account_label: "What the recipient calls the account.",
  processor_connect_account_id: "The account's identifier at its payment processor.",
  charges_enabled: "Whether the processor takes payments for the account.",
  is_active: "Whether the account can be a recipient.",
  passphrase:
    "The distribution passphrase, from its owner. Case, and blanks or hyphens between its words, do not matter."
}

/**
 * A recipient organisation's payment account, linked by an organisation that recommends it. service-spec, Recipient account.
 */
export class RecipientAccount extends Schema.Opaque<RecipientAccount>()(
  Schema.Struct({
    id: RecipientAccountLinkId,
    /** The organisation that linked the account. */
    organisation_id: OrganisationId,
    label: Schema.String,
    recipient_organisation_id: OrganisationId,
    recipient_org_name: Schema.String,
    recipient_org_slug: Schema.String,
    recipient_account_label: Schema.String,
    recipient_integration_id: IntegrationId,
    processor_connect_account_id: Schema.String,
    is_active: Schema.Boolean,
    /** The introduction that last led to the link; null when none did. */
    introduction_id: Schema.NullOr(IntroductionId),
    created_at: Instant,
    updated_at: Instant,
    /** When the link was last deactivated; kept when it becomes active again. */
    deactivated_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredRecipientAccount" })
) {}

const listed = [
  "id",
  "label",
  "recipient_org_name",
  "recipient_org_slug",
  "recipient_account_label",
  "is_active",
  "created_at"
] as const

/** A recipient account as lists and creation show it. service-spec, Recipient account. */
export const RecipientAccountRecord = RecipientAccount.mapFields(Struct.pick(listed)).annotate({
  identifier: "RecipientAccount",
  meanings
})

/**
 * A recipient account as the single read shows it. Whether it takes payments is not kept with the link: the recipient's
 * integration says it. service-spec, Recipient account: Detail.
 */
export const RecipientAccountDetail = RecipientAccount.mapFields((fields) => ({
  ...Struct.pick(fields, [...listed, "recipient_integration_id", "processor_connect_account_id"]),
  charges_enabled: Schema.Boolean
})).annotate({ identifier: "RecipientAccountDetail", meanings })

const payable = [
  "id",
  "label",
  "recipient_organisation_id",
  "recipient_org_name",
  "recipient_integration_id",
  "is_active"
] as const

/** The facts that decide whether a link can be paid, and to whom. */
export const Payable = RecipientAccount.mapFields(Struct.pick(payable))
export type Payable = typeof Payable.Type

/** A link as far as payments go by it. */
export const payableOf: (link: RecipientAccount) => Payable = Struct.pick(payable)

/** The body of POST /recipient-accounts. decisions, section 4: Recipient accounts. */
export const PassphraseExchange = Schema.Struct({
  passphrase: LongText,
  label: Schema.optionalKey(Schema.NullOr(Name))
}).annotate({
  identifier: "PassphraseExchange",
  meanings: { ...meanings, label: "What the organisation will call the account; the recipient's name when not given." }
})
export type PassphraseExchange = typeof PassphraseExchange.Type

/** The body of PATCH /recipient-accounts/{id}. decisions, section 3. */
export const RecipientAccountPatch = Schema.Struct({
  label: Schema.optionalKey(Name)
}).annotate({ identifier: "RecipientAccountPatch", meanings })
export type RecipientAccountPatch = typeof RecipientAccountPatch.Type

/**
 * A label as it is stored: trimmed, and not empty. Fails with `InvalidInput` for an empty one. decisions, section 1: Text.
 * @example
 * RecipientAccount.labelOf(" Sea ") // => Result.succeed("Sea")
 * Result.isFailure(RecipientAccount.labelOf("  ")) // => true
 */
export const labelOf = (text: string): Result.Result<string, InvalidInput> => {
  const label = nameOrNull(text)
  return label === null
    ? Result.fail(new InvalidInput({ param: "label", message: "label must not be empty." }))
    : Result.succeed(label)
}

/** The list of recipient accounts. */
export const listing = {
  filters: {
    is_active: { kind: "boolean", description: "Whether the account can receive distributions" },
    created_at: { kind: "timestamp", description: "When the account was linked" }
  }
} as const satisfies ListSpec

/** The facts of a new link. */
export interface Origin extends Pick<RecipientAccount, "id" | "organisation_id" | "introduction_id"> {
  readonly recipient: Organisation
  readonly integration: Integration
  /** The recipient organisation's name when none is given. */
  readonly label?: string | null
  readonly at: DateTime.Utc
}

/** A new link. */
export const create = ({ at, id, integration, introduction_id, label, organisation_id, recipient }: Origin) =>
  RecipientAccount.make({
    id,
    organisation_id,
    label: nameOrNull(label) ?? recipient.name,
    recipient_organisation_id: recipient.id,
    recipient_org_name: recipient.name,
    recipient_org_slug: recipient.slug,
    recipient_account_label: integration.label,
    recipient_integration_id: integration.id,
    processor_connect_account_id: integration.processor_connect_account_id,
    is_active: true,
    introduction_id,
    created_at: at,
    updated_at: at,
    deactivated_at: null
  })

/** An integration with the organisation that it belongs to. */
export interface Holder {
  readonly integration: Integration
  readonly organisation: Organisation
}

/**
 * The account that a passphrase links; `found` is the account that the passphrase belongs to, if any. Fails with {@link
 * InvalidInput}, which counts as a failed exchange, where the passphrase is wrong, one's own, or belongs to a sandbox
 * and is used by a live organisation, or the other way round. decisions, section 4: Recipient accounts.
 */
export const linkable = (organisation: Organisation, found: Holder | null): Result.Result<Holder, InvalidInput> => {
  if (found?.organisation.id === organisation.id) return Result.fail(ownPassphrase())
  return found === null || found.organisation.is_sandbox !== organisation.is_sandbox
    ? Result.fail(wrongPassphrase())
    : Result.succeed(found)
}

/**
 * The same of an account that was found, with the link to it as it is now: one that its organisation has closed is linked no more,
 * and stays where it is linked. docs/decisions/0023.
 */
export const linkableNow = <
  L extends { readonly created: boolean; readonly link: Pick<RecipientAccount, "is_active"> }
>(
  found: L,
  { integration }: Holder
): Result.Result<L, InvalidInput> =>
  integration.is_active || (!found.created && found.link.is_active)
    ? Result.succeed(found)
    : Result.fail(wrongPassphrase())

/** The commands of the machine of a recipient account. */
export const Command = Schema.TaggedUnion({
  Deactivate: { at: Instant },
  Reactivate: { at: Instant },
  Introduce: { at: Instant, introduction_id: IntroductionId },
  Rename: { at: Instant, label: Name }
})
export type Command = typeof Command.Type

/** The states of a recipient account. */
export type Status = "ACTIVE" | "INACTIVE"

/** Links to accounts that may be recommended: their organisations are the linked ones. decisions, section 5. */
export const active = Rule.rulesOf<RecipientAccount>().is("is_active", true)

const rule = "decisions, section 5: Recipient account link"
const resourceRule = "decisions, section 4: Recipient accounts"

const eventFields = {
  id: RecipientAccountLinkId.annotate({ description: "The value of recipient_org_account_link_id" }),
  label: Schema.String.annotate({ description: "What the linking organisation calls the account" }),
  recipient_org_name: Schema.String,
  recipient_org_slug: Schema.String,
  recipient_account_label: Schema.String.annotate({ description: "What the recipient calls the account" }),
  is_active: Schema.Boolean,
  created_at: Instant
}

/** The data of updated and deactivated events. service-spec, Recipient account; decisions, section 6. */
export const eventData = Schema.Struct(eventFields).annotate({ identifier: "RecipientOrgAccountLinkEventData" })

/** The data of the created event. service-spec, introduction.* and link events. */
export const createdEventData = Schema.Struct({
  ...eventFields,
  introduction_id: Schema.NullOr(IntroductionId).annotate({
    description: "The introduction that led to the link; null for a passphrase"
  })
}).annotate({ identifier: "RecipientOrgAccountLinkCreatedEventData" })

/** The data of a link's event in its present state. */
export const eventDataOf = (link: RecipientAccount): (typeof eventData)["Type"] => Struct.pick(link, listed)

/** The data of the event for a new link. */
export const createdEventDataOf = (link: RecipientAccount): (typeof createdEventData)["Type"] =>
  Struct.pick(link, [...listed, "introduction_id"])

const told = { data: eventData, of: eventDataOf }
const events = {
  "recipient_org_account_link.created": { data: createdEventData, of: createdEventDataOf },
  "recipient_org_account_link.updated": told,
  "recipient_org_account_link.deactivated": told
}
/** The types of events of a recipient account. */
export type RecipientAccountEvent = keyof typeof events

/** How links come to be. */
export const births = {
  exchanged: { by: "a passphrase is exchanged", to: "ACTIVE", emits: ["recipient_org_account_link.created"], rule },
  introduced: { by: "an introduction is linked, which emits", to: "ACTIVE", emits: [], rule: resourceRule }
} as const satisfies Births<Status, RecipientAccountEvent>

const defined = define({
  name: "Recipient account link",
  state: RecipientAccount,
  command: Command,
  events,
  wording: Refusals.recipientAccount,
  statuses: ["ACTIVE", "INACTIVE"],
  rule,
  births,
  table: {
    Deactivate: {
      from: ["ACTIVE"],
      to: "INACTIVE",
      emits: ["recipient_org_account_link.deactivated"],
      patch: (_, { at }) => ({ updated_at: at, deactivated_at: at })
    },
    Reactivate: {
      from: ["INACTIVE"],
      to: "ACTIVE",
      emits: ["recipient_org_account_link.updated"],
      patch: (_, { at }) => ({ updated_at: at })
    },
    Introduce: {
      from: ["ACTIVE", "INACTIVE"],
      to: "ACTIVE",
      patch: (_, { at, introduction_id }) => ({ updated_at: at, introduction_id }),
      rule: resourceRule
    },
    Rename: {
      from: ["ACTIVE", "INACTIVE"],
      to: "same",
      emits: ["recipient_org_account_link.updated"],
      patch: (_, { at, label }) => ({ updated_at: at, label }),
      rule: "decisions, section 3: recipient-accounts"
    }
  },
  statusOf: (link) => (Rule.holds(active, link) ? "ACTIVE" : "INACTIVE"),
  enter: (status) => ({ is_active: status === "ACTIVE" }),
  milestones: { deactivated_at: ["INACTIVE"] }
})

export interface machine extends MachineType<typeof defined> {}
/**
 * decisions, section 5: Recipient account link. `Introduce` emits nothing: the introduction's own `Link` emits
 * `recipient_org_account_link.created`, whether the link is new, existed or was inactive.
 */
export const machine: machine = defined

/** A link's event of a type. */
export const emissionOf = (type: RecipientAccountEvent, link: RecipientAccount) =>
  type === "recipient_org_account_link.created"
    ? { type, data: createdEventDataOf(link) }
    : { type, data: eventDataOf(link) }
