import { Effect, type Result, Schema } from "effect"
import { expectTypeOf } from "vitest"
import type { Handler, Incoming } from "../../src/adapters/http/pipeline/Handler.ts"
import { type Failure, problemOf } from "../../src/adapters/http/pipeline/Problem.ts"
import { operationsOf } from "../../src/app/access/steps/Operation.ts"
import { permitted, permittedToStaff } from "../../src/app/access/steps/Permission.ts"
import type { OperationName } from "../../src/app/Operations.ts"
import { Events } from "../../src/app/outbox/Events.ts"
import type { Scope } from "../../src/domain/access/ApiKey.ts"
import type { Caller } from "../../src/domain/access/Caller.ts"
import {
  authorize,
  authorizeStaff,
  type Requirement,
  reads,
  staffWrites,
  writes
} from "../../src/domain/access/Policy.ts"
import type { IllegalTransition } from "../../src/domain/kernel/Machine.ts"
import { type Forbidden, NotFound } from "../../src/domain/kernel/Rejection.ts"

declare const caller: Caller

class Surprise extends Schema.TaggedError<Surprise>()("Surprise", {}) {}

/* A failure that the one map of errors does not list cannot leave a handler. */

expectTypeOf<Forbidden | IllegalTransition | NotFound>().toExtend<Failure>()

export const known: Handler<Incoming, string> = { run: () => new NotFound({ record: "donor", id: "dnr" }) }

// @ts-expect-error a forgotten error mapping
export const forgotten: Handler<Incoming, string> = { run: () => new Surprise() }

// @ts-expect-error a failure without a problem
problemOf(new Surprise())

/* What an operation asks is a value, and no operation does without. */

expectTypeOf(authorize(caller, writes("donors.create"))).toEqualTypeOf<Result.Result<void, Forbidden>>()
expectTypeOf<"donors.create">().toExtend<OperationName>()
expectTypeOf<"donors.forget">().not.toExtend<OperationName>()
expectTypeOf<"refunds.settle">().not.toExtend<OperationName>()

// @ts-expect-error a name without scope and plan
authorize(caller, "donors.create")

// @ts-expect-error a name without scope and plan in a use case
permitted("donors.create")

// @ts-expect-error what is not for keys, asked as if it were
permitted(staffWrites("refunds.settle"))

// @ts-expect-error what keys may do, asked of people
permittedToStaff(writes("donors.create"))

// @ts-expect-error the same in the domain
authorizeStaff(caller, writes("donors.create"))

// @ts-expect-error an unknown scope
export const wrongScope: Requirement = { ...reads("donors.read"), scope: "ADMIN" }

// @ts-expect-error an unknown plan
export const wrongPlan: Requirement = reads("donors.read", "GOLD")

// @ts-expect-error a caller of an unknown scope
authorize({ ...caller, scope: "ADMIN" }, writes("donors.create"))

const events = operationsOf(Events)
const rest = { takes: [], gives: Schema.Void, run: () => Effect.void } as const

// @ts-expect-error an operation without scope and plan
events.forCaller(rest)

// @ts-expect-error an operation for keys that asks what is not for keys
events.forCaller({ asks: staffWrites("events.forget"), keyed: true, ...rest })

// @ts-expect-error an operation that changes something and does not say whether it is keyed
events.forCaller({ asks: writes("events.forget"), ...rest })

export const sound = [
  events.forCaller({ asks: writes("events.forget"), keyed: false, ...rest }),
  events.forCaller({ asks: reads("events.count"), ...rest })
]

expectTypeOf<Scope>().toEqualTypeOf<"READ" | "WRITE">()

// @ts-expect-error what needs a caller does not run without one
Effect.runSync(permitted(writes("donors.create")))
