import { Effect, Schema } from "effect"
import { isDefault, type TransferAccount } from "../../../domain/access/Integration.ts"
import { type OrganisationId, RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import { MalformedInput } from "../../../domain/kernel/Rejection.ts"
import type { Payable } from "../../../domain/sharing/RecipientAccount.ts"
import {
  type Allocation,
  type LinkedRecipient,
  linkViolationOf,
  type NewRecommendationSet
} from "../../../domain/sharing/RecommendationSet.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"

const isLinkId = Schema.is(RecipientAccountLinkId)

const recipientOf = ({ label, recipient_org_name }: Payable): LinkedRecipient => ({
  link_label: label,
  recipient_org_name
})

const paysFromOwn =
  "A recommendation set cannot be paid at an account with credentials of its own, because nothing can be transferred from it, and the organisation's default account is one. Make a connected account of the platform the default (almoner integration set-default)."

const goesToOwn = (param: string) =>
  `${param} is an account with credentials of its own, so nothing could be transferred to it. Leave it out, or link a connected account of that organisation.`

const goesElsewhere = (here: string) => (param: string) =>
  `${param} is an account at another payment processor than the organisation's own, which is at ${here}, so nothing could be transferred to it. Leave it out, or link an account at ${here}.`

/** Why nothing could be transferred to an account, for the parameter that names it; none where something could. */
const refusalOf = (account: TransferAccount, own: TransferAccount | undefined) => {
  if (account.is_own) return goesToOwn
  return own === undefined || account.processor === own.processor ? null : goesElsewhere(own.processor)
}

/** Makes allocations to an organisation's links. decisions, section 4: Recommendation sets. */
export const makeSetAllocation = Effect.gen(function* () {
  const links = yield* RecipientAccountStore
  const integrations = yield* IntegrationStore
  const tokens = yield* Tokens

  /**
   * Refuses recipients whose accounts are not on the platform that the organisation's own account is on: what donors pay there
   * could not be transferred to them. An own account is on none. money, section 3.
   */
  const refuseElsewhere = Effect.fnUntraced(function* (
    id: OrganisationId,
    asked: NewRecommendationSet["allocations"],
    active: ReadonlyMap<string, Payable>
  ) {
    const named = Array.from(active.values(), ({ recipient_integration_id }) => recipient_integration_id)
    const accounts = yield* integrations.defaultAnd(id, named)
    const own = accounts.find((account) => account.organisation_id === id && isDefault(account))
    if (own?.is_own === true) return yield* new MalformedInput({ message: paysFromOwn })
    const byId = new Map(accounts.map((account) => [account.id, account]))
    for (const [index, { recipient_org_account_link_id }] of asked.entries()) {
      const link = active.get(recipient_org_account_link_id)
      const account = link === undefined ? undefined : byId.get(link.recipient_integration_id)
      const refusal = account === undefined ? null : refusalOf(account, own)
      if (refusal === null) continue
      return yield* new MalformedInput({ message: refusal(`allocations[${index}].recipient_org_account_link_id`) })
    }
  })

  /**
   * The allocations that are asked for, each with an id, and the recipients of their links. The links are locked, so
   * that none is deactivated before the set is written. Fails with {@link MalformedInput} for one that is no active
   * link, or whose account is at another processor than the organisation's.
   */
  const allocate = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    asked: NewRecommendationSet["allocations"]
  ) {
    const named = asked.map((each) => each.recipient_org_account_link_id).filter(isLinkId)
    const found = yield* links.findManyForShare(organisation_id, named)
    const active = new Map<string, Payable>()
    for (const link of found) if (link.is_active) active.set(link.id, link)
    const violation = linkViolationOf(asked, (id) => active.has(id))
    if (violation !== null) return yield* violation
    yield* refuseElsewhere(organisation_id, asked, active)
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
