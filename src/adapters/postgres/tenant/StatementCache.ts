import type { Segment, Statement } from "effect/sql/Statement"

/** A statement's text, and its values. */
export type CompiledStatement = ReturnType<Statement<unknown>["compile"]>

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
