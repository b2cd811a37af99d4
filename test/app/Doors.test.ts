import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Option, Predicate, Result, Schema } from "effect"
import fc from "fast-check"
import { Memory } from "../../src/adapters/memory/Memory.ts"
import type { AnyOperation, Part, Parts, RequirementOf, ServiceKey } from "../../src/app/access/operation/Operation.ts"
import { hostReader } from "../../src/app/access/operation/ServiceChecks.ts"
import { decoder } from "../../src/app/kernel/decoding/Decoder.ts"
import { operations } from "../../src/app/Operations.ts"
import type { Caller } from "../../src/domain/access/Caller.ts"
import * as Listing from "../../src/domain/kernel/Listing.ts"
import * as library from "../../src/effect.ts"
import { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"
import { organisation } from "../../src/testing/Generators.ts"
import { world } from "../adapters/CommandWorld.ts"
import { invalidValuesOf } from "../support/InvalidValues.ts"
import { cases } from "../support/Rounds.ts"
import { broken } from "../support/Sentences.ts"
import { withFresh } from "../support/Steps.ts"

interface UseCase {
  readonly name: string
  readonly service: ServiceKey
  readonly method: string
  readonly parts: Parts
  /** What it asks of its caller; undefined where it is for no organisation. */
  readonly asked: NonNullable<RequirementOf> | undefined
}

type Rows = Readonly<Record<string, { readonly requires: RequirementOf; readonly input: Parts }>>

const isRows = (value: unknown): value is Rows =>
  Predicate.isObject(value) &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((row) => Predicate.hasProperty(row, "input") && Array.isArray(row.input))

/** The methods that a module's service checks: more than its operations where it has others, too. */
const rowsOf = (module: object): Rows => {
  if (Predicate.hasProperty(module, "methods") && isRows(module.methods)) return module.methods
  return Object.values(module).find(isRows) ?? {}
}

const isKey = (value: unknown): value is ServiceKey => Context.isKey(value)

/** Every use case that says what it takes, as an Effect host finds it in the package. */
const useCases: ReadonlyArray<UseCase> = Object.entries(library).flatMap(([name, module]) => {
  const service: unknown = Reflect.get(module, name)
  return isKey(service)
    ? Object.entries(rowsOf(module)).map(([method, { input, requires }]) => ({
        name: `${name}.${method}`,
        service,
        method,
        parts: input,
        asked: requires ?? undefined
      }))
    : []
})

const declared = Object.values(operations).flatMap((group) =>
  Object.entries<AnyOperation>(group as never).map(([method, { service }]) => ({ method, service }))
)

/** Parameters that a list takes, and what a host may make of the query by hand. */
const spoiltQuery = (spec: Listing.ListSpec): fc.Arbitrary<unknown> =>
  fc
    .constantFrom<ReadonlyArray<readonly [string, string]>>([], [["limit", "5"]], [["starting_after", "a"]])
    .map((entries) => Result.getOrThrow(Listing.parse(spec, entries)))
    .chain((query) =>
      fc.constantFrom<unknown>(
        { ...query, limit: -5 },
        { ...query, limit: 1_000_000 },
        { ...query, limit: 1.5 },
        { ...query, limit: Number.NaN },
        { ...query, starting_after: 7 },
        { ...query, sort: { column: "secret_hash", descending: true } },
        { ...query, sort: { column: "1; DROP TABLE donors", descending: true } },
        { ...query, words: ["ada"] },
        { ...query, conditions: [{ column: "secret_hash", type: "text", operator: "gt", values: [""] }] },
        { ...query, conditions: [...query.conditions, { column: "a", type: "b", operator: "c", values: [] }] },
        { ...query, sent: { ...query.sent, filters: { no_such_filter: { eq: "a" } } } },
        { ...query, flags: { ...query.flags, no_such_flag: true } },
        {},
        null,
        "limit=5",
        undefined
      )
    )

const spoiltPart = (part: Part): fc.Arbitrary<unknown> =>
  part._tag === "Query" ? spoiltQuery(part.listing) : invalidValuesOf(part.schema)

const soundPart = (part: Part): fc.Arbitrary<unknown> =>
  part._tag === "Query"
    ? fc.constant(Result.getOrThrow(Listing.parse(part.listing, [])))
    : arbitraryOf(part.schema as unknown as Schema.Schema<unknown>)

/** Arguments of which one is spoilt. */
const hostileArguments = (parts: Parts): fc.Arbitrary<ReadonlyArray<unknown>> =>
  fc.nat(parts.length - 1).chain((at) => fc.tuple(...parts.map((part, n) => (n === at ? spoiltPart : soundPart)(part))))

const [someone] = fc.sample(organisation, { numRuns: 1, seed: 1 })

const caller: Caller = {
  organisation: { ...(someone ?? assert.fail("no organisation")), plan: "ENTERPRISE" },
  actor: { type: "SYSTEM", id: "host" },
  scope: "WRITE",
  request_id: "req"
}

const called = Effect.fnUntraced(function* (
  { method, service }: UseCase,
  args: ReadonlyArray<unknown>,
  by: unknown = caller
) {
  const use = Context.getUnsafe(yield* Effect.context<never>(), service)
  const call: unknown = Reflect.get(Object(use), method)
  if (!Predicate.isFunction(call)) return assert.fail(`${method} is no method`)
  const running = call.call(use, ...(args as ReadonlyArray<never>)) as unknown as Effect.Effect<unknown, unknown, never>
  return yield* Effect.exit(Effect.provideService(running, CurrentCaller, by as Caller))
})

const throwing = {
  get organisation(): never {
    throw new Error("no")
  }
}

/** What a host may take for a caller that it made by itself. */
const noCallers: ReadonlyArray<unknown> = [
  null,
  {},
  "ada",
  7,
  throwing,
  { ...caller, scope: "ADMIN" },
  { ...caller, scope: undefined },
  { ...caller, organisation: {} },
  { ...caller, organisation: "riverside" },
  { ...caller, organisation: { ...caller.organisation, id: "org_1" } },
  { ...caller, organisation: { ...caller.organisation, plan: "ALL" } },
  { ...caller, organisation: { ...caller.organisation, timezone: 7 } },
  { ...caller, actor: null },
  { ...caller, actor: { type: "ROOT", id: "ada" } },
  { ...caller, actor: { type: "USER", id: "" } },
  { ...caller, actor: { type: "USER", id: "a\u0000b" } },
  { ...caller, actor: { type: "USER", id: "x".repeat(256) } },
  { ...caller, request_id: "" },
  { ...caller, request_id: "\ud800" },
  { ...caller, request_id: 7 }
]

/** Whoever may not do what is asked, whatever the arguments. */
const unpermitted = (asked: NonNullable<RequirementOf>): ReadonlyArray<Caller> => {
  const actor = { type: "API_KEY", id: "ak_1" } as const
  const organisation = { ...caller.organisation, plan: "FREE" } as const
  return [
    ...(asked.scope === "WRITE" ? [{ ...caller, scope: "READ" } as const] : []),
    ...(asked.who === "operator" ? [{ ...caller, actor }] : asked.plan === "FREE" ? [] : [{ ...caller, organisation }])
  ]
}

const failureOf = (exit: Exit.Exit<unknown, unknown>): unknown => {
  const [reason, ...more] = Exit.isFailure(exit) ? exit.cause.reasons : []
  return more.length === 0 && reason?._tag === "Fail" ? reason.error : reason
}

const stored = Effect.flatMap(Memory, (memory) => memory.read((state) => state))

/** A value after a trip through JSON; undefined for what makes none. */
const asJson = (given: unknown): unknown => {
  try {
    const text: string | undefined = JSON.stringify(given)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const refusals = new Set(["InvalidInput", "MalformedInput", "NotFound"])

const { effect } = withFresh(world)

describe("the service of a use case, called by a host", () => {
  effect("says of every method what it takes", function* () {
    const context = yield* Effect.context<never>()
    assert.isAbove(useCases.length, 90)
    for (const service of new Set(declared.map((each) => each.service))) {
      const members = Object.entries(Object(Context.getUnsafe(context, service)))
      const methods = members.flatMap(([name, member]) => (Predicate.isFunction(member) ? [name] : []))
      const effects = members.flatMap(([name, member]) => (Effect.isEffect(member) ? [name] : []))
      const said = useCases
        .filter((each) => each.service === service && !effects.includes(each.method))
        .map(({ method }) => method)
      assert.sameMembers(said, methods, service.key)
    }
  })

  for (const useCase of useCases.filter(({ parts }) => parts.length > 0)) {
    effect(`refuses what ${useCase.name} does not take, and writes nothing`, function* () {
      const before = yield* stored
      for (const args of fc.sample(hostileArguments(useCase.parts), { numRuns: cases(60), seed: 7 })) {
        const failure = failureOf(yield* called(useCase, args))
        assert.isTrue(Predicate.hasProperty(failure, "_tag") && refusals.has(String(failure._tag)), String(failure))
        assert.isTrue(failure instanceof Error, String(failure))
        assert.isNull(broken(String(Reflect.get(Object(failure), "message"))), String(failure))
        if (Predicate.isTagged(failure, "InvalidInput")) assert.notStrictEqual(Reflect.get(failure, "param"), "")
      }
      assert.strictEqual(yield* stored, before)
    })
  }

  const ofCallers = useCases.flatMap(({ asked, ...useCase }) =>
    asked === undefined ? [] : [{ asked, useCase: { ...useCase, asked } }]
  )

  effect("refuses a caller that is none, before anything else, and writes nothing", function* () {
    const before = yield* stored
    assert.isAbove(ofCallers.length, 70)
    for (const { useCase } of ofCallers) {
      const args = useCase.parts.map(soundPart)
      const [sound] = fc.sample(fc.tuple(...args), { numRuns: 1, seed: 7 })
      const all = [sound ?? [], args.map(() => undefined)]
      for (const by of noCallers) {
        for (const given of all) {
          const failure = failureOf(yield* called(useCase, given, by))
          assert.isTrue(Predicate.isTagged(failure, "MalformedInput"), `${useCase.name}: ${failure}`)
          assert.include(String(Reflect.get(Object(failure), "message")), "almoner.caller")
        }
      }
    }
    assert.strictEqual(yield* stored, before)
  })

  effect("refuses who may not do it before it says anything of the arguments", function* () {
    const before = yield* stored
    let asked = 0
    for (const one of ofCallers) {
      for (const by of unpermitted(one.asked)) {
        const hostile =
          one.useCase.parts.length === 0
            ? [[]]
            : fc.sample(hostileArguments(one.useCase.parts), { numRuns: 5, seed: 7 })
        for (const args of hostile) {
          asked += 1
          const failure = failureOf(yield* called(one.useCase, args, by))
          assert.isTrue(Predicate.isTagged(failure, "Forbidden"), `${one.useCase.name}: ${failure}`)
        }
      }
    }
    assert.isAbove(asked, 200)
    assert.strictEqual(yield* stored, before)
  })

  it("takes what its schemas make", () => {
    for (const { name, parts } of useCases) {
      for (const part of parts) {
        if (part._tag !== "Body") continue
        const read = hostReader(decoder(Schema.toType(part.schema as unknown as Schema.Codec<unknown>)))
        for (const given of fc.sample(soundPart(part), { numRuns: 40, seed: 7 })) {
          const taken = read(given)
          assert.isTrue(Result.isSuccess(taken), `${name}: ${Result.isFailure(taken) && taken.failure.message}`)
        }
      }
    }
  })

  it("refuses in the same words as the API does", () => {
    let compared = 0
    for (const { name, parts } of useCases) {
      for (const part of parts) {
        if (part._tag !== "Body") continue
        const schema = part.schema as unknown as Schema.Codec<unknown, unknown>
        const json = Schema.toCodecJson(schema)
        const ofHost = hostReader(decoder(Schema.toType(schema)))
        const ofApi = decoder(json)
        // What is an instant here is a text there.
        const encode = Schema.encodeUnknownOption(json)
        const isJson = (value: unknown) => isDeepStrictEqual(Option.getOrNull(encode(value)), value)
        if (!fc.sample(soundPart(part), { numRuns: 20, seed: 1 }).every(isJson)) continue
        for (const given of fc.sample(spoiltPart(part), { numRuns: cases(60), seed: 3 })) {
          const sent = asJson(given)
          if (sent === undefined || !isDeepStrictEqual(sent, given)) continue
          compared += 1
          assert.deepStrictEqual(ofHost(sent), ofApi(sent), name)
        }
      }
    }
    assert.isAbove(compared, 100)
  })

  effect("takes an undefined field as one that is left out, and works on a copy", function* () {
    const create = useCases.find(({ name }) => name === "Donors.create") ?? assert.fail("Donors.create")
    const given = { first_name: "Ada", last_name: "Lovelace", donor_type: "INDIVIDUAL", email: undefined }
    const exit = yield* called(create, [given])
    assert.isTrue(Exit.isSuccess(exit), String(exit))
    assert.deepStrictEqual(Object.keys(given), ["first_name", "last_name", "donor_type", "email"])
  })

  effect("refuses an input that cannot be read", function* () {
    const create = useCases.find(({ name }) => name === "Donors.create") ?? assert.fail("Donors.create")
    const throwing = {
      get first_name(): string {
        throw new Error("no")
      }
    }
    const endless: { inner?: unknown } = {}
    endless.inner = endless
    for (const given of [throwing, endless, new Proxy({}, { ownKeys: () => assert.fail("no") })]) {
      const failure = failureOf(yield* called(create, [given]))
      assert.isTrue(Predicate.isTagged(failure, "MalformedInput"), String(failure))
    }
  })
})
