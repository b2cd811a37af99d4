import { Schema } from "effect"
import type { Donation } from "../giving/Donation.ts"
import { OrganisationId, RecipientAccountLinkId, RevenueCodeId } from "../kernel/Ids.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The revenue code by which an organisation's gifts of recommendation sets count, which have none of their own. law, section 3. */
export class DefaultCode extends Schema.Opaque<DefaultCode>()(
  Schema.Struct({
    /** The recipient. */
    organisation_id: OrganisationId,
    /** The link of another organisation that the gifts come by; null for those that come by any other. */
    recipient_account_link_id: Schema.NullOr(RecipientAccountLinkId),
    revenue_code_id: RevenueCodeId,
    created_at: Instant
  }).annotate({ identifier: "StoredDefaultCode" })
) {}

const { every, has, is, lacks, some } = Rule.rulesOf<Donation>()

/** Gifts that count by a default code. */
export const byDefaultRule = every(is("source", "RECOMMENDATION_SET"), lacks("revenue_code_id"))

/** Gifts that may have a code to count by: all others count nowhere. */
export const codedRule = some(has("revenue_code_id"), byDefaultRule)

/** The parts of a gift that say which code it counts by. */
export type CodedGift = Pick<Donation, "organisation_id" | "recipient_account_link_id" | "revenue_code_id" | "source">

/** The code that a gift counts by: its own; else, for a gift of a recommendation set, that of its link, or the organisation's. */
export const effectiveCodeOf = (gift: CodedGift, defaults: ReadonlyArray<DefaultCode>): RevenueCodeId | null => {
  if (!Rule.holds(byDefaultRule, gift)) return gift.revenue_code_id
  const of = (link: RecipientAccountLinkId | null) =>
    defaults.find(({ recipient_account_link_id }) => recipient_account_link_id === link)
  return (of(gift.recipient_account_link_id) ?? of(null))?.revenue_code_id ?? null
}
