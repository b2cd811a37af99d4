import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Redacted } from "effect"
import { KeyCache } from "../../src/app/access/key/KeyCache.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { Almoner, type Options } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { postgres } from "../../src/postgres.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { broken } from "../support/Sentences.ts"
import { charity, keys } from "./Charity.ts"

const sound = { organisation: "riverside", user: "ada", scope: "WRITE", request_id: "req-1" }

const long = "x".repeat(256)

/** Users that are none, each with the refusal of all of them. */
const hostile: ReadonlyArray<readonly [given: unknown, tag: string, param?: string]> = [
  [undefined, "MalformedInput"],
  [null, "MalformedInput"],
  ["ada", "MalformedInput"],
  [{}, "MalformedInput"],
  [{ ...sound, organisation: undefined }, "MalformedInput"],
  [{ ...sound, organisation: 7 }, "MalformedInput"],
  [{ ...sound, organisation: "" }, "InvalidInput", "organisation"],
  [{ ...sound, organisation: "river\u0000side" }, "InvalidInput", "organisation"],
  [{ ...sound, organisation: "\ud800" }, "InvalidInput", "organisation"],
  [{ ...sound, organisation: long }, "InvalidInput", "organisation"],
  [{ ...sound, organisation: "elsewhere" }, "NotFound"],
  [{ ...sound, organisation: "Riverside" }, "NotFound"],
  [{ ...sound, organisation: "org_01jh00000000000000000000zz" }, "NotFound"],
  [{ ...sound, organisation: "'; DROP TABLE organisations; --" }, "NotFound"],
  [{ ...sound, user: "" }, "InvalidInput", "user"],
  [{ ...sound, user: long }, "InvalidInput", "user"],
  [{ ...sound, user: "a\u0000b" }, "InvalidInput", "user"],
  [{ ...sound, user: 7 }, "MalformedInput"],
  [{ ...sound, user: null }, "MalformedInput"],
  [{ ...sound, scope: "ADMIN" }, "InvalidInput", "scope"],
  [{ ...sound, scope: "write" }, "InvalidInput", "scope"],
  [{ ...sound, scope: undefined }, "MalformedInput"],
  [{ ...sound, request_id: "" }, "InvalidInput", "request_id"],
  [{ ...sound, request_id: long }, "InvalidInput", "request_id"],
  [{ ...sound, request_id: "\udc00" }, "InvalidInput", "request_id"],
  [{ ...sound, request_id: "a\u0000" }, "InvalidInput", "request_id"],
  [{ ...sound, request_id: 7 }, "MalformedInput"],
  [{ ...sound, plan: "ENTERPRISE" }, "MalformedInput"]
]

const failureOf = async (attempt: { outcome(): Promise<{ ok: true } | { ok: false; failure: unknown }> }) => {
  const outcome = await attempt.outcome()
  return outcome.ok ? "no failure" : outcome.failure
}

const told = (failure: unknown): string =>
  Predicate.hasProperty(failure, "message") ? `${Reflect.get(Object(failure), "_tag")}: ${failure.message}` : "none"

/** What the hostile calls are answered, the same whatever the backend. */
const answers = async (backend: Options["backend"]): Promise<ReadonlyArray<string>> => {
  const almoner = await Almoner.open({ backend, keys })
  await almoner.organisations.create(charity)
  const all: Array<string> = []
  for (const [given, tag, param] of hostile) {
    const failure = await failureOf(almoner.caller(given as never))
    assert.isTrue(Predicate.isTagged(failure, tag), `${JSON.stringify(given)}: ${failure}`)
    assert.strictEqual(Reflect.get(Object(failure), "param"), param)
    assert.isNull(broken(String(Reflect.get(Object(failure), "message"))), String(failure))
    all.push(told(failure))
  }
  const caller = await almoner.caller({ ...sound, scope: "WRITE", request_id: undefined })
  const { secret } = await almoner.apiKeys.create(caller, { name: "Till", scope: "READ" })
  for (const request_id of ["", long, "\ud800", "a\u0000", 7]) {
    const failure = await failureOf(almoner.authenticate(secret, request_id as never))
    assert.deepInclude(failure, { _tag: "InvalidInput", param: "request_id" })
    all.push(told(failure))
  }
  for (const key of ["", "\u0000", "alm_live_", null, 7, {}]) {
    assert.isUndefined(await almoner.authenticate(key as never))
  }
  // Whoever makes a caller by hand is told so, and nothing is written.
  const byHand = [
    undefined,
    null,
    {},
    "ada",
    { ...caller, scope: "ADMIN" },
    { ...caller, organisation: {} },
    {
      get organisation() {
        throw new Error("no")
      }
    },
    { ...caller, actor: { type: "USER", id: "" } }
  ]
  for (const each of byHand) {
    for (const failure of [
      await failureOf(almoner.donors.create(each as never, { first_name: "Ada" })),
      await failureOf(almoner.as(each as never).donors.create({ first_name: "Ada" }))
    ]) {
      assert.isTrue(Predicate.isTagged(failure, "MalformedInput"), String(failure))
      all.push(told(failure))
    }
  }
  assert.isTrue((await almoner.donors.create({ ...caller }, { first_name: "Ada" }).outcome()).ok)
  // Who may not do it learns nothing of the arguments.
  const reader = { ...caller, scope: "READ" } as const
  const unpermitted = [
    almoner.donors.create(reader, { first_name: 7 } as never),
    almoner.donors.update(reader, "no id", { first_name: "Ada" }),
    almoner.as(reader).donors.archive("no id"),
    almoner.keyed("k").donors.create(reader, { first_name: 7 } as never)
  ]
  for (const each of unpermitted) {
    const failure = await failureOf(each)
    assert.isTrue(Predicate.isTagged(failure, "Forbidden"), String(failure))
    all.push(told(failure))
  }
  // Texts that only a database minds.
  for (const odd of ["\u0000", "\ud800", "", long]) {
    all.push(
      told(await failureOf(almoner.organisations.findBySlug(odd))),
      told(await failureOf(almoner.users.find(odd)))
    )
  }
  assert.isFalse(
    all.some((each) => each.startsWith("AlmonerUnavailable")),
    all.join("\n")
  )
  await almoner.close()
  return all
}

describe("a caller", () => {
  it.live("is checked, and refused alike over every backend", () =>
    Effect.scoped(
      Effect.flatMap(freshUrl, (url) =>
        Effect.promise(async () => {
          const first = await answers(memory())
          assert.deepStrictEqual(await answers(pglite()), first)
          assert.deepStrictEqual(await answers(postgres({ url: Redacted.value(url) })), first)
        })
      )
    )
  )

  it("is no photograph: a plan that changed and a key that was revoked hold for whoever keeps it", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const { live } = await almoner.organisations.create(charity)
    const ada = await almoner.caller({ organisation: live.id, user: "ada", scope: "WRITE" })
    const key = await almoner.apiKeys.create(ada, { name: "Website", scope: "WRITE" })
    const website = await almoner.authenticate(key.secret)
    assert.isDefined(website)
    const writing = () => almoner.as(website).donors.create({ first_name: "Mary" }).outcome()
    const planned = () => almoner.campaigns.list(ada).outcome()
    assert.deepStrictEqual([(await writing()).ok, (await planned()).ok], [true, false])

    await almoner.organisations.setPlan({ ...ada }, "RAISE")
    assert.isTrue((await planned()).ok)
    assert.isFalse(
      (
        await almoner
          .as({ ...website, scope: "READ" })
          .donors.create({ first_name: "Mary" })
          .outcome()
      ).ok
    )

    await almoner.apiKeys.revoke(ada, key.id)
    assert.deepInclude(await failureOf(almoner.as(website).donors.list()), { _tag: "Forbidden" })
    assert.deepInclude(await failureOf(almoner.donors.list({ ...website })), { _tag: "Forbidden" })
    await almoner.close()
  })

  it("has its scope by the host's word: a membership that is kept decides nothing of it", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const { live } = await almoner.organisations.create(charity)
    const operator = await almoner.caller({ organisation: live.id, user: "operator", scope: "WRITE" })
    const user = await almoner.users.create({ email: "ada@example.org", name: "Ada Low" })
    const ada = almoner.as(await almoner.caller({ organisation: live.id, user: user.id, scope: "WRITE" }))
    const writes = async () => (await ada.donors.create({ first_name: "Mary" }).outcome()).ok
    await almoner.users.addToOrganisation(operator, user.id, "VIEWER")
    assert.isTrue(await writes())
    await almoner.users.removeFromOrganisation(operator, user.id)
    assert.isTrue(await writes())
    await almoner.close()
  })

  it("is remembered for five seconds, and not when a key changed meanwhile", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const cache = yield* KeyCache
        const found = { organisation: { name: "Riverside" } as Organisation, scope: "READ" as const }
        cache.rememberCaller("org_1 READ", found, 0, cache.epoch())
        assert.deepStrictEqual(
          [0, 4_999, 5_000].map((now) => cache.recallCaller("org_1 READ", now)),
          [found, found, undefined]
        )
        const since = cache.epoch()
        yield* cache.forget
        assert.isUndefined(cache.recallCaller("org_1 READ", 0))
        cache.rememberCaller("org_1 READ", found, 0, since)
        assert.isUndefined(cache.recallCaller("org_1 READ", 0))
      }).pipe(Effect.provide(KeyCache.layer))
    ))
})
