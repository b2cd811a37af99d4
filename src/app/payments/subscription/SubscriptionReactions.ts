import { Effect, Option } from "effect"
import { holds } from "../../../domain/kernel/Rule.ts"
import { lastingRule } from "../../../domain/payments/Subscription.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { actingIn } from "../../access/caller/CallerContext.ts"
import type { DonorArchival, Reaction } from "../../kernel/reaction/Reactions.ts"
import { endingFor, makeSubscriptionChange } from "./SubscriptionOutcome.ts"

const operation = "donors.archive"

/** The recurring gifts of a merged donor become the survivor's, and those of an archived one end. money, section 7. */
export const subscriptionReactions = Effect.gen(function* () {
  const change = yield* makeSubscriptionChange
  const organisations = yield* OrganisationStore
  const subscriptions = yield* SubscriptionStore

  const donorArchived = Effect.fnUntraced(function* (archival: DonorArchival) {
    const { actor, at, donor_id, organisation_id, request_id } = archival
    const organisation = yield* organisations.find(organisation_id)
    if (Option.isNone(organisation)) return
    for (const id of yield* subscriptions.lastingOf(organisation_id, donor_id)) {
      const held = yield* subscriptions.findForUpdate(organisation_id, id)
      if (Option.isNone(held) || !holds(lastingRule, held.value)) continue
      const ending = endingFor("cancellation_requested")
      yield* Effect.orDie(change.end(operation, held.value, ending, at)).pipe(
        actingIn(organisation.value, actor, request_id)
      )
    }
  })

  const reaction: Partial<Reaction> = {
    donorMerged: ({ at, duplicate, organisation_id, survivor }) =>
      subscriptions.reassign(organisation_id, duplicate, survivor, at),
    donorArchived
  }
  return reaction
})
