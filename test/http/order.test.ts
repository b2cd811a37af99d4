import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { IdempotencyStore, Transaction } from "../../src/ports.ts"
import { type Answer, assertRefused } from "../support/Answer.ts"
import {
  concernsOne,
  type DeclaredOperation,
  guardedOperations,
  pathTo,
  soundBody,
  takesKey,
  writes
} from "../support/Declaration.ts"
import { once } from "../support/Late.ts"
import { addressHeader, type RequestParts, type Service, startService } from "../support/Service.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

/** A request that is changed step by step until nothing about it is right. */
interface Draft {
  method: string
  path: string
  key: string | undefined
  json: unknown
  headers: Record<string, string>
}

/** One way in which a request can fail, and the answer that tells of it. */
interface Failure {
  readonly name: string
  /** The step of decisions, section 2, at which it is answered. */
  readonly step: number
  readonly concerns: (operation: DeclaredOperation) => boolean
  readonly spoil: (deferred: Draft, tenant: Tenant, lower: Tenant) => void
  readonly code: string
  readonly says: RegExp
}

const always = () => true

const keyInFlight: Failure = {
  name: "a key in flight",
  step: 8,
  concerns: takesKey,
  spoil: ({ headers }) => Object.assign(headers, { "idempotency-key": "held" }),
  code: "conflict",
  says: /still being processed/
}

/** In the order of decisions, section 2. Failures of one step are never combined. */
const failures: ReadonlyArray<Failure> = [
  {
    name: "x-org-slug",
    step: 2,
    concerns: always,
    spoil: ({ headers }) => Object.assign(headers, { "x-org-slug": "charity" }),
    code: "invalid_request",
    says: /x-org-slug/
  },
  {
    name: "no key",
    step: 3,
    concerns: always,
    spoil: (draft) => Object.assign(draft, { key: undefined }),
    code: "unauthorized",
    says: /API key/
  },
  {
    name: "an unknown path",
    step: 5,
    concerns: always,
    spoil: (draft) => Object.assign(draft, { path: `/nowhere${draft.path}` }),
    code: "not_found",
    says: /address/
  },
  {
    name: "a wrong verb",
    step: 5,
    concerns: always,
    spoil: (draft) => Object.assign(draft, { method: "PUT" }),
    code: "method_not_allowed",
    says: /PUT/
  },
  {
    name: "a READ key",
    step: 6,
    concerns: writes,
    spoil: (draft, { readKey }) => {
      // A caller without a key stays without one.
      if (draft.key !== undefined) draft.key = readKey.secret
    },
    code: "forbidden",
    says: /WRITE/
  },
  {
    name: "a lower plan",
    step: 6,
    concerns: ({ requires }) => requires.plan !== "FREE",
    spoil: (draft, _, lower) => {
      if (draft.key !== undefined) draft.key = lower.writeKey.secret
    },
    code: "forbidden",
    says: /plan/
  },
  {
    name: "a wrong content type",
    step: 7,
    concerns: writes,
    spoil: ({ headers }) => Object.assign(headers, { "content-type": "text/plain" }),
    code: "invalid_request",
    says: /Content-Type/
  },
  keyInFlight,
  {
    name: "a bad body",
    step: 9,
    concerns: writes,
    spoil: (draft) => Object.assign(draft, { json: { no_such_field: 1 } }),
    code: "invalid_request",
    says: /no_such_field/
  },
  {
    name: "an unknown query",
    step: 9,
    concerns: (operation) => !writes(operation),
    spoil: (draft) => {
      draft.path += "?no_such_name=1"
    },
    code: "invalid_request",
    says: /no_such_name/
  },
  {
    name: "a missing record",
    step: 10,
    concerns: concernsOne,
    spoil: () => {},
    code: "not_found",
    says: /such/
  }
]

const assertTells = (answer: Answer, failure: Failure, what: string): void => {
  assert.strictEqual(answer.at("error.code"), failure.code, `${what}: ${answer.text}`)
  assert.match(answer.textAt("error.message"), failure.says, what)
}

const draftOf = (operation: DeclaredOperation, tenant: Tenant): Draft => ({
  method: operation.method,
  path: pathTo(operation),
  key: tenant.writeKey.secret,
  json: writes(operation) ? soundBody(operation) : undefined,
  headers: {}
})

const sentOf = ({ headers, json, key }: Draft): RequestParts => ({
  ...(key === undefined ? {} : { key }),
  json,
  headers
})

/** Holds the Idempotency-Key `held` of an operation while the effect runs. */
const whileHeld = async (service: Service, operation: DeclaredOperation, tenant: Tenant, run: () => Promise<void>) => {
  const scope = {
    organisation_id: tenant.organisation.id,
    api_key_id: tenant.writeKey.id,
    generation: tenant.writeKey.generation,
    method: operation.method,
    path: `/api/v1${pathTo(operation)}`,
    key: "held"
  }
  await service.run(
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const transaction = yield* Transaction
      const reserved = yield* Deferred.make<void>()
      const over = yield* Deferred.make<void>()
      const hold = Effect.gen(function* () {
        yield* store.reserve(scope, ["another body"], yield* DateTime.now)
        yield* Deferred.succeed(reserved, undefined)
        yield* Deferred.await(over)
      })
      const holder = yield* Effect.forkChild(transaction.run(hold))
      yield* Deferred.await(reserved)
      yield* Effect.promise(run)
      yield* Deferred.succeed(over, undefined)
      yield* Fiber.join(holder)
    })
  )
}

/** Every failure that an operation can have, and every two of different steps; the earlier one answers. */
const casesOf = (operation: DeclaredOperation): ReadonlyArray<readonly [first: Failure, second: Failure]> => {
  const possible = failures.filter(({ concerns }) => concerns(operation))
  return possible.flatMap((first) =>
    possible
      .filter((second) => second === first || second.step > first.step)
      .map((second): readonly [Failure, Failure] => [first, second])
  )
}

const send = (
  service: Service,
  operation: DeclaredOperation,
  tenant: Tenant,
  spoiling: ReadonlyArray<Failure>,
  lower = tenant
) => {
  const draft = draftOf(operation, tenant)
  for (const { spoil } of spoiling) spoil(draft, tenant, lower)
  // Each from an address of its own, so that no bucket of callers without a key runs dry.
  draft.headers[addressHeader] = `${operation.name} ${spoiling.map(({ name }) => name).join(", ")}`
  return service.call(draft.method, `/api/v1${draft.path}`, sentOf(draft))
}

describeService(inMemory, "the order of checks", (service) => {
  const tenant = once(() => makeTenant(service, "ENTERPRISE"))
  const lower = once(() => makeTenant(service, "FREE"))

  for (const operation of guardedOperations) {
    it(`of ${operation.name}: the earlier of two failures answers`, async () => {
      const [held, free] = [true, false].map((isHeld) => async () => {
        for (const [first, second] of casesOf(operation)) {
          if ([first, second].includes(keyInFlight) !== isHeld) continue
          const answer = await send(service, operation, tenant, first === second ? [first] : [first, second], lower)
          assertTells(answer, first, `${first.name}, ${second.name}`)
        }
      })
      // Both keys are remembered from here on: looking one up would wait for the transaction that holds the key.
      await free?.()
      if (held !== undefined && takesKey(operation)) await whileHeld(service, operation, tenant, held)
    })
  }

  it("refuses an empty bucket after authentication and before everything else", async () => {
    const own = await startService({ stores: memory })
    const drained = await makeTenant(own)
    own.pace = 0
    for (let i = 0; i < own.bucket.burst; i++) assert.strictEqual((await drained.writer.get("/whoami")).status, 200)
    for (const operation of guardedOperations) {
      for (const failure of failures.filter(({ concerns }) => concerns(operation))) {
        const answer = await send(own, operation, drained, [failure])
        if (failure.step < 4) assertTells(answer, failure, `an empty bucket, ${failure.name}`)
        else assertRefused(answer, "rate_limited")
      }
    }
    await own.stop()
  })
})
