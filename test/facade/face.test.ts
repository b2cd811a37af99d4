import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { expectTypeOf } from "expect-type"
import { operations } from "../../src/app/Operations.ts"
import type { Forbidden, InvalidInput, MalformedInput, NotFound } from "../../src/domain/kernel/Rejection.ts"
import { Almoner, type AlmonerUnavailable, type Attempt, type BoundFace, type DonationId } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { root } from "../architecture/Checkout.ts"

/** What the face offers in another way: `authenticate`, `dispatch`, `events.subscribe`, `sendMails`, `sweep`, `workers`. */
const elsewhere = /^(?:Authentication|Dispatcher|EventHandlers|Mailer|Sweeper)$/

/** The services of use cases that an `Almoner` has, by the names of their properties: one for each file of src/app. */
const useCases = (almoner: Almoner): ReadonlyArray<readonly [name: string, methods: ReadonlyArray<string>]> =>
  readdirSync(join(root, "src/app"), { recursive: true, encoding: "utf8" }).flatMap((path) => {
    const [, name = ""] = /^\w+\/(\w+)\.ts$/.exec(path) ?? []
    const service: unknown = almoner.services.mapUnsafe.get(`almoner/app/${name}`)
    if (name === "" || elsewhere.test(name)) return []
    return [[name.charAt(0).toLowerCase() + name.slice(1), Object.keys(Object(service))] as const]
  })

/** Parts of use cases that only the HTTP pipeline calls. */
const ofPipeline = /^(?:prepare[A-Z].*|recordKeyed)$/

describe("the promise face", () => {
  it("offers every method of every use case", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const found = useCases(almoner)
    assert.sameMembers(
      Object.keys(operations),
      found.map(([name]) => name)
    )
    for (const [name, methods] of found) {
      const offered = Object.entries(operations).find(([group]) => group === name)?.[1] ?? {}
      const wanted = methods.filter((each) => !ofPipeline.test(each))
      assert.sameMembers(Object.keys(offered), wanted, name)
    }
    await almoner.close()
  })

  it("has the types of its use cases: wire values, and failures from their error channels", () => {
    type Read = Almoner["donations"]["read"]
    type ReadFailure = NotFound | Forbidden | MalformedInput | AlmonerUnavailable
    expectTypeOf<Parameters<Read>[1]>().toEqualTypeOf<DonationId>()
    expectTypeOf<Awaited<ReturnType<Read>>["created_at"]>().toEqualTypeOf<string>()
    expectTypeOf<ReturnType<Read>>().toExtend<Attempt<{ readonly id: string }, ReadFailure>>()
    type FailureOf<A> = A extends Attempt<unknown, infer E> ? E : never
    expectTypeOf<FailureOf<ReturnType<Read>>>().toEqualTypeOf<ReadFailure>()
    expectTypeOf<FailureOf<ReturnType<BoundFace["donors"]["create"]>>>().toEqualTypeOf<
      InvalidInput | MalformedInput | Forbidden | AlmonerUnavailable
    >()
    expectTypeOf<BoundFace>().not.toHaveProperty("apiKeys")
    expectTypeOf<BoundFace["organisations"]>().not.toHaveProperty("create")
    expectTypeOf<Parameters<BoundFace["donations"]["record"]>[0]["donation_type"]>().toEqualTypeOf<
      "MONETARY" | "IN_KIND"
    >()
    expectTypeOf<Parameters<Almoner["within"]>[0]>().toEqualTypeOf<never>()
  })
})
