import { Effect } from "effect"
import { DonationForms } from "../../../app/giving/DonationForms.ts"
import { PersonalisedLinks } from "../../../app/sharing/PersonalisedLinks.ts"
import type { FormsGroup } from "../endpoints/giving/forms.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const formsHandlers = Effect.gen(function* () {
  const forms = yield* DonationForms
  const links = yield* PersonalisedLinks
  const handlers: HandlersOf<typeof FormsGroup> = {
    create: { run: ({ payload }) => forms.create(payload) },
    list: { run: ({ list }) => forms.list(list) },
    read: { run: ({ params }) => forms.read(params.id) },
    update: { run: ({ params, payload }) => forms.update(params.id, payload) },
    archive: { run: ({ params }) => forms.archive(params.id) },
    mintLink: { run: ({ params, payload }) => links.mintForForm(params.id, payload) }
  }
  return handlers
})
