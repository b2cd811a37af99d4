import { createHash, randomUUID } from "node:crypto"
import { Effect, Option, Result, Schema, Struct } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { emailKey } from "../../domain/kernel/Text.ts"
import * as Checkout from "../../domain/sharing/Checkout.ts"
import { Macs } from "../../ports/kernel/Macs.ts"

/** A gift as its donor typed it on the first screen, before it is paid. */
export const Gift = Schema.Struct(
  Struct.pick(Checkout.Submission.fields, ["amount_cents", "currency", "frequency", "allocations", "donor", "consent"])
)
export type Gift = typeof Gift.Type

/** What a page carries from screen to screen: nothing is stored before the gift is submitted. */
const PageState = Schema.Struct({
  target: Checkout.Target,
  ...Struct.pick(Checkout.Submission.fields, ["submission_id", "retries"]),
  /** Milliseconds since the epoch. */
  made_at: Schema.Int,
  gift: Schema.NullOr(Gift),
  /** The payment that is taken up again, which knows who gives: whoever has its address is not shown that. */
  resumes: Schema.optionalKey(Schema.String),
  /** The submission that a code was asked for. */
  code_for: Schema.optionalKey(Schema.String),
  /** The pass that the right code was answered with, for which submission, and until when, milliseconds since the epoch. */
  pass: Schema.optionalKey(Schema.Struct({ card_pass: Schema.String, for: Schema.String, until: Schema.Int }))
})
export type PageState = typeof PageState.Type

/**
 * The submission of a gift: a UUID of the page and of what its button says, and who gives. So the same gift is one, however often
 * it is sent, and another one that is given on the same page, or by whoever comes to the browser next, is not taken for it.
 */
export const submissionOf = ({ submission_id }: PageState, { allocations, donor, ...gift }: Gift): string => {
  const parts = allocations?.map(({ amount_cents, id }) => [id, amount_cents])
  const what = [gift.amount_cents, gift.currency, gift.frequency, parts, emailKey(donor?.email ?? "")]
  const digest = createHash("sha256")
    .update(JSON.stringify([submission_id, what]))
    .digest("hex")
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/u, "$1-$2-8$3-8$4-$5")
}

const purpose = "checkout_page"

const encode = Schema.encodeSync(Schema.fromJsonString(PageState))
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(PageState))

/** Milliseconds since the epoch. */
export const now: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => clock.currentTimeMillisUnsafe())
)

/** The state of a page that was just opened. */
export const newState = (target: Checkout.Target): Effect.Effect<PageState> =>
  Effect.map(now, (made_at) => ({ target, submission_id: randomUUID(), retries: null, made_at, gift: null }))

/** A token that was shown, and whether its page was open for longer than it should be. */
interface ShownToken {
  readonly state: PageState
  readonly isOld: boolean
}

/** Signs and reads the tokens of pages. They say what was typed, and nobody but us may have written them. */
export const makePageTokens = Effect.gen(function* () {
  const macs = yield* Macs

  const write = Effect.fnUntraced(function* (state: PageState) {
    const [key_id] = macs.keyIds
    const payload = Buffer.from(encode(state)).toString("base64url")
    const mac = yield* macs.make(key_id, purpose, payload)
    return [key_id, payload, Option.getOrThrow(mac)].join(".")
  })

  /** None for a text that is no token of ours. */
  const read = Effect.fnUntraced(function* (token: string) {
    const [key_id = "", payload = "", mac = "", ...rest] = token.split(".")
    const isOurs = rest.length === 0 && mac !== "" && (yield* macs.verify(key_id, purpose, payload, mac))
    const state = isOurs ? decode(Buffer.from(payload, "base64url").toString("utf8")) : undefined
    if (state === undefined || Result.isFailure(state)) return Option.none()
    const age = (yield* now) - state.success.made_at
    const shown: ShownToken = { state: state.success, isOld: age > Limits.pageTokenHours * 3_600_000 }
    return Option.some(shown)
  })

  return { read, write } as const
})
