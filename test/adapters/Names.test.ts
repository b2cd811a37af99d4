import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Names } from "../../src/adapters/webhooks/Names.ts"
import type { Answer } from "../../src/adapters/webhooks/Resolver.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { fieldsOf } from "../support/Answer.ts"
import { forEveryAsync } from "../support/Property.ts"

interface Asked {
  readonly hostname: string
  readonly signal: AbortSignal
  readonly answer: (...answers: ReadonlyArray<string | Answer>) => void
  readonly fail: () => void
}

/** Names over a resolver that answers by hand, and a clock that is set by hand. */
const world = () => {
  const asked: Array<Asked> = []
  let now = 0
  const names = new Names(
    (hostname, signal) =>
      new Promise((resolve, reject) => {
        asked.push({
          hostname,
          signal,
          answer: (...answers) => resolve(answers),
          fail: () => reject(new Error("ENOTFOUND"))
        })
      }),
    () => now
  )
  const heard: Array<ReadonlyArray<string>> = []
  const ask = (hostname: string, organisation = "org_a") =>
    names.ask(organisation, hostname, (addresses) => heard.push(addresses))
  const underWay = () => asked.filter(({ signal }) => !signal.aborted)
  return { names, asked, ask, heard, underWay, wait: (seconds: number) => (now += seconds * 1_000) }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const timed = (ttl: number): Answer => ({ address: "8.8.8.8", ttl })

describe("a name", () => {
  it("is looked up once for all that ask at the same time, of whichever organisation", async () => {
    const { ask, asked, heard } = world()
    for (const organisation of ["org_a", "org_b", "org_a", "org_c"]) ask("one.example", organisation)
    assert.lengthOf(asked, 1)
    asked[0]?.answer("8.8.8.8", timed(9))
    await settled()
    assert.deepStrictEqual(
      heard,
      Array.from({ length: 4 }, () => ["8.8.8.8", "8.8.8.8"])
    )
  })

  it("is remembered for its time to live and never longer than the limit", () =>
    forEveryAsync(
      fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 100 }),
      async (ttls, after) => {
        const { ask, asked, wait } = world()
        ask("kept.example")
        asked[0]?.answer(...ttls.map(timed))
        await settled()
        wait(after)
        ask("kept.example")
        const known = ttls.every((ttl) => after < ttl) && after < Limits.webhookNameSeconds
        assert.lengthOf(asked, known ? 1 : 2)
      }
    ))

  it("that does not resolve is remembered for a few seconds, and one without an answer is not", async () => {
    const { ask, asked, heard, wait } = world()
    ask("unknown.example")
    asked[0]?.fail()
    ask("empty.example")
    asked[1]?.answer()
    await settled()
    wait(Limits.webhookNoNameSeconds - 0.001)
    ask("unknown.example")
    assert.lengthOf(asked, 2)
    assert.deepStrictEqual(heard, [[], [], []])
    ask("empty.example")
    wait(0.001)
    ask("unknown.example")
    assert.lengthOf(asked, 4)
  })

  it("with more addresses than anybody needs has none", async () => {
    const { ask, asked, heard } = world()
    const many = (count: number) => Array.from({ length: count }, () => timed(60))
    ask("many.example")
    asked[0]?.answer(...many(Limits.webhookAddresses))
    ask("too-many.example")
    asked[1]?.answer(...many(Limits.webhookAddresses + 1))
    await settled()
    assert.deepStrictEqual(fieldsOf(heard, "length"), [Limits.webhookAddresses, 0])
  })

  it("is forgotten when too many others were remembered since", async () => {
    const { ask, asked } = world()
    for (let count = 0; count <= Limits.webhookNames; count++) {
      ask(`${count}.example`)
      asked[count]?.answer(timed(60))
      await Promise.resolve()
      if (count % Limits.webhookLookups === 0) await settled()
    }
    await settled()
    const before = asked.length
    ask(`${Limits.webhookNames}.example`)
    assert.lengthOf(asked, before)
    ask("0.example")
    assert.lengthOf(asked, before + 1)
  })
})

describe("look-ups", () => {
  it("of one organisation are bounded, and leave places for the others", async () => {
    const { ask, asked, heard, underWay } = world()
    for (let count = 0; count < 50; count++) ask(`hangs-${count}.example`)
    assert.lengthOf(asked, Limits.webhookLookups)
    ask("healthy.example", "org_b")
    assert.strictEqual(asked.at(-1)?.hostname, "healthy.example")
    asked.at(-1)?.answer("8.8.8.8")
    await settled()
    assert.deepStrictEqual(heard, [["8.8.8.8"]])
    asked[0]?.fail()
    await settled()
    assert.lengthOf(underWay(), Limits.webhookLookups)
  })

  it("of all organisations are bounded", () => {
    const { ask, asked } = world()
    for (let organisation = 0; organisation < 100; organisation++) {
      for (let count = 0; count < 10; count++) ask(`${organisation}-${count}.example`, `org_${organisation}`)
    }
    assert.lengthOf(asked, Limits.webhookLookupsTotal)
  })

  it("that wait in one organisation's queue start with another's place", async () => {
    const { ask, asked, heard } = world()
    for (let count = 0; count < Limits.webhookLookups; count++) ask(`hangs-${count}.example`)
    ask("shared.example")
    ask("shared.example", "org_b")
    const shared = asked.filter(({ hostname }) => hostname === "shared.example")
    assert.lengthOf(shared, 1)
    shared[0]?.answer("8.8.8.8")
    await settled()
    assert.deepStrictEqual(heard, [["8.8.8.8"], ["8.8.8.8"]])
    // The queue that it left is not stopped by it.
    ask("next.example")
    asked[0]?.fail()
    await settled()
    assert.strictEqual(asked.at(-1)?.hostname, "next.example")
  })

  it("that nobody waits for any more end, whether under way or waiting", async () => {
    const { ask, asked, heard } = world()
    const stops = Array.from({ length: Limits.webhookLookups + 2 }, (_, count) => ask(`hangs-${count}.example`))
    const second = ask("hangs-0.example")
    stops[0]?.()
    assert.isFalse(asked[0]?.signal.aborted)
    second()
    assert.isTrue(asked[0]?.signal.aborted)
    assert.lengthOf(asked, Limits.webhookLookups + 1)
    stops[Limits.webhookLookups + 1]?.()
    stops[1]?.()
    stops[1]?.()
    assert.lengthOf(asked, Limits.webhookLookups + 1)
    for (const each of asked) each.answer("8.8.8.8")
    await settled()
    assert.lengthOf(heard, Limits.webhookLookups - 1)
  })

  it("end when names are closed: all that ask are told, and nothing more is asked", async () => {
    const { ask, asked, heard, names, underWay } = world()
    for (let count = 0; count < Limits.webhookLookups + 5; count++) ask(`hangs-${count}.example`)
    names.close()
    assert.lengthOf(heard, Limits.webhookLookups + 5)
    ask("later.example")
    assert.lengthOf(heard, Limits.webhookLookups + 6)
    for (const each of asked) each.answer("8.8.8.8")
    await settled()
    assert.isEmpty(underWay())
    assert.lengthOf(asked, Limits.webhookLookups)
    assert.deepStrictEqual(new Set(heard.map(({ length }) => length)), new Set([0]))
  })
})
