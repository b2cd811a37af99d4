import { Effect } from "effect"
import type { RecipientAccountLinkId } from "../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DefaultCodeStore } from "../../ports/compliance/DefaultCodeStore.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { at, linkOf, newOrganisation, revenueCodeOf } from "./Records.ts"
import { byId, type Check, check, same, twice } from "./Suite.ts"

type Needs = DefaultCodeStore | IntegrationStore | OrganisationStore | RevenueCodeStore | RecipientAccountStore

const world = Effect.gen(function* () {
  const [recipient, sender] = [yield* newOrganisation(), yield* newOrganisation()]
  const codes = yield* RevenueCodeStore
  const [first, second] = [
    yield* revenueCodeOf(recipient.id, { code: "First" }),
    yield* revenueCodeOf(recipient.id, { code: "Second" })
  ]
  yield* codes.insert(first)
  yield* codes.insert(second)
  const links = [yield* linkOf(sender.id, recipient), yield* linkOf(sender.id, recipient, { is_active: false })]
  for (const link of links) yield* RecipientAccountStore.use((store) => store.insert(link))
  const defaultOf = (link: RecipientAccountLinkId | null, code = first) => ({
    organisation_id: recipient.id,
    recipient_account_link_id: link,
    revenue_code_id: code.id,
    created_at: at(0)
  })
  return { recipient, sender, second, links, defaultOf, store: yield* DefaultCodeStore }
})

/** The laws of {@link DefaultCodeStore}. */
export const defaultCodes = (): ReadonlyArray<Check<Needs>> => [
  check(
    "default codes are read back as they were set last, the organisation's own first, and one that is taken out is gone",
    [
      "DefaultCodeStore.set MUST take the place of the one of the same organisation and link",
      "DefaultCodeStore.ofOrganisation MUST answer the organisation's own first, and then those of links in the order of their ids"
    ],
    Effect.fnUntraced(function* () {
      const { defaultOf, links, recipient, second, sender, store } = yield* world
      const ids = links.map(({ id }) => id).toSorted(compareCodePoints)
      const set = [...ids.toReversed(), null]
      for (const link of set) yield* store.set(defaultOf(link))
      const all = [null, ...ids].map((link) => defaultOf(link))
      same(yield* store.ofOrganisation(recipient.id), all)
      const anew = all.map((each) => ({ ...each, revenue_code_id: second.id, created_at: at(1) }))
      for (const each of anew) yield* store.set(each)
      same(yield* store.ofOrganisation(recipient.id), anew)
      const others = anew.slice(1)
      same(yield* store.ofOrganisation(sender.id), [])
      yield* store.clear(recipient.id, null)
      yield* store.clear(recipient.id, null)
      same(yield* store.ofOrganisation(recipient.id), others)
      for (const id of ids) yield* store.clear(recipient.id, id)
      same(yield* store.ofOrganisation(recipient.id), [])
    }, twice)
  ),
  check(
    "links are found where they lead, active or not, whoever made them",
    [],
    Effect.fnUntraced(function* () {
      const { links, recipient, sender, store } = yield* world
      const expected = byId(links).map(({ id, recipient_account_label: account_label }) => {
        return { id, from_organisation_id: sender.id, account_label }
      })
      same(yield* store.incomingLinks(recipient.id), expected)
      same(yield* store.incomingLinks(sender.id), [])
    })
  )
]
