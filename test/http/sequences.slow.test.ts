import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Answer } from "../support/Answer.ts"
import { type DeclaredOperation, guardedOperations, writes } from "../support/Declaration.ts"
import { type Hostile, hostile } from "../support/Hostile.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { hostileRequests } from "../support/Rounds.ts"
import { type RequestParts, type Service, startService } from "../support/Service.ts"
import { embeddedStores, memory, type StoresLayer, server } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"
import { type Ids, populate, prefixOfName, readAll, requestTo } from "../support/World.ts"

/** Sequences of one kind of stores; `HOSTILE_REQUESTS` asks for more. */
const sequences = Math.ceil(hostileRequests / 150)

const stepsAtMost = 60

/** One of the services that are compared, with the records that it made, in the order of their making. */
interface Side {
  readonly service: Service
  readonly tenant: Tenant
  readonly first: Ids
  readonly known: ReadonlyMap<string, Array<string>>
  /** The replacements of ids and names of organisations, which differ between sides that agree. */
  readonly names: Map<string, string>
}

const differing = /\b[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}\b|charity-\d+/g

/** Secrets, what is drawn to be unguessable, and what the store's own clock says. */
const random = /("secret_last4":"|"next_attempt_at":")[^"]*|(?=[\w-]*[A-Z])[\w-]{20,}/g

/** An answer as any side would give it. */
const common = ({ names }: Side, text: string): string =>
  text
    .replaceAll(differing, (found) => {
      const name = names.get(found) ?? `#${names.size}`
      names.set(found, name)
      return name
    })
    .replaceAll(random, (_, field = "") => `${field}random`)

const begin = async (service: Service): Promise<Side> => {
  const tenant = await makeTenant(service)
  const first = await populate(service, tenant)
  const known = new Map([...first].map(([prefix, id]) => [prefix, [id]]))
  return { service, tenant, first, known, names: new Map() }
}

/** A query that names records of the side. */
const referring = ({ ids, list, path }: DeclaredOperation, known: Ids, pick: number): string => {
  const cursor = guardedOperations.find(
    (each) => each.ids.length === ids.length + 1 && each.path.startsWith(`${path}/:`)
  )
  const filters = Object.keys(list?.filters ?? {}).map((name) => [name, prefixOfName(name)] as const)
  const queries = [
    "limit=2",
    `starting_after=${known.get(cursor?.ids.at(-1)?.[1] ?? "")}`,
    ...filters.flatMap(([name, prefix = ""]) => (known.has(prefix) ? [`${name}=${known.get(prefix)}`] : []))
  ]
  return `?${queries[pick % queries.length]}`
}

/** A request that means no good, or one that does. */
interface Wanted extends Hostile {
  readonly isSound: boolean
}

const wanted: fc.Arbitrary<Wanted> = fc.tuple(hostile, fc.nat(4)).map(([request, n]): Wanted => {
  if (n === 0) return { ...request, isSound: false }
  const spoil: Hostile["spoil"] = writes(request.operation) ? (json) => ({ json }) : () => ({})
  return { ...request, isSound: true, method: request.operation.method, odd: undefined, query: "", spoil }
})

const requestOf = (side: Side, request: Wanted): { readonly path: string; readonly sent: RequestParts } => {
  const { isSound, odd, operation, pick, query, spoil } = request
  const ids = new Map([...side.known].map(([prefix, all]) => [prefix, all.at(-1 - (pick % all.length)) ?? ""]))
  const sound = requestTo(operation, ids).sent.json
  const text = isSound && operation.list !== undefined ? referring(operation, ids, pick) : query
  const last = operation.ids.at(-1)?.[1]
  if (odd !== undefined && last !== undefined) ids.set(last, odd)
  const spoilt = writes(operation) ? spoil(sound) : {}
  const { path } = requestTo(operation, ids)
  return { path: `${path}${text}`, sent: { ...spoilt, headers: { ...spoilt.headers, ...request.headers } } }
}

const perform = async (side: Side, request: Wanted): Promise<Answer> => {
  const { path, sent } = requestOf(side, request)
  const answer = await side.tenant.writer.request(request.method, path, request.method === "HEAD" ? {} : sent)
  const id = answer.status === 201 ? answer.at("id") : undefined
  if (typeof id === "string") side.known.get(id.slice(0, id.indexOf("_")))?.push(id)
  return answer
}

/** A request to both services: the one over memory says what the other must answer. */
class Step implements fc.AsyncCommand<Side, Side> {
  private readonly request: Wanted

  constructor(request: Wanted) {
    this.request = request
  }

  check() {
    return true
  }

  async run(model: Side, real: Side) {
    const expected = await perform(model, this.request)
    const answer = await perform(real, this.request)
    const seen = [expected, answer].map(({ status }) => status)
    assert.strictEqual(common(real, answer.text), common(model, expected.text), `${this} ${seen}`)
    assert.strictEqual(answer.status, expected.status, `${this}`)
  }

  toString() {
    const { method, operation, pick, query } = this.request
    return `${operation.name} ${method} ${pick}${query}`
  }
}

const suite = (name: string, stores: StoresLayer) =>
  describe(`sequences over ${name}`, () => {
    let model: Service
    let real: Service

    beforeAll(async () => {
      model = await startService({ stores: memory })
      real = await startService({ stores })
    })
    afterAll(async () => {
      await model.stop()
      await real.stop()
    })

    it("are answered as over memory, and leave the same behind", async () => {
      await forEveryAsyncWith(
        { numRuns: sequences },
        fc.commands([wanted.map((request) => new Step(request))], { maxCommands: stepsAtMost, size: "max" }),
        async (steps) => {
          const sides = { model: await begin(model), real: await begin(real) }
          const late = model.clock.now - real.clock.now
          ;(late > 0 ? real : model).clock.advance(Math.abs(late))
          await fc.asyncModelRun(() => sides, steps)
          const [expected, left] = [
            await readAll(sides.model.tenant, sides.model.first),
            await readAll(sides.real.tenant, sides.real.first)
          ]
          assert.strictEqual(common(sides.real, left), common(sides.model, expected))
        }
      )
      assert.deepStrictEqual([...model.logs, ...real.logs], [])
    }, 600_000)
  })

suite("the embedded database", embeddedStores)
suite("PostgreSQL", server)
