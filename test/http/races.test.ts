import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import type { Answer } from "../support/Answer.ts"
import { guardedOperations, writes } from "../support/Declaration.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { hostileRequests } from "../support/Rounds.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory, server } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"
import { exampleTime, type Ids, populate, requestTo, sitesOf } from "../support/World.ts"

/** Generated races; `HOSTILE_REQUESTS` asks for more. */
const races = Math.ceil(hostileRequests / 150)

interface Request {
  readonly method: string
  readonly path: string
  readonly json?: unknown
}

/** Requests that are made at the same moment, after others that are made one after the other. */
interface Race {
  readonly before?: (ids: Ids) => ReadonlyArray<Request>
  /** `made` are the ids of what was made before. */
  readonly at: (ids: Ids, made: ReadonlyArray<string>) => ReadonlyArray<Request>
}

const differing = /\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b|charity-\d+/g
const random = /("secret_last4":")[^"]*|(?=[\w-]*[A-Z])[\w-]{20,}/g
/** A replay is due by the store's clock, which is no test's. */
const dueByStore = /("next_attempt_at":")[^"]*(?=","replay_of":")/g

/** A text in which the records that were there before have names, and new ones none. */
const common = (text: string, ids: Ids): string => {
  const names = new Map([...ids].map(([prefix, id]) => [id, `first ${prefix}`]))
  return text
    .replaceAll(differing, (id, prefix = "slug") => names.get(id) ?? `another ${prefix}`)
    .replaceAll(dueByStore, (_, field: string) => `${field}the store's time`)
    .replaceAll(random, (_, field = "") => `${field}random`)
}

/** Everything that a tenant can read at the end; lists without their order, as records of one moment have none. */
const stateOf = async (tenant: Tenant, ids: Ids): Promise<string> => {
  const lines: Array<string> = []
  for (const operation of guardedOperations.filter(({ method }) => method === "GET")) {
    const { path } = requestTo(operation, ids)
    const answer = await tenant.writer.get(operation.list === undefined ? path : `${path}?limit=100`, {
      "x-request-id": "end"
    })
    const rows = answer.status === 200 && operation.list !== undefined ? answer.listAt("data") : [answer.at("")]
    lines.push(...rows.map((row) => `${operation.name} ${common(JSON.stringify(row), ids)}`).toSorted())
  }
  return lines.join("\n")
}

const send = (tenant: Tenant, { json, method, path }: Request) => tenant.writer.request(method, path, { json })

type Run = (tenant: Tenant, requests: ReadonlyArray<Request>) => Promise<ReadonlyArray<Answer>>

/** The outcome of a race in a new organisation: each request's answer, and what is left. */
const outcomeOf = async (service: Service, race: Race, run: Run): Promise<string> => {
  service.pace = 10
  const tenant = await makeTenant(service)
  const ids = await populate(service, tenant)
  const made: Array<string> = []
  for (const request of race.before?.(ids) ?? []) {
    const answer = await send(tenant, request)
    assert.isBelow(answer.status, 500, answer.text)
    if (answer.status === 201) made.push(answer.textAt("id"))
  }
  service.clock.advance(2_000)
  service.pace = 0
  const answers = await run(tenant, race.at(ids, made))
  service.pace = 10
  const told = answers.map((answer) => common(`${answer.status} ${answer.text}`, ids).replace(/"message":"[^"]*"/, ""))
  return [...told, await stateOf(tenant, ids)].join("\n")
}

const permutations = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length < 2
    ? [all]
    : all.flatMap((first, index) => permutations(all.toSpliced(index, 1)).map((rest) => [first, ...rest]))

const inOrder =
  (order: ReadonlyArray<number>): Run =>
  async (tenant, requests) => {
    const answers: Array<Answer> = []
    for (const index of order) {
      const request = requests[index]
      if (request !== undefined) answers[index] = await send(tenant, request)
    }
    return answers
  }

const atOnce: Run = (tenant, requests) => Promise.all(requests.map((request) => send(tenant, request)))

const post = (path: string, json?: unknown): Request => ({ method: "POST", path, json })
const patch = (path: string, json: unknown): Request => ({ method: "PATCH", path, json })
const remove = (path: string): Request => ({ method: "DELETE", path })
const times = <A>(count: number, make: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => make(n))

const donor = (ids: Ids) => `/donors/${ids.get("dnr")}`
const donation = (ids: Ids) => `/donations/${ids.get("don")}`
const endpoint = (n: number) =>
  post("/webhook-endpoints", { url: `https://hooks.example.org/${n}`, event_types: eventTypes.slice(0, 1) })
const gift = (ids: Ids) =>
  post("/donations", {
    donor_id: ids.get("dnr"),
    donation_type: "MONETARY",
    amount_cents: 100,
    donation_date: "2026-01-01"
  })

const harvest = (ids: Ids) => ({
  name: "Harvest",
  allocations: [{ recipient_org_account_link_id: ids.get("roal"), amount_cents: 1 }]
})

const wrong = post("/recipient-accounts", { passphrase: "gravel tiptop outlet zebra unmasked wrong" })

const named: Readonly<Record<string, Race>> = {
  "two PATCHes of one donor": {
    at: (ids) => [patch(donor(ids), { first_name: "Grace" }), patch(donor(ids), { last_name: "Hopper" })]
  },
  "archiving a donor, and gifts": { at: (ids) => [remove(donor(ids)), gift(ids), gift(ids)] },
  "archiving a donor, a PATCH and a log": {
    at: (ids) => [
      remove(donor(ids)),
      patch(donor(ids), { first_name: "Grace" }),
      post(`${donor(ids)}/contact-logs`, { contact_method: "PHONE" })
    ]
  },
  "a merge, a gift to each and the duplicate's PATCH": {
    before: () => [post("/donors", { first_name: "Ada", phone: "1" })],
    at: (ids, [duplicate = ""]) => [
      post(`${donor(ids)}/merge`, { duplicate_donor_id: duplicate }),
      gift(new Map([["dnr", duplicate]])),
      patch(`/donors/${duplicate}`, { occupation: "Baker" })
    ]
  },
  "two donors merged into each other": {
    before: () => [post("/donors", { first_name: "Ada", phone: "1" })],
    at: (ids, [other = ""]) => [
      post(`${donor(ids)}/merge`, { duplicate_donor_id: other }),
      post(`/donors/${other}/merge`, { duplicate_donor_id: ids.get("dnr") })
    ]
  },
  "a slug that a new set and another one want": {
    at: (ids) => [
      post("/recommendation-sets", { ...harvest(ids), slug: "prize" }),
      patch(`/recommendation-sets/${ids.get("rset")}`, { slug: "prize" })
    ]
  },
  "the tenth failed passphrase": {
    before: () => times(Limits.passphraseFailures - 1, () => wrong),
    at: () => [wrong, wrong, wrong]
  },
  "two refunds of what is left": {
    at: (ids) => [post(`${donation(ids)}/refund`, {}), post(`${donation(ids)}/refund`, {})]
  },
  "two replays of one delivery": {
    at: (ids) => times(2, () => post(`/webhook-deliveries/${ids.get("dlv")}/replay`))
  },
  "the 20th endpoint": {
    // Two were made with everything else.
    before: () => times(Limits.webhookEndpoints - 3, endpoint),
    at: () => [endpoint(100), endpoint(100)]
  },
  "the 50th introduction": {
    before: () =>
      times(Limits.introductionsPending - 2, (n) => post("/introductions", { invitee_email: `a${n}@example.org` })),
    at: () => [
      post("/introductions", { invitee_email: "b@example.org" }),
      post("/introductions", { invitee_email: "b@example.org" })
    ]
  },
  "deactivating a link, and a set on it": {
    at: (ids) => [remove(`/recipient-accounts/${ids.get("roal")}`), post("/recommendation-sets", harvest(ids))]
  },
  "changing, cancelling and archiving a checkout link": {
    at: (ids) => [
      patch(`/checkout-links/${ids.get("chk")}`, { amount_cents: 7 }),
      post(`/checkout-links/${ids.get("chk")}/cancel`),
      remove(`/checkout-links/${ids.get("chk")}`)
    ]
  }
}

const writing = guardedOperations.filter(
  (operation) => writes(operation) && operation.operation !== "recipient_accounts.link"
)

const kindsOf = (operation: (typeof guardedOperations)[number]): ReadonlyArray<string> => [
  ...operation.ids.map(([, prefix]) => prefix),
  ...sitesOf(operation).map(({ prefix }) => prefix)
]

/** Two operations that concern a record of one kind, and so the same record. */
const pairs = writing.flatMap((one, index) =>
  writing
    .slice(index)
    .filter((other) => kindsOf(one).some((kind) => kindsOf(other).includes(kind)))
    .map((other) => [one, other] as const)
)

const generated = fc.constantFrom(...pairs).map(
  (pair): Race => ({
    at: (ids) =>
      pair.map((operation) => {
        const { path, sent } = requestTo(operation, ids)
        return { method: operation.method, path, json: sent.json }
      })
  })
)

describe("requests at the same moment, on PostgreSQL", () => {
  let real: Service

  beforeAll(async () => {
    real = await startService({ stores: server })
    real.clock.advance(exampleTime - real.clock.now)
  })
  afterAll(() => real.stop())

  /**
   * The outcomes of a race when its requests are made one after the other, from the same moment on, in every order until one
   * ends as the race did.
   */
  const serial = async (race: Race, count: number, from: number, wanted: string): Promise<ReadonlyArray<string>> => {
    const outcomes: Array<string> = []
    for (const order of permutations(times(count, (n) => n))) {
      const model = await startService({ stores: memory })
      model.clock.advance(from - model.clock.now)
      outcomes.push(await outcomeOf(model, race, inOrder(order)))
      await model.stop()
      if (outcomes.at(-1) === wanted) break
    }
    return outcomes
  }

  const assertSerial = async (race: Race): Promise<void> => {
    const from = real.clock.now
    let count = 0
    const outcome = await outcomeOf(real, race, (tenant, requests) => {
      count = requests.length
      return atOnce(tenant, requests)
    })
    const possible = await serial(race, count, from, outcome)
    // The closest order is compared, so that a failure shows the difference.
    const statuses = (text: string) =>
      text
        .split("\n")
        .slice(0, count)
        .map((line) => line.slice(0, 3))
        .join()
    const closest = possible.find((each) => statuses(each) === statuses(outcome)) ?? possible[0]
    if (!possible.includes(outcome)) assert.strictEqual(outcome, closest)
  }

  for (const [name, race] of Object.entries(named)) {
    it(`${name}: the outcome is that of some order`, () => assertSerial(race))
  }

  it("of any two operations on one record the outcome is that of some order", async () => {
    await forEveryAsyncWith({ numRuns: races, endOnFailure: true }, generated, assertSerial)
    assert.deepStrictEqual(real.logs, [])
  }, 600_000)
})
