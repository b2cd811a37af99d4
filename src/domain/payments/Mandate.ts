import { Schema } from "effect"
import { PaymentMethod } from "../giving/DonationKinds.ts"
import { IntegrationId, MandateId, OrganisationId, SubscriptionId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, byField, define, type MachineType } from "../kernel/Machine.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as Wording from "./SubscriptionMessages.ts"

/** The states of a mandate. */
export const Status = Schema.Literals(["PENDING", "ACTIVE", "REVOKED"]).annotate({ identifier: "MandateStatus" })
export type Status = typeof Status.Type

/**
 * A means of payment that a donor allows the processor to keep, so that a recurring gift is taken without the donor: a card, or an
 * authority to debit. money, section 2: Mandate.
 */
export class Mandate extends Schema.Opaque<Mandate>()(
  Schema.Struct({
    id: MandateId,
    organisation_id: OrganisationId,
    subscription_id: SubscriptionId,
    integration_id: IntegrationId,
    method: PaymentMethod,
    status: Status,
    reference: Schema.NullOr(Schema.String),
    revoked_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({
    identifier: "StoredMandate",
    meanings: {
      integration_id: "The account at the processor that keeps it.",
      method: "How the donor pays.",
      status: "PENDING until the first charge has succeeded, ACTIVE while it can be charged, then REVOKED.",
      reference: "The processor's own identifier of what it keeps; null before.",
      revoked_at: "When it could no longer be charged; null before."
    }
  })
) {}

/** The list of mandates. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status of the mandate" },
    created_at: { kind: "timestamp", description: "When the recurring gift was set up" }
  }
} as const satisfies ListSpec

/** The commands of the machine of a mandate. */
export const Command = Schema.TaggedUnion({
  Activate: { at: Instant, reference: Schema.String },
  Revoke: { at: Instant }
})
export type Command = typeof Command.Type

const rule = "money, section 2: Mandate"

/** How mandates come to be. */
export const births = {
  begun: { by: "a recurring gift is set up", to: "PENDING", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Mandate",
  state: Mandate,
  command: Command,
  wording: Wording.mandate,
  ...byField(Status),
  rule,
  births,
  table: {
    Activate: {
      from: ["PENDING"],
      to: "ACTIVE",
      patch: (_, { at, reference }) => ({ reference, updated_at: at })
    },
    Revoke: {
      from: ["PENDING", "ACTIVE"],
      to: "REVOKED",
      patch: (_, { at }) => ({ revoked_at: at, updated_at: at })
    }
  },
  milestones: { revoked_at: ["REVOKED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** money, section 2: Mandate. REVOKED is final. Its events are those of the subscription. */
export const machine: machine = defined

/** A mandate that its donor has not confirmed by a charge yet. */
export const newMandate = (
  what: Pick<Mandate, "id" | "organisation_id" | "subscription_id" | "integration_id" | "method">,
  at: Mandate["created_at"]
): Mandate => ({
  id: what.id,
  organisation_id: what.organisation_id,
  subscription_id: what.subscription_id,
  integration_id: what.integration_id,
  method: what.method,
  status: births.begun.to,
  reference: null,
  revoked_at: null,
  created_at: at,
  updated_at: at
})
