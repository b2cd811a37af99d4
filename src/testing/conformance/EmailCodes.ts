import { DateTime, Effect, Option } from "effect"
import type { EmailCode } from "../../domain/access/EmailCode.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { EmailCodeStore } from "../../ports/access/EmailCodeStore.ts"
import { freshId } from "./Records.ts"
import { byId, inTransaction, lawsOf, same, suite, together } from "./Suite.ts"
import { trimCheck } from "./Trims.ts"

/** Times far from those of other checks' codes. */
const at = (minutes: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + minutes * 60_000)

const soonAfter = (minutes: number): DateTime.Utc => DateTime.addDuration(at(minutes), "1 millis")

const codeOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<EmailCode> = {}) {
  const code: EmailCode = {
    id: yield* freshId("emailCode"),
    organisation_id,
    subject: "a gift",
    email: "Ada@Example.org",
    email_key: `ada+${organisation_id}@example.org`,
    language: "ar",
    token_key_id: "k1",
    tries: 0,
    created_at: at(10),
    ...given
  }
  return code
})

const add = (code: EmailCode, since = at(0)) => inTransaction(EmailCodeStore.use((store) => store.add(code, since)))

const attempt = (code: EmailCode, since = at(0)) =>
  inTransaction(EmailCodeStore.use((store) => store.attempt(code, since)))

const { law, must } = lawsOf(EmailCodeStore)

/** The laws of {@link EmailCodeStore}. */
export const emailCodes = () =>
  suite([
    must(
      "of many that ask at the same moment as many get a code as an address may have, by whichever organisation",
      ["EmailCodeStore.add MUST be exact, however many ask at the same moment."],
      function* ({ id, other }) {
        const email_key = `many+${id}@example.org`
        // Too old to count, and of the moment from which is counted.
        for (const minute of [1, 4]) same(yield* add(yield* codeOf(id, { email_key, created_at: at(minute) })), true)
        let turn = 0
        const made = () => ({ email_key, created_at: turn === 1 ? soonAfter(4) : at(10) })
        const ask = Effect.suspend(() =>
          Effect.flatMap(codeOf(turn++ % 2 === 0 ? id : other, made()), (code) => add(code, at(4)))
        )
        const answers = yield* together(Limits.emailCodesPerAddress + 4, ask)
        same(answers.filter((isAdded) => isAdded).length, Limits.emailCodesPerAddress)
        same(yield* add(yield* codeOf(id, { email_key: `else+${id}@example.org` }), at(4)), true)
        same(yield* add(yield* codeOf(id, { email_key, created_at: at(20) }), at(10)), true)
      }
    ),

    law("an organisation gets as many codes as it may, for whichever addresses", function* ({ id, other }) {
      const asked = Array.from({ length: Limits.emailCodesPerOrganisation + 1 }, (_, index) => index)
      const answers = yield* Effect.forEach(asked, (index) =>
        Effect.flatMap(codeOf(id, { email_key: `d${index}+${id}@example.org` }), (code) => add(code))
      )
      same(
        answers,
        asked.map((index) => index < Limits.emailCodesPerOrganisation)
      )
      same(yield* add(yield* codeOf(other)), true)
    }),

    law(
      "a try counts for every living code of its subject and address, and for no other",
      function* ({ store, id, other }) {
        const [one, two] = [yield* codeOf(id, { created_at: soonAfter(5) }), yield* codeOf(id)]
        const old = yield* codeOf(id, { created_at: at(5) })
        const email_key = one.email_key
        const beside = [
          yield* codeOf(id, { subject: "another gift" }),
          yield* codeOf(id, { email_key: `bea+${id}@example.org` }),
          yield* codeOf(other, { email_key })
        ]
        for (const each of [one, two, old, ...beside]) same(yield* add(each, at(9)), true)
        same(byId(yield* attempt(one, at(5))), byId([one, two].map((each) => ({ ...each, tries: 1 }))))
        const [elsewhere = one, ...others] = beside
        same(yield* attempt(elsewhere, at(10)), [])
        same(yield* attempt(elsewhere, at(9)), [{ ...elsewhere, tries: 1 }])
        for (const each of [old, ...others]) {
          same(Option.getOrNull(yield* store.find(each.organisation_id, each.id)), each)
        }
      }
    ),

    must(
      "of many tries at the same moment each counts, and no code is tried more often than it may be",
      ["EmailCodeStore.attempt MUST count each, however many try at the same moment."],
      function* ({ id }) {
        const code = yield* codeOf(id)
        yield* add(code)
        const tries = yield* together(Limits.emailCodeTries + 3, attempt(code))
        same(
          tries.flatMap((found) => found.map((each) => each.tries)).toSorted(),
          Array.from({ length: Limits.emailCodeTries }, (_, index) => index + 1)
        )
        same(yield* attempt(code), [])
      }
    ),

    trimCheck({
      name: "codes",
      port: EmailCodeStore,
      trim: ({ trim }, until, limit) => trim(until, limit),
      isOldestFirst: true,
      make: Effect.fnUntraced(function* (organisation_id, created_at) {
        const code = yield* codeOf(organisation_id, { created_at })
        same(yield* add(code, created_at), true)
        return code
      }),
      isThere: ({ id, organisation_id }: EmailCode) =>
        EmailCodeStore.use((store) => Effect.map(store.find(organisation_id, id), Option.isSome))
    })
  ])
