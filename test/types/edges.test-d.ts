import { Effect, type Result, Schema } from "effect"
import { expectTypeOf } from "expect-type"
import type { Handler, Incoming } from "../../src/adapters/http/pipeline/Handler.ts"
import { type Failure, problemOf } from "../../src/adapters/http/pipeline/Problem.ts"
import { permitted } from "../../src/app/access/steps/Permission.ts"
import type { Scope } from "../../src/domain/access/ApiKey.ts"
import type { Caller } from "../../src/domain/access/Caller.ts"
import { authorize, type Operation, type Requirement } from "../../src/domain/access/Policy.ts"
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

/* Operations and what they ask are one table. */

expectTypeOf(authorize(caller, "donors.create")).toEqualTypeOf<Result.Result<void, Forbidden>>()
expectTypeOf<"donors.forget">().not.toExtend<Operation>()

// @ts-expect-error an unknown operation
authorize(caller, "donors.forget")

// @ts-expect-error an unknown operation in a use case
permitted("donors.forget")

// @ts-expect-error an unknown scope
export const wrongScope: Requirement = { scope: "ADMIN", plan: "FREE" }

// @ts-expect-error an unknown plan
export const wrongPlan: Requirement = { scope: "READ", plan: "GOLD" }

// @ts-expect-error a caller of an unknown scope
authorize({ ...caller, scope: "ADMIN" }, "donors.create")

expectTypeOf<Scope>().toEqualTypeOf<"READ" | "WRITE">()

// @ts-expect-error what needs a caller does not run without one
Effect.runSync(permitted("donors.create"))
