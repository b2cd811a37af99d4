import { type DateTime, Schema, Struct } from "effect"
import { differingFields } from "../kernel/FieldDifference.ts"
import { DonationId, DonorId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, type Condition, define, type MachineType, requires } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { CheckoutLink, meanings, Source, Status } from "./CheckoutLinkFields.ts"

export { CheckoutLink, codeDigits, meanings, Source, Status } from "./CheckoutLinkFields.ts"
export { PaymentMethod } from "./DonationKinds.ts"

const internal = ["organisation_id", "pending_donation_id", "pending_bank_transfer"] as const

/** The data of a link's events: the record without `code` and `url`, which are credentials. decisions, section 6. */
export const eventData = CheckoutLink.mapFields(Struct.omit([...internal, "code"])).annotate({
  identifier: "CheckoutLinkEventData"
})

/** A link as the API shows it. service-spec, Checkout link. */
export const CheckoutLinkRecord = CheckoutLink.mapFields(({ code, id, ...fields }) => ({
  id,
  code,
  url: Schema.String.annotate({ description: "The link's page, on the organisation's subdomain" }),
  ...Struct.omit(fields, internal)
})).annotate({ identifier: "CheckoutLink", meanings })
export type CheckoutLinkRecord = typeof CheckoutLinkRecord.Type

const { every, hasPassed, lacks } = Rule.rulesOf<CheckoutLink>()

const isOver = every(hasPassed("expires_at"), lacks("pending_donation_id"))
const expiring = { from: ["ACTIVE"], to: "EXPIRED", when: isOver } as const

/** ACTIVE links whose `expires_at` has passed while no gift is in progress. decisions, section 4: Checkout links. */
export const ranOut = Rule.ranOut(expiring)

/** Whether a link's time has run out; {@link ranOut} at an instant. */
export const isExpired = (link: CheckoutLink, now: DateTime.Utc): boolean => Rule.holdsAt(ranOut, link, now)

/** A link's status as every read shows it: expiry counts before the sweep writes it. decisions, section 5: Checkout link. */
export const statusAt = (link: CheckoutLink, now: DateTime.Utc): Status =>
  isExpired(link, now) ? expiring.to : link.status

/** Whether a link takes a payment: ACTIVE, not archived, and without a gift in progress. */
export const isPayable = (link: CheckoutLink, now: DateTime.Utc): boolean =>
  link.archived_at === null && link.pending_donation_id === null && statusAt(link, now) === "ACTIVE"

/** A link as it reads at an instant, with the address of its page, which the caller builds. */
export const recordOf = (link: CheckoutLink, url: string, now: DateTime.Utc): CheckoutLinkRecord => ({
  ...Struct.omit(link, internal),
  url,
  status: statusAt(link, now)
})

/** The data of a link's event at an instant. */
export const eventDataOf = (link: CheckoutLink, at: DateTime.Utc): (typeof eventData)["Type"] => ({
  ...Struct.omit(link, [...internal, "code"]),
  status: statusAt(link, at)
})

/**
 * The path of a link's page. service-spec, Checkout link: url.
 * @example CheckoutLink.pagePath({ code: "abc" }) // => "/c/abc"
 */
export const pagePath = ({ code }: Pick<CheckoutLink, "code">): string => `/c/${code}`

/** The list of checkout links. */
export const listing = {
  filters: {
    status: {
      kind: "enum",
      values: Status.literals,
      expires: expiring,
      description: "Status; a passed `expires_at` counts as EXPIRED"
    },
    source: { kind: "enum", values: Source.literals, description: "Who made the link" },
    donor_id: { kind: "text", description: "Donor" },
    donation_id: { kind: "text", description: "Gift that completed the link" },
    amount_cents: { kind: "integer", description: "Amount in minor units" },
    currency: { kind: "text", description: "ISO 4217 code" },
    revenue_code_id: { kind: "text", description: "Revenue code" },
    expires_at: { kind: "timestamp", description: "When the link's time runs out" },
    created_at: { kind: "timestamp", description: "When the link was made" }
  },
  archivable: true
} as const satisfies ListSpec

const changeable = Struct.pick(CheckoutLink.fields, [
  "amount_cents",
  "description",
  "expires_at",
  "payment_methods",
  "revenue_code",
  "revenue_code_id"
])

const changesSchema = Schema.Struct(changeable).mapFields(Struct.map(Schema.optionalKey))
/** The fields that a change of a checkout link sets. */
export type Changes = typeof changesSchema.Type

/** The fields of a link that a patch makes different; empty when it changes nothing. */
export const changesOf = (link: CheckoutLink, patch: Changes): Changes => {
  const given = patch.description === "" ? { ...patch, description: null } : patch
  return differingFields(Struct.keys(changeable), link, given)
}

const closedBy = { ACTIVE: null, COMPLETED: "completed", EXPIRED: "expired", CANCELED: "cancelled" } as const

/** The commands of the machine of a checkout link. */
export const Command = Schema.TaggedUnion({
  Visit: { at: Instant },
  Begin: { at: Instant, donation_id: DonationId, is_bank_transfer: Schema.Boolean },
  Release: { at: Instant, donation_id: DonationId },
  Complete: { at: Instant, donation_id: DonationId, donor_id: DonorId },
  CompleteArchived: { at: Instant, donation_id: DonationId, donor_id: DonorId },
  Change: { at: Instant, changes: changesSchema },
  Expire: { at: Instant },
  ExpireArchived: { at: Instant },
  Cancel: { at: Instant },
  Archive: { at: Instant }
})
export type Command = typeof Command.Type

/** The statuses of the machine: archiving is apart from `status` and ends every path. */
export type MachineStatus = Status | "ARCHIVED"

const isPending = (self: CheckoutLink, { donation_id }: { readonly donation_id: DonationId }): boolean =>
  self.pending_donation_id === donation_id

const nothingPending = { pending_donation_id: null, pending_bank_transfer: false }

const completed = (
  _: CheckoutLink,
  command: { readonly at: DateTime.Utc; readonly donation_id: DonationId; readonly donor_id: DonorId }
): Partial<CheckoutLink> => ({
  ...nothingPending,
  status: "COMPLETED",
  donation_id: command.donation_id,
  donor_id: command.donor_id,
  updated_at: command.at
})

const movesAmount = (self: CheckoutLink, { amount_cents }: Changes): boolean =>
  amount_cents !== undefined && amount_cents !== self.amount_cents

const inTime: Condition<CheckoutLink, { readonly at: DateTime.Utc }> = [
  "the link's time has not run out",
  (self, { at }) => !isExpired(self, at)
]
const noGift: Condition<CheckoutLink, unknown> = ["no gift is in progress", (self) => self.pending_donation_id === null]
const noBankTransfer: Condition<CheckoutLink, unknown> = [
  "no bank transfer is in progress",
  (self) => !self.pending_bank_transfer
]
const amountStays: Condition<CheckoutLink, { readonly at: DateTime.Utc; readonly changes: Changes }> = [
  "the amount stays while a bank transfer is in progress",
  (self, { changes }) => !(self.pending_bank_transfer && movesAmount(self, changes))
]

const rule = "decisions, section 5: Checkout link"
const linksRule = "decisions, section 4: Checkout links"

const told = {
  data: eventData,
  of: (link: CheckoutLink, command: Command | null) => eventDataOf(link, command?.at ?? link.created_at)
}
const events = {
  "checkout_link.created": told,
  "checkout_link.updated": told,
  "checkout_link.cancelled": told,
  "checkout_link.archived": told
}
/** The types of events of a checkout link. */
export type CheckoutLinkEvent = keyof typeof events

/** How links come to be. */
export const births = {
  made: { by: "POST /checkout-links", to: "ACTIVE", emits: ["checkout_link.created"], rule: linksRule }
} as const satisfies Births<MachineStatus, CheckoutLinkEvent>

const defined = define({
  name: "Checkout link",
  state: CheckoutLink,
  command: Command,
  events,
  wording: Refusals.checkoutLink,
  statuses: [...Status.literals, "ARCHIVED"],
  rule,
  births,
  table: {
    Visit: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      patch: (self, { at }) => ({ visit_count: self.visit_count + 1, last_visited_at: at }),
      rule: "service-spec, Checkout link"
    },
    Begin: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      ...requires(noGift, inTime),
      patch: (_, { donation_id, is_bank_transfer }) => ({
        pending_donation_id: donation_id,
        pending_bank_transfer: is_bank_transfer
      })
    },
    Release: {
      from: ["ACTIVE", "CANCELED", "ARCHIVED"],
      to: "same",
      when: "the gift in progress is the one that failed",
      guard: isPending,
      patch: () => nothingPending
    },
    Complete: {
      from: ["ACTIVE", "CANCELED"],
      to: "COMPLETED",
      emits: ["checkout_link.updated"],
      when: "the gift in progress is the one that is confirmed",
      guard: isPending,
      patch: completed,
      rule: "money, section 4: money that came first wins"
    },
    CompleteArchived: {
      from: ["ARCHIVED"],
      to: "ARCHIVED",
      emits: ["checkout_link.updated"],
      when: "the gift in progress when the link was archived is the one that is confirmed",
      guard: isPending,
      patch: completed
    },
    Change: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      emits: ["checkout_link.updated"],
      ...requires(inTime, amountStays),
      patch: (_, { at, changes }) => ({ ...changes, updated_at: at }),
      rule: linksRule
    },
    Expire: {
      from: ["ACTIVE"],
      to: "EXPIRED",
      emits: ["checkout_link.updated"],
      when: `\`expires_at\` has passed; ${noGift[0]}`,
      guard: (self, { at }) => isExpired(self, at),
      patch: (_, { at }) => ({ updated_at: at })
    },
    ExpireArchived: {
      from: ["ARCHIVED"],
      to: "ARCHIVED",
      emits: ["checkout_link.updated"],
      when: `\`expires_at\` has passed; ${noGift[0]}`,
      guard: (self, { at }) => isExpired(self, at),
      patch: (_, { at }) => ({ status: "EXPIRED" as const, updated_at: at })
    },
    Cancel: {
      from: ["ACTIVE"],
      to: "CANCELED",
      emits: ["checkout_link.cancelled"],
      ...requires(inTime, noBankTransfer),
      // A gift in progress may still win: it is cancelled at its processor, which may have taken the money.
      patch: (_, { at }) => ({ updated_at: at }),
      rule: linksRule
    },
    Archive: {
      from: Status.literals,
      to: "ARCHIVED",
      emits: ["checkout_link.archived"],
      ...requires(noBankTransfer),
      patch: (_, { at }) => ({ archived_at: at, updated_at: at }),
      rule: linksRule
    }
  },
  statusOf: (link) => (link.archived_at === null ? link.status : "ARCHIVED"),
  enter: (status) => (status === "ARCHIVED" ? {} : { status }),
  milestones: { archived_at: ["ARCHIVED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, sections 4 and 5: Checkout links. */
export const machine: machine = defined

/** The command for the confirmed gift of a link. */
export const completion = (
  link: CheckoutLink,
  gift: { readonly at: DateTime.Utc; readonly donation_id: DonationId; readonly donor_id: DonorId }
): Command => ({ _tag: link.archived_at === null ? "Complete" : "CompleteArchived", ...gift })

/**
 * The command for a link whose gift in progress brought no money.
 * @example CheckoutLink.release(at, donation_id)._tag // => "Release"
 */
export const release = (at: DateTime.Utc, donation_id: DonationId): Command => ({ _tag: "Release", at, donation_id })

/** Why a link takes no payment; null where it does. A gift in progress is apart from that. money, section 4. */
export const closedAt = (
  link: CheckoutLink,
  now: DateTime.Utc
): "archived" | "completed" | "expired" | "cancelled" | null => {
  if (link.archived_at !== null) return "archived"
  // A gift in progress holds the end of the time up for itself alone.
  return closedBy[statusAt({ ...link, pending_donation_id: null }, now)]
}

/** The command for a link whose time has run out. */
export const expiry = (link: CheckoutLink, at: DateTime.Utc): Command => ({
  _tag: link.archived_at === null ? "Expire" : "ExpireArchived",
  at
})
