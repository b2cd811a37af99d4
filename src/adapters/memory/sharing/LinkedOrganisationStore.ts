import { Effect, HashMap, Layer, Option } from "effect"
import type { LinkedOrganisation } from "../../../domain/access/Organisation.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { active, type RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import { LinkedOrganisationStore } from "../../../ports/access/LinkedOrganisationStore.ts"
import { page } from "../ListPage.ts"
import { Memory } from "../Memory.ts"
import { get, records, type State, type Table } from "../State.ts"

const byAge = (a: RecipientAccount, b: RecipientAccount): number =>
  a.created_at.epochMilliseconds - b.created_at.epochMilliseconds || compareCodePoints(a.id, b.id)

const linked = (state: State, organisation_id: string): HashMap.HashMap<string, LinkedOrganisation> => {
  const accounts = Array.from(records(state.recipientAccounts, organisation_id)).filter((each) =>
    Rule.holds(active, each)
  )
  let found = HashMap.empty<string, LinkedOrganisation>()
  for (const { recipient_organisation_id: id } of accounts) {
    const organisation = HashMap.get(state.organisations, id)
    if (Option.isNone(organisation) || HashMap.has(found, id)) continue
    const { abn, created_at, is_sandbox, name, slug, website_url } = organisation.value
    const links = accounts.filter((link) => link.recipient_organisation_id === id).sort(byAge)
    const recipient_org_account_link_ids = links.map((link) => link.id)
    const each = { id, name, slug, abn, website_url, is_sandbox, created_at, recipient_org_account_link_ids }
    found = HashMap.set(found, id, each)
  }
  return found
}

/** Linked organisations in memory, derived from the links each time. */
export const layer = Layer.effect(
  LinkedOrganisationStore,
  Effect.map(Memory, (memory) => {
    const tableOf = (state: State, organisation_id: string): Table<LinkedOrganisation> =>
      HashMap.make([organisation_id, linked(state, organisation_id)])
    return LinkedOrganisationStore.of({
      find: (organisation_id, id) => memory.read((state) => get(tableOf(state, organisation_id), organisation_id, id)),
      list: (organisation_id, query) =>
        Effect.flatten(
          memory.read((state) =>
            page(
              { table: (each) => tableOf(each, organisation_id), columns: (organisation) => organisation },
              state,
              organisation_id,
              query
            )
          )
        )
    })
  })
)
