import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectTypeOf } from "vitest"
import type { AnyOperation } from "../../src/app/access/operation/Operation.ts"
import type { Forbidden, InvalidInput, MalformedInput, NotFound } from "../../src/domain/kernel/Rejection.ts"
import { Almoner, type AlmonerUnavailable, type Attempt, type CallerApi, type DonationId } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { eachOperation } from "../../src/printing/Vocabulary.ts"
import { root } from "../architecture/Checkout.ts"

/** What the face offers in another way: `authenticate`, `dispatch`, `events.subscribe`, `renew`, `sendMails`, `settle`, `sweep`, `workers`. */
const elsewhere = /^(?:Authentication|Dispatcher|Distributor|EventHandlers|Mailer|Recounter|Renewer|Settler|Sweeper)$/

/** The methods of the use cases of an `Almoner`, `Donors.create`: one service for each file of src/app. */
const useCases = (almoner: Almoner): ReadonlyArray<string> =>
  readdirSync(join(root, "src/app"), { recursive: true, encoding: "utf8" }).flatMap((path) => {
    const [, name = ""] = /^\w+\/(\w+)\.ts$/.exec(path) ?? []
    const service: unknown = almoner.services.mapUnsafe.get(`almoner/app/${name}`)
    if (name === "" || elsewhere.test(name)) return []
    return Object.keys(Object(service)).map((method) => `${name}.${method}`)
  })

/** Parts of use cases that only the HTTP pipeline calls, and a worker. */
const ofPipeline = /\.(?:prepare[A-Z].*|createKeyed)$|^Reconciler\.run$/

/** The method of its use case that an operation runs. */
const runBy = ({ run, service }: AnyOperation): ReadonlyArray<string> => {
  const used: Array<string> = []
  const use = new Proxy(
    {},
    {
      get: (_, method) => {
        used.push(`${service.key.replace("almoner/app/", "")}.${String(method)}`)
        return () => Effect.void
      }
    }
  )
  run(use)
  return used
}

describe("the promise face", () => {
  it("offers every method of every use case, each once", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const methods = useCases(almoner)
    assert.isNotEmpty(methods)
    assert.sameMembers(
      eachOperation().flatMap(([, , operation]) => runBy(operation)),
      methods.filter((each) => !ofPipeline.test(each))
    )
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
    expectTypeOf<FailureOf<ReturnType<CallerApi["donors"]["create"]>>>().toEqualTypeOf<
      InvalidInput | MalformedInput | Forbidden | AlmonerUnavailable
    >()
    expectTypeOf<CallerApi>().not.toHaveProperty("apiKeys")
    expectTypeOf<CallerApi["organisations"]>().not.toHaveProperty("create")
    expectTypeOf<Parameters<CallerApi["donations"]["create"]>[0]["donation_type"]>().toEqualTypeOf<
      "MONETARY" | "IN_KIND"
    >()
    expectTypeOf<Parameters<Almoner["within"]>[0]>().toEqualTypeOf<never>()
  })
})
