/** The laws of a state machine, in the words that a report uses. */
export const laws = {
  declared: "a table speaks of the machine's own statuses",
  reachable: "every status is reachable from the births",
  refusal: "a command is refused exactly when the status is not in `from` or the guard says no",
  terminal: "a terminal status refuses every command",
  landing: "a command lands in `to`, or stays where `to` says so",
  hostile: "a value outside the commands' schemas is refused, and the refusal names the field",
  events: "a command emits what its row says, with data that its event's schema accepts",
  evolution: "the transition of a decision, applied to the record, gives the state that was decided",
  pure: "a decision never throws and never changes its input",
  milestones: "milestones are dated exactly when they are passed",
  schema: "the record's schema accepts every state that is reached",
  expected: "a command does what is expected of it, and is refused where it is not expected",
  invariant: "what is said of every state holds of every state that is reached",
  step: "what is said of every step holds of every command that is accepted",
  coverage: "every row is taken from each status in its `from`, and every guard refuses at least once"
} as const

/** A law that a machine breaks. */
export class LawBroken extends Error {
  override readonly name = "LawBroken"
  readonly law: keyof typeof laws
  /** The fields of the record that it is about, where they are known. */
  readonly fields: ReadonlyArray<string>

  constructor(law: keyof typeof laws, detail: string, fields: ReadonlyArray<string> = []) {
    super(detail)
    this.law = law
    this.fields = fields
  }
}

/**
 * The value of something that may not throw, said of by its name.
 *
 * @throws LawBroken where it throws: `pure`, or the law for which it was asked
 */
export const pure = <A>(what: string, run: () => A, law: keyof typeof laws = "pure"): A => {
  try {
    return run()
  } catch (cause) {
    throw new LawBroken(law, `${what} threw: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
