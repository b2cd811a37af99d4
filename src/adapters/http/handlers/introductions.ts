import { Effect } from "effect"
import { Introductions } from "../../../app/sharing/Introductions.ts"
import type { IntroductionsGroup } from "../endpoints/sharing/introductions.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const introductionsHandlers = Effect.gen(function* () {
  const introductions = yield* Introductions
  const handlers: HandlersOf<typeof IntroductionsGroup> = {
    send: { run: ({ payload }) => introductions.send(payload) },
    list: { run: ({ list }) => introductions.list(list) },
    read: { run: ({ params }) => introductions.read(params.id) },
    resendEmail: { run: ({ params }) => introductions.resendEmail(params.id) },
    revoke: { run: ({ params }) => introductions.revoke(params.id) }
  }
  return handlers
})
