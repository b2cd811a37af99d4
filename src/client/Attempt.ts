/** The result of an attempt: a value and what came beside it, or a failure. */
export type Outcome<A, E, Beside = unknown> =
  | ({ readonly ok: true; readonly value: A } & Beside)
  | { readonly ok: false; readonly failure: E }

/** A promise of a value that rejects with the failure; `outcome()` gives either as a value. */
export interface Attempt<A, E, Beside = unknown> extends Promise<A> {
  /**
   * The outcome as a value. Ask for it where the call is made: a promise that fails before anybody handles it is
   * reported as unhandled, like every promise. Rejects only where the caller's own code is wrong (an empty id, a
   * missing secret).
   */
  outcome(): Promise<Outcome<A, E, Beside>>
}

/** Makes an attempt from its outcome. */
export const attemptOf = <A, E, Beside>(ending: Promise<Outcome<A, E, Beside>>): Attempt<A, E, Beside> => {
  const value = ending.then((outcome) => {
    if (outcome.ok) return outcome.value
    throw outcome.failure
  })
  return Object.assign(value, {
    outcome: () => {
      // The outcome holds the failure: the promise, which nobody awaits then, must not be reported as unhandled.
      value.catch(() => {})
      return ending
    }
  })
}
