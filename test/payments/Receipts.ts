import { Effect } from "effect"
import type { Refund } from "../../src/domain/giving/Refund.ts"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { type ListQuery, type ListSpec, type Page, parse } from "../../src/domain/kernel/Listing.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import type { InvalidInput } from "../../src/domain/kernel/Rejection.ts"
import * as Charge from "../../src/domain/payments/Charge.ts"
import { ChargeStore, MailOutbox } from "../../src/ports.ts"

/** Every record of a list, newest first. */
const everyOne = Effect.fnUntraced(function* <A extends { readonly id: string }>(
  spec: ListSpec,
  list: (query: ListQuery) => Effect.Effect<Page<A>, InvalidInput>
) {
  const all: Array<A> = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.id
    const from = after === undefined ? [] : [["starting_after", after] as const]
    const page = yield* list(yield* Effect.fromResult(parse(spec, [["limit", "100"], ...from])))
    all.push(...page.data)
    more = page.has_more
  }
  return all
})

/** Every mail of an organisation, newest first, as `template subject`. */
export const mailsOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const outbox = yield* MailOutbox
  const all = yield* everyOne(Mail.listing, (query) => outbox.list(organisation_id, query))
  return all.map(({ subject_id, template }) => `${template} ${subject_id}`)
}, Effect.orDie)

/**
 * What is wrong about the mails that follow a charge: nobody is told twice that it is under way, who was told so is told once
 * where it fails, and so is the donor of a renewal; whoever pays by card is told nothing.
 */
export const followingFaults = (
  { failure_code, id, method, purpose, status }: Charge.Charge,
  mails: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const count = (template: string) => mails.filter((each) => each === `${template} ${id}`).length
  const [processing, failed] = [count("payment_processing"), count("payment_failed")]
  const hasFailed = status === "FAILED" || (status === "CANCELLED" && failure_code !== "cancelled")
  const isTold = purpose === "invoice" || processing === 1
  const mayBeTold = purpose !== "invoice" && method !== "card"
  return processing <= (mayBeTold ? 1 : 0) && failed === (isTold && hasFailed ? 1 : 0)
    ? []
    : [`${id} (${method}, ${status}): ${processing} mails that it is under way, ${failed} that it failed`]
}

/** What is wrong about the mails of all of an organisation's charges. */
export const followingFaultsOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  mails: ReadonlyArray<string>
) {
  const charges = yield* ChargeStore
  const all = yield* everyOne(Charge.listing, (query) => charges.list(organisation_id, query))
  return all.flatMap((charge) => followingFaults(charge, mails))
}, Effect.orDie)

/** How many corrected receipts a gift with these refunds has: one for each, and one more for each that came to nothing. */
export const correctionsOf = (refunds: ReadonlyArray<Refund>): number => {
  const ofGift = refunds.filter(({ is_beside_gift }) => !is_beside_gift)
  return ofGift.length + ofGift.filter(({ status }) => status === "FAILED").length
}
