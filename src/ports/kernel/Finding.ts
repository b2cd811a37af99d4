/** What a server runs on, part by part. */
export type LookedAt =
  | "variables"
  | "database"
  | "encryption keys"
  | "processors"
  | "mail"
  | "listener"
  | "pages"
  | "clock"
  | "donors"
  | "regimes"

/**
 * A part as a look found it. `wrong` cannot work until somebody changes something, and ends a start; `away` does not work now,
 * and may by itself; with a `warning` it works.
 */
export interface Finding {
  readonly part: LookedAt
  readonly state: "ok" | "warning" | "away" | "wrong"
  /** What was found and, where it is not well, what to do: one line without secrets. */
  readonly message: string
}

/** Makes the findings about one part. */
export const findingsOf = (part: LookedAt) => {
  const as =
    (state: Finding["state"]) =>
    (message: string): Finding => ({ part, state, message })
  return { ok: as("ok"), warning: as("warning"), away: as("away"), wrong: as("wrong") } as const
}
