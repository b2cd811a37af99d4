import { Effect, Schema } from "effect"
import { type OrganisationId, RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import type { RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import {
  type Allocation,
  type LinkedRecipient,
  linkViolationOf,
  type NewRecommendationSet
} from "../../../domain/sharing/RecommendationSet.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"

const isLinkId = Schema.is(RecipientAccountLinkId)

const recipientOf = ({ label, recipient_org_name }: RecipientAccount): LinkedRecipient => ({
  link_label: label,
  recipient_org_name
})

/** Makes allocations to an organisation's links. decisions, section 4: Recommendation sets. */
export const makeAllocating = Effect.gen(function* () {
  const links = yield* RecipientAccountStore
  const tokens = yield* Tokens

  /**
   * The allocations that are asked for, each with an id, and the recipients of their links. The links are locked, so
   * that none is deactivated before the set is written. Fails with {@link MalformedInput} for one that is no active
   * link.
   */
  const allocate = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    asked: NewRecommendationSet["allocations"]
  ) {
    const named = asked.map((each) => each.recipient_org_account_link_id).filter(isLinkId)
    const found = yield* links.findManyForShare(organisation_id, named)
    const active = new Map<string, RecipientAccount>()
    for (const link of found) if (link.is_active) active.set(link.id, link)
    const violation = linkViolationOf(asked, (id) => active.has(id))
    if (violation !== null) return yield* violation
    const allocations: Array<Allocation> = []
    for (const { amount_cents, recipient_org_account_link_id } of asked) {
      const link = active.get(recipient_org_account_link_id)
      if (link === undefined) continue
      const id = yield* tokens.id("allocation")
      allocations.push({ id, recipient_org_account_link_id: link.id, amount_cents })
    }
    const recipients = new Map(found.map((link) => [link.id, recipientOf(link)]))
    return { allocations, recipients }
  })

  return { allocate } as const
})
