import { Effect, Predicate } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** A step of a plan. */
export interface Node {
  readonly type: string
  readonly table: string | undefined
  readonly index: string | undefined
  /** The rows that the planner expects of it. */
  readonly rows: number
  /** How often it ran, where it was run. */
  readonly loops: number
}

/** The steps of a plan that EXPLAIN printed as JSON. */
export const nodes = (plan: unknown): ReadonlyArray<Node> => {
  if (Array.isArray(plan)) return plan.flatMap(nodes)
  if (!Predicate.isObject(plan)) return []
  const textAt = (name: string) => (Predicate.hasProperty(plan, name) ? String(plan[name]) : undefined)
  const type = textAt("Node Type")
  const [table, index] = [textAt("Relation Name"), textAt("Index Name")]
  const [rows, loops] = [Number(textAt("Plan Rows")), Number(textAt("Actual Loops"))]
  const here = type === undefined ? [] : [{ type, table, index, rows, loops }]
  return [...here, ...Object.values(plan).flatMap(nodes)]
}

/** The statements that an effect sends, with their parameters, whatever becomes of it. */
export const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sent: Array<readonly [text: string, params: ReadonlyArray<unknown>]> = []
    const watch: Statement.Transformer = (statement) =>
      Effect.sync(() => {
        sent.push(statement.compile())
        return statement
      })
    yield* Effect.exit(Effect.provideService(effect, Statement.CurrentTransformer, watch))
    return sent
  })

/** The first of them. */
export const statementOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(statementsOf(effect), ([first]) => first ?? (["", []] as const))

/** The plan of the first statement that an effect sends, made for its parameters. */
export const planOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [text, params] = yield* statementOf(effect)
    return nodes(yield* sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, params))
  })

/** How the first statement that an effect sends is run. */
export const runOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [text, params] = yield* statementOf(effect)
    return nodes(yield* sql.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, params))
  })

/** The plan of the first statement that an effect sends, made without knowing its parameters. */
export const genericPlanOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [text, params] = yield* statementOf(effect)
    const planned = Effect.gen(function* () {
      yield* sql`SET LOCAL plan_cache_mode = force_generic_plan`
      yield* sql.unsafe(`PREPARE asked AS ${text}`).unprepared
      const unknown = params.map(() => "NULL").join(", ")
      const plan = yield* sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE asked (${unknown})`).unprepared
      yield* sql`DEALLOCATE asked`.unprepared
      return plan
    })
    return nodes(yield* sql.withTransaction(planned))
  })
