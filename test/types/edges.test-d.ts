import { Context, Effect, type Result, Schema } from "effect"
import { expectTypeOf } from "vitest"
import type { DecodedRequest, Handler } from "../../src/adapters/http/pipeline/Handler.ts"
import { type Failure, problemOf } from "../../src/adapters/http/pipeline/Problem.ts"
import { requireScope, requireStaff } from "../../src/app/access/caller/CallerContext.ts"
import { operationsOf, value } from "../../src/app/access/operation/Operation.ts"
import * as Row from "../../src/app/access/operation/OperationRow.ts"
import type { OperationName } from "../../src/app/Operations.ts"
import type { Scope } from "../../src/domain/access/ApiKey.ts"
import type { Caller } from "../../src/domain/access/Caller.ts"
import * as Policy from "../../src/domain/access/Policy.ts"
import type { IllegalTransition } from "../../src/domain/kernel/Machine.ts"
import { type Forbidden, NotFound } from "../../src/domain/kernel/Rejection.ts"
import type { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"

declare const caller: Caller

class Surprise extends Schema.TaggedError<Surprise>()("Surprise", {}) {}

/* A failure that the one map of errors does not list cannot leave a handler. */

expectTypeOf<Forbidden | IllegalTransition | NotFound>().toExtend<Failure>()

export const knownEdge: Handler<DecodedRequest, string> = { run: () => new NotFound({ record: "donor", id: "dnr" }) }

// @ts-expect-error a forgotten error mapping
export const forgottenEdge: Handler<DecodedRequest, string> = { run: () => new Surprise() }

// @ts-expect-error a failure without a problem
problemOf(new Surprise())

/* What an operation asks is a value, and no operation does without. */

expectTypeOf(Policy.authorize(caller, Policy.writes("donors.create"))).toEqualTypeOf<Result.Result<void, Forbidden>>()
expectTypeOf<"donors.create">().toExtend<OperationName>()
expectTypeOf<"donors.forget">().not.toExtend<OperationName>()
expectTypeOf<"refunds.settle">().not.toExtend<OperationName>()

// @ts-expect-error a name without scope and plan
Policy.authorize(caller, "donors.create")

// @ts-expect-error a name without scope and plan in a use case
requireScope({ requires: "donors.create" })

// @ts-expect-error what is not for keys, asked as if it were
requireScope({ requires: Policy.staffWrites("refunds.settle") })

// @ts-expect-error what keys may do, asked of people
requireStaff({ requires: Policy.writes("donors.create") })

// @ts-expect-error the same in the domain
Policy.authorizeStaff(caller, Policy.writes("donors.create"))

// @ts-expect-error an unknown scope
export const wrongScope: Policy.Requirement = { ...Policy.reads("donors.read"), scope: "ADMIN" }

// @ts-expect-error an unknown plan
export const wrongPlan: Policy.Requirement = Policy.reads("donors.read", "GOLD")

// @ts-expect-error a caller of an unknown scope
Policy.authorize({ ...caller, scope: "ADMIN" }, Policy.writes("donors.create"))

const rest = { summary: "Forget everything", input: [], output: Schema.Void } as const

// @ts-expect-error an operation that does not say whom it is for
Row.table("events", { forget: () => rest })

// @ts-expect-error an operation that does not say what it does
Row.table("events", { forget: (name) => ({ requires: Policy.staffWrites(name), input: [], output: Schema.Void }) })

// @ts-expect-error an operation that changes something and does not say whether it is keyed
Row.table("events", { forget: (name) => ({ requires: Policy.writes(name), ...rest }) })

const table = Row.table("events", {
  forget: Row.end("Forget everything", [], Schema.Void),
  count: Row.read("Count them", [value("type", Schema.String)], Schema.Int)
})

type Forget = () => Effect.Effect<void, NotFound>

class Sound extends Context.Service<
  Sound,
  { readonly forget: Forget; readonly count: (type: string) => Effect.Effect<number> }
>()("Sound") {}
class Lacking extends Context.Service<Lacking, { readonly forget: Forget }>()("Lacking") {}
class Taking extends Context.Service<
  Taking,
  { readonly forget: Forget; readonly count: (type: number) => Effect.Effect<number> }
>()("Taking") {}
class Answering extends Context.Service<
  Answering,
  { readonly forget: Forget; readonly count: (type: string) => Effect.Effect<string> }
>()("Answering") {}

const sound = operationsOf(Sound, table)
expectTypeOf(sound.forget.run).returns.toEqualTypeOf<Effect.Effect<void, NotFound, CurrentCaller>>()
expectTypeOf(sound.count.run).returns.toEqualTypeOf<Effect.Effect<number, never, CurrentCaller>>()
expectTypeOf(sound.count.run).parameter(1).toEqualTypeOf<string>()

// @ts-expect-error a method is missing
operationsOf(Lacking, table)

// @ts-expect-error a method takes something else
operationsOf(Taking, table)

// @ts-expect-error a method answers something else
operationsOf(Answering, table)

operationsOf(Answering, table, { count: { run: (use, type) => Effect.map(use.count(type), Number) } })

expectTypeOf<Scope>().toEqualTypeOf<"READ" | "WRITE">()

// @ts-expect-error what needs a caller does not run without one
Effect.runSync(requireScope({ requires: Policy.writes("donors.create") }))
