import { Effect } from "effect"
import { Organisations } from "../../../app/access/Organisations.ts"
import type { OrganisationsGroup } from "../endpoints/access/organisations.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const organisationsHandlers = Effect.gen(function* () {
  const organisations = yield* Organisations
  const handlers: HandlersOf<typeof OrganisationsGroup> = {
    readOwn: { run: () => organisations.readOwn() },
    updateOwn: { run: ({ payload }) => organisations.updateOwn(payload) },
    list: { run: ({ list }) => organisations.listLinked(list) },
    read: { run: ({ params }) => organisations.readLinked(params.id) }
  }
  return handlers
})
