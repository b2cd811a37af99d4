import { assert, it } from "@effect/vitest"
import type { ListSpec } from "../../src/domain/kernel/Listing.ts"
import { type DeclaredOperation, guardedOperations, writes } from "../support/Declaration.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenants, type Tenant } from "../support/Tenant.ts"
import { type Ids, populate, readAll, requestTo } from "../support/World.ts"

/** The ends of what a calendar and a clock of four-digit years can say, what lies beyond them, and spans that lead there. */
const extremes: ReadonlyArray<unknown> = [
  "0001-01-01",
  "9999-12-31",
  "10000-01-01",
  "0001-01-01T00:00:00Z",
  "0001-01-01T00:00:00+14:00",
  "9999-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59-12:00",
  "+275760-09-13T00:00:00.001Z",
  "999999999w",
  "999999999s",
  "9007199254740993d",
  0,
  -1,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  8.64e15,
  1e308
]

/** Fields of bodies by whose names time is meant; an amount is none. */
const isTime = (name: string): boolean =>
  /(?:_at|_on|_date|_days|_hours|_seconds|_count|_from|_until|_year)$|^(?:to|from|since|until|duration)$/.test(name)

const fieldsOf = ({ payload }: DeclaredOperation): ReadonlyArray<string> =>
  payload?.ast._tag === "Objects" ? payload.ast.propertySignatures.map(({ name }) => String(name)).filter(isTime) : []

const queriesOf = ({ filters }: ListSpec): ReadonlyArray<string> =>
  Object.entries(filters).flatMap(([name, { kind }]) =>
    kind === "day" ? ["gte", "lt"].map((operator) => `${name}[${operator}]`) : []
  )

/** Every request with one extreme value: in a field of a body, or in a filter of a list. */
const requestsOf = (operation: DeclaredOperation) =>
  writes(operation)
    ? fieldsOf(operation).flatMap((field) => extremes.map((value) => ({ body: { [field]: value }, query: "" })))
    : (operation.list === undefined ? [] : queriesOf(operation.list)).flatMap((name) =>
        extremes.map((value) => ({ body: {}, query: `?${name}=${encodeURIComponent(String(value))}` }))
      )

describeService(everyKind, "extreme dates, instants and spans", (service) => {
  it("are taken or refused by every operation, and what was taken still reads", async () => {
    const { live, sandbox } = await makeTenants(service)
    const tried = new Set<string>()
    const tryAll = async (tenant: Tenant, ids: Ids) => {
      for (const operation of guardedOperations) {
        const { path, sent } = requestTo(operation, ids)
        for (const { body, query } of requestsOf(operation)) {
          const json = { ...Object(sent.json), ...body }
          const answer = await tenant.writer.request(operation.method, path + query, writes(operation) ? { json } : {})
          assert.isBelow(answer.status, 500, `${operation.name} ${query} ${JSON.stringify(body)}: ${answer.text}`)
          tried.add(operation.name)
        }
      }
      assert.notInclude(await readAll(tenant, ids), '"internal_error"')
    }
    await tryAll(live, await populate(service, live))
    await tryAll(sandbox, new Map())
    assert.includeMembers(
      [...tried],
      ["sandbox.advance", "donations.create", "donations.list", "checkout-links.create"]
    )
    assert.deepStrictEqual(service.logs, [])
  }, 60_000)
})
