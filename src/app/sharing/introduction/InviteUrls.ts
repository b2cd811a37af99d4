import { Effect, Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Introduction } from "../../../domain/sharing/Introduction.ts"
import * as InviteToken from "../../../domain/sharing/InviteToken.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { PublicUrlTemplate } from "../../../ports/kernel/PublicUrlTemplate.ts"

type Derived = Pick<Introduction, "id" | "token_key_id">

/** Derives invite tokens and verifies them. decisions, section 4: Introductions; decisions, section 4: Server keys. */
export const makeInviteUrls = Effect.gen(function* () {
  const macs = yield* Macs
  const template = yield* PublicUrlTemplate

  /** The id of the key that new introductions are made with. */
  const newestKey = macs.keyIds[0]

  /** The address to share; none when the ring no longer has the key that the introduction was made with. */
  const working = ({ id, token_key_id }: Derived, inviter: Organisation): Effect.Effect<Option.Option<string>> =>
    Effect.map(
      macs.make(token_key_id, "invitation", id),
      Option.map((mac) => InviteToken.urlOf(template, inviter.slug, InviteToken.write({ id, mac })))
    )

  /** The address to share; where its key is gone, an address that opens nothing. */
  const shared = (introduction: Derived, inviter: Organisation): Effect.Effect<string> =>
    Effect.map(
      working(introduction, inviter),
      Option.getOrElse(() => InviteToken.urlOf(template, inviter.slug, introduction.id))
    )

  const vouches = ({ id, token_key_id }: Derived, mac: string): Effect.Effect<boolean> =>
    macs.verify(token_key_id, "invitation", id, mac)

  return { newestKey, working, shared, vouches } as const
})
