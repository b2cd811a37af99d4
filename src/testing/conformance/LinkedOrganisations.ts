import { type DateTime, Effect, Option } from "effect"
import fc from "fast-check"
import { type LinkedOrganisation, linkedListing, type Organisation } from "../../domain/access/Organisation.ts"
import type { RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { LinkedOrganisationStore } from "../../ports/access/LinkedOrganisationStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { lists } from "./Lists.ts"
import { newLink } from "./MoneyRecords.ts"
import { at, newOrganisation, queryOf } from "./Records.ts"
import { type Check, lawsOf, none, runsOf, same, type Thoroughness } from "./Suite.ts"

const { law, must } = lawsOf(LinkedOrganisationStore)

/** The ports that the checks use. */
type Needs = LinkedOrganisationStore | RecipientAccountStore | IntegrationStore | OrganisationStore

const seen = (organisation: Organisation, links: ReadonlyArray<RecipientAccount>): LinkedOrganisation => {
  const { abn, created_at, id, is_sandbox, name, slug, website_url } = organisation
  const recipient_org_account_link_ids = links.map((link) => link.id)
  return { id, name, slug, abn, website_url, is_sandbox, created_at, recipient_org_account_link_ids }
}

/** The laws of {@link LinkedOrganisationStore}. */
export const linkedOrganisations = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  ...lists<LinkedOrganisation, DateTime.Utc, Needs>(
    {
      name: "linked organisations",
      spec: linkedListing,
      draft: fc.nat(3).map(at),
      store: Effect.fnUntraced(function* (organisation_id, created_at) {
        const recipient = yield* newOrganisation({ created_at })
        return seen(recipient, [yield* newLink(organisation_id, recipient)])
      }),
      list: (organisation_id, query) => LinkedOrganisationStore.use((store) => store.list(organisation_id, query)),
      columns: (organisation) => organisation
    },
    runsOf(given)
  ),

  law("an organisation is linked while a link to it is active, and shown as it is", function* ({ store: linked }) {
    const links = yield* RecipientAccountStore
    const mine = yield* newOrganisation()
    const recipient = yield* newOrganisation({ abn: "53004085616", is_sandbox: true })
    const young = yield* newLink(mine.id, recipient, { created_at: at(2) })
    const old = yield* newLink(mine.id, recipient, { created_at: at(1) })
    const off = yield* newLink(mine.id, recipient, { is_active: false })
    yield* Effect.orDie((yield* OrganisationStore).update({ ...recipient, name: "Renamed" }))
    const expected = seen({ ...recipient, name: "Renamed" }, [old, young])
    same(yield* linked.find(mine.id, recipient.id), Option.some(expected))
    same((yield* linked.list(mine.id, queryOf())).data, [expected])
    for (const link of [young, old]) yield* links.update({ ...link, is_active: false })
    none(yield* linked.find(mine.id, recipient.id))
    same((yield* linked.list(mine.id, queryOf())).data, [])
    yield* links.update({ ...off, is_active: true })
    same(yield* linked.find(mine.id, recipient.id), Option.some(seen({ ...recipient, name: "Renamed" }, [off])))
  }),

  must(
    "links of another organisation, and to oneself, link nothing",
    ["RecordReader MUST see the named organisation's records only"],
    function* ({ store: linked }) {
      const [mine, other, recipient] = [yield* newOrganisation(), yield* newOrganisation(), yield* newOrganisation()]
      yield* newLink(other.id, recipient)
      yield* newLink(other.id, mine)
      for (const each of [recipient, other, mine]) none(yield* linked.find(mine.id, each.id))
      same((yield* linked.list(mine.id, queryOf())).data, [])
      for (const { id } of [recipient, mine]) {
        same(
          Option.map(yield* linked.find(other.id, id), (found): string => found.id),
          Option.some(id)
        )
      }
    }
  )
]
