import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Identifier, Segment, Statement } from "effect/sql/Statement"
import { inSchema, SchemaName } from "../connection/SchemaName.ts"
import { readStatement } from "./TenantCheck.ts"

type CompiledStatement = ReturnType<Statement<unknown>["compile"]>

/** A part that statements begin with alike up to here, and what they go on with. */
interface Step {
  readonly tag: Segment["_tag"] | "Beginning"
  /** Of a text or a name; a value's place is the same whatever the value is. */
  readonly text: string
  readonly next: Array<Step>
  /** The text of a statement that ends here, once one has. */
  sent: string | undefined
}

/** The most statements that are remembered: few are sent over and over, but lists with many filters make more. */
export const cacheMaximum = 2_000

/** Parts that a remembered statement has at most: longer ones list values, of which there are as many as somebody gave. */
const longest = 500

const beginning = (): Step => ({ tag: "Beginning", text: "", next: [], sent: undefined })

/** The text of a part that decides what the statement's text is; undefined where its values have a say in that. */
const textOf = (segment: Segment): string | undefined => {
  switch (segment._tag) {
    case "Parameter":
      return ""
    case "Identifier":
      return segment.value
    case "Literal":
      return segment.params === undefined ? segment.value : undefined
    default:
      return undefined
  }
}

const stepTo = ({ next }: Step, tag: Segment["_tag"], text: string): Step => {
  for (const step of next) if (step.text === text && step.tag === tag) return step
  const step: Step = { tag, text, next: [], sent: undefined }
  next.push(step)
  return step
}

/**
 * Remembers the texts of statements by the parts that they are made of, so that a text that was sent is not put
 * together, hashed and checked again for each request: only its values are. `compile` makes texts that are not
 * remembered. docs/decisions/0047.
 */
export const makeStatementCache = (): ((
  segments: ReadonlyArray<Segment>,
  compile: () => CompiledStatement
) => CompiledStatement) => {
  let first = beginning()
  let count = 0

  return (segments, compile) => {
    if (segments.length > longest) return compile()
    const values: Array<unknown> = []
    let step = first
    for (const segment of segments) {
      const text = textOf(segment)
      if (text === undefined) return compile()
      if (segment._tag === "Parameter") values.push(segment.value)
      step = stepTo(step, segment._tag, text)
    }
    if (step.sent !== undefined) return [step.sent, values]
    const compiled = compile()
    step.sent = compiled[0]
    count += 1
    if (count >= cacheMaximum) {
      first = beginning()
      count = 0
    }
    return compiled
  }
}

/** The defect of a statement that would reach other organisations' rows. It was not sent. Its text holds no values. */
export class TenantForgotten extends Error {
  constructor(faults: ReadonlyArray<string>, statement: string) {
    super(`${faults.join("; ")}: ${statement.replaceAll(/\s+/g, " ").trim()}`)
    this.name = "TenantForgotten"
  }
}

const prototypeOf: (statement: Statement<unknown>) => Statement<unknown> = Object.getPrototypeOf

/**
 * A client that sends no statement in which a table of tenants is not restricted to one of them. When a schema is
 * named, tables are looked for in it. Each statement's text is checked once.
 */
export const tenantGuard = (sql: SqlClient.SqlClient, schema?: string): SqlClient.SqlClient => {
  const texts = makeStatementCache()
  /** The checked texts, each with the text that is sent. */
  const admitted = new Map<string, string>()
  const admit = (text: string): string => {
    const known = admitted.get(text)
    if (known !== undefined) return known
    const { faults, tables } = readStatement(text)
    if (faults.length > 0) throw new TenantForgotten(faults, text)
    if (admitted.size >= cacheMaximum) admitted.clear()
    const sent = schema === undefined ? text : inSchema(text, tables, schema)
    admitted.set(text, sent)
    return sent
  }
  /** One for all statements, which are made by the dozen for each request: it finds the library's own in their prototype. */
  const guard = {
    compile(this: Statement<unknown>, withoutTransform?: boolean): CompiledStatement {
      return texts(this.segments, () => {
        const [text, values] = prototypeOf(this).compile.call(this, withoutTransform)
        return [admit(text), values]
      })
    }
  }
  const guarded = <A>(statement: Statement<A>): Statement<A> => Object.assign(statement, guard)

  function client(value: string): Identifier
  function client<A extends object>(strings: TemplateStringsArray, ...args: Array<unknown>): Statement<A>
  function client<A extends object>(strings: string | TemplateStringsArray, ...args: Array<unknown>) {
    return typeof strings === "string" ? sql(strings) : guarded(sql<A>(strings, ...args))
  }

  const walled: SqlClient.SqlClient = Object.assign(client, sql, {
    unsafe: <A extends object>(text: string, params?: ReadonlyArray<unknown>) => guarded(sql.unsafe<A>(text, params))
  })
  return walled
}

/** Puts {@link tenantGuard} between a client and the stores on it, whose tables are in {@link SchemaName}. */
export const layer: Layer.Layer<SqlClient.SqlClient, never, SqlClient.SqlClient> = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    return tenantGuard(yield* SqlClient.SqlClient, yield* SchemaName)
  })
)
