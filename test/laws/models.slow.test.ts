import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Almoner, type Options } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { postgres } from "../../src/postgres.ts"
import { machines } from "../../src/printing/ReferenceMachines.ts"
import { Mappings, Models, Mutants, Subjects } from "../../src/testing.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { cases, rounds } from "../support/Rounds.ts"
import { live } from "../support/Steps.ts"

type Driven = Mappings.ServiceUnderTest

const keys = `test:${Buffer.alloc(32, 7).toString("base64")}`

/** Has a body drive a service, which is closed then. */
const driving = async <A, C>(backend: Options<C>["backend"], body: (driven: Driven) => Promise<A>): Promise<A> => {
  const clock = new Mappings.Clock()
  const almoner = await Almoner.open({ backend, clock: clock.now, keys })
  try {
    return await body({ almoner, clock })
  } finally {
    await almoner.close()
  }
}

const {
  apiKeys,
  checkoutLinks,
  consentPrompts,
  consumedEvents,
  contactLogs,
  donationForms,
  donations,
  donors,
  introductions,
  recipientAccounts,
  recommendationSets,
  refunds,
  revenueCodes,
  webhookEndpoints
} = Mappings

interface Mapped {
  readonly name: string
  readonly run: (driven: Driven, runs: number) => Promise<Models.Tally>
  /** Commands that never can be refused. */
  readonly neverRefused?: ReadonlyArray<string>
  /** Commands that never can be accepted. */
  readonly neverAccepted?: ReadonlyArray<string>
  /** Whether only a store by the test's clock can be driven. */
  readonly onlyInMemory?: boolean
}

const seed = 1

/** Runs scripts on the model that a mapping makes of a service. */
const running =
  <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
    mapping: (driven: Driven) => Models.Model<State, Status, Command, Event>
  ): Mapped["run"] =>
  (driven, runs) =>
    Models.run({ ...mapping(driven), runs, seed })

const mapped: ReadonlyArray<Mapped> = [
  { name: "donations", run: running(donations) },
  { name: "donors", run: running(donors), neverRefused: ["Archive"] },
  { name: "donation forms", run: running(donationForms), neverRefused: ["Archive"] },
  { name: "checkout links", run: running(checkoutLinks), neverRefused: ["Archive", "Expire"] },
  { name: "introductions", run: running(introductions), neverRefused: ["Open", "Expire"] },
  { name: "API keys", run: running(apiKeys), neverRefused: ["Revoke"] },
  { name: "contact logs", run: running(contactLogs), neverRefused: ["Delete"] },
  { name: "consent prompts", run: running(consentPrompts), neverRefused: ["Archive"] },
  { name: "revenue codes", run: running(revenueCodes), neverRefused: ["Archive"] },
  { name: "webhook endpoints", run: running(webhookEndpoints), neverRefused: ["Delete"] },
  { name: "refunds", run: running(refunds), neverAccepted: ["Succeed"] },
  {
    name: "recipient accounts",
    run: running(recipientAccounts),
    neverRefused: ["Deactivate", "Introduce", "Reactivate", "Rename"]
  },
  { name: "recommendation sets", run: running(recommendationSets), neverRefused: ["Archive"] },
  { name: "consumed events", run: running(consumedEvents), neverRefused: ["Retry", "Handle"], onlyInMemory: true }
]

const inDatabases = mapped.filter(({ onlyInMemory }) => onlyInMemory !== true)

/** Machines whose commands nobody outside can give: they wait for money that comes in, or for the console. */
const withoutCaller = ["Campaign", "Disclosure", "Recommendation set payment", "Transfer"]

/**
 * Whose commands are what receivers and processors answer, and what follows from that: `test/conformance` walks every row,
 * `test/app/Settling`, `test/app/Subscriptions` and `chaos` the rest.
 */
const ofWorkers = [
  "Webhook delivery",
  "Charge",
  "Dispute",
  "Payment exception",
  "Notice",
  "Subscription",
  "Invoice",
  "Mandate",
  "Transfer attempt"
]

describe("Almoner beside its machines", () => {
  it("has a mapping for every bundled machine, or a reason for none", async () => {
    const clock = new Mappings.Clock()
    await using almoner = await Almoner.open({ backend: memory(), clock: clock.now, keys })
    const names = Object.values(Mappings).flatMap((made) =>
      made === Mappings.Clock ? [] : [(made as typeof donors)({ almoner, clock }).machine.name]
    )
    assert.lengthOf(names, mapped.length)
    const bundled = machines.map(({ name }) => name)
    assert.sameMembers([...names, ...withoutCaller, ...ofWorkers], bundled)
  })

  it.each(mapped)(
    "in memory: $name, every command accepted and refused",
    async ({ neverAccepted = [], neverRefused = [], run }) => {
      const tally = await driving(memory(), (driven) => run(driven, 60 * rounds))
      for (const [tag, { accepted, refused }] of Object.entries(tally)) {
        assert.strictEqual(accepted === 0, neverAccepted.includes(tag), tag)
        assert.strictEqual(refused === 0, neverRefused.includes(tag), tag)
      }
    }
  )

  it("in the embedded database", async () => {
    await driving(pglite(), async (driven) => {
      for (const { run } of inDatabases) await run(driven, cases(6) * rounds)
    })
  })

  live("in PostgreSQL", function* () {
    const url = Redacted.value(yield* freshUrl)
    yield* Effect.promise(() =>
      driving(postgres({ url, maxConnections: 2 }), async (driven) => {
        for (const { run } of inDatabases) await run(driven, cases(6) * rounds)
      })
    )
  })
})

type Change = (calls: Mappings.Calls) => Mappings.Calls

/** What is said of donors in a service with a mistake. */
const saidOf = (change: Change): Promise<unknown> =>
  driving(memory(), ({ almoner, clock }) => {
    const mistaken = { ...almoner, as: (caller: Parameters<typeof almoner.as>[0]) => change(almoner.as(caller)) }
    return Models.run({ ...donors({ almoner: mistaken, clock }), runs: 100, seed: 1 }).then(
      () => null,
      (cause: unknown) => cause
    )
  })

const donorsWith =
  (mistake: (own: Mappings.Calls["donors"]) => Partial<Mappings.Calls["donors"]>): Change =>
  (calls) => ({ ...calls, donors: { ...calls.donors, ...mistake(calls.donors) } })

const eventsWith =
  (mistake: (told: ReadonlyArray<Models.ModelEvent>) => ReadonlyArray<Models.ModelEvent>): Change =>
  (calls) => ({
    ...calls,
    events: {
      async *all(query: object) {
        const told: Array<Models.ModelEvent> = []
        for await (const event of calls.events.all(query)) told.push(event)
        yield* mistake(told)
      }
    }
  })

const mistakes: ReadonlyArray<readonly [name: string, mistake: Change, said: RegExp, step: number]> = [
  [
    "does nothing",
    donorsWith(({ read }) => ({ archive: read })),
    /"Archive".* (updated|archived)_at is .* in the service/,
    1
  ],
  [
    "does it twice",
    donorsWith(({ archive }) => ({ archive: (id) => archive(id).then(() => archive(id)) })),
    /has told \[donor.created, donor.archived, donor.archived\] in the service/,
    1
  ],
  [
    "accepts what is refused",
    donorsWith(({ read, update }) => ({ update: (id, input) => update(id, input).catch(() => read(id)) })),
    /is accepted by the service and refused with \w+ by the machine/,
    2
  ],
  [
    "merges nothing",
    donorsWith(({ read }) => ({ merge: (id) => read(id) })),
    /"Merge".* (\w+ is .* in the service and .* in the machine|is accepted by the service and refused)/,
    1
  ],
  [
    "refuses what is accepted",
    donorsWith(() => ({ archive: () => Promise.reject(Object.assign(new Error(), { _tag: "Forbidden" })) })),
    // What prepares a merge archives, too.
    /is refused with Forbidden by the service and accepted by the machine|"Merge".* cannot be prepared/,
    1
  ],
  [
    "refuses with another tag",
    donorsWith(({ update }) => ({
      update: (id, input) => update(id, input).catch(() => Promise.reject({ _tag: "NotFound" }))
    })),
    /is refused with NotFound by the service and refused with \w+ by the machine/,
    2
  ],
  [
    "fails",
    donorsWith(() => ({ update: () => Promise.reject(new Error("the line is cut")) })),
    /fails in the service: the line is cut/,
    1
  ],
  ["loses events", eventsWith((told) => told.slice(0, 1)), /in the service and \[donor.created, donor\.\w+\]/, 1],
  ["tells late events first", eventsWith((told) => told.toReversed()), /has told \[donor\.\w+, donor.created\]/, 1],
  [
    "tells other data",
    eventsWith((told) =>
      told.map((event) => ({ ...event, data: { ...Object(event.data), email: "kim@example.org" } }))
    ),
    /event 1, donor.created: email is "kim@example.org" in the service and null in the machine/,
    0
  ]
]

describe("a service that is not its machine", () => {
  it.each(mistakes)("%s: script, step and difference are told, shrunk", async (_, mistake, said, step) => {
    const broken = await saidOf(mistake)
    if (!(broken instanceof Models.ModelBroken)) return assert.fail(`${broken}`)
    assert.match(broken.message, said)
    assert.match(broken.message, /^Donor: the service is not the machine, step \d\.\n\nACTIVE \{/)
    assert.match(broken.message, /Seed -?\d+, \d+ shrinks\.$/)
    assert.isAtMost(broken.step, step)
    assert.isBelow(broken.message.length, 900)
    assert.match(broken.message, /ACTIVE \{"id":"dnr_.*\} and \d+ other fields/, "a record has the fields that matter")
    const says = /Row \w+: .*→|by the machine: [A-Z].*\.|step 0/
    assert.match(broken.message, says, "what the machine does is said by its row, or why it refuses by its sentence")
  })

  /** What no use case can show: a gift is recorded CONFIRMED, and the amount decides between part and rest. */
  const beyondUseCases = [
    "RefundPart: from with PENDING",
    "RefundPart: from with FAILED",
    "RefundRest: from with PENDING",
    "RefundRest: from with REFUNDED",
    "RefundRest: from with FAILED",
    "RefundRest: guard dropped"
  ]

  /** Bounds to one cent, and events that are too many, are for the laws: these draw amounts, and hold what is told to the data. */
  const isForUseCases = (operator: Mutants.Operator, change: string) =>
    ["from", "to", "guard", "patch"].includes(operator) || change.startsWith("emits without")

  it("is noticed by every mistake in a row that use cases reach", () =>
    driving(memory(), async (driven) => {
      const model = donations(driven)
      const alive: Array<string> = []
      for (const { change, machine, operator, row } of Mutants.of(model.machine, Subjects.donations)) {
        if (!row.startsWith("Refund") || !isForUseCases(operator, change)) continue
        const tally = await Models.run({ ...model, machine, runs: 40, seed: 1 }).catch((cause: unknown) => cause)
        if (!(tally instanceof Models.ModelBroken)) alive.push(`${row}: ${change}`)
      }
      assert.deepStrictEqual(alive, beyondUseCases)
    }))
})
