import { Effect } from "effect"
import type { Refund } from "../../src/domain/giving/Refund.ts"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { listing, type MailRecord } from "../../src/domain/kernel/Mail.ts"
import { MailOutbox } from "../../src/ports/kernel/MailOutbox.ts"

/** Every mail of an organisation, newest first, as `template subject`. */
export const mailsOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const outbox = yield* MailOutbox
  const all: Array<MailRecord> = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.id
    const from = after === undefined ? [] : [["starting_after", after] as const]
    const query = yield* Effect.fromResult(parse(listing, [["limit", "100"], ...from]))
    const page = yield* outbox.list(organisation_id, query)
    all.push(...page.data)
    more = page.has_more
  }
  return all.map(({ subject_id, template }) => `${template} ${subject_id}`)
}, Effect.orDie)

/** How many corrected receipts a gift with these refunds has: one for each, and one more for each that came to nothing. */
export const correctionsOf = (refunds: ReadonlyArray<Refund>): number => {
  const ofGift = refunds.filter(({ is_beside_gift }) => !is_beside_gift)
  return ofGift.length + ofGift.filter(({ status }) => status === "FAILED").length
}
