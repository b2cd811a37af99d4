import { Exit } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { textAt } from "../../../domain/kernel/Text.ts"

/** The SQLSTATE, or the code of the system, in an error of the SQL client. */
export const codeOf = (error: unknown): string | undefined =>
  isSqlError(error) ? textAt(error.reason.cause, "code") : undefined

/** The server takes no writes: it is a standby, or was read-only when the session began. */
const readOnly = "25006"

/**
 * What was prepared on the session is gone, or is another's, as poolers bring about; or it is in a transaction that has
 * failed, which is what is seen of the same within one.
 */
const notItsOwn: ReadonlySet<string> = new Set(["26000", "42P05", "08P01", "25P02"])

/** What an exit says about the session that a statement ran on. */
export type Verdict =
  /** Others may have it. */
  | "sound"
  /** Nobody else may have it. */
  | "spent"
  /** Nor may anybody have the others that there are: they lead to the same server. */
  | "elsewhere"

/** The states of a server that is leaving are 57P01 to 57P05. */
const isLeaving = (code: string): boolean => code.startsWith("57P0")

/** A statement that was given up is cancelled by the driver, perhaps too late: nobody gets the session after it. */
export const verdictOf = (exit: Exit.Exit<unknown, unknown>): Verdict => {
  if (Exit.isSuccess(exit)) return "sound"
  if (Exit.hasInterrupts(exit)) return "spent"
  const codes = exit.cause.reasons.flatMap((reason) =>
    reason._tag === "Fail" ? [codeOf(reason.error) ?? ""] : reason._tag === "Die" ? [codeOf(reason.defect) ?? ""] : []
  )
  if (codes.some((code) => code === readOnly || isLeaving(code))) return "elsewhere"
  return codes.some((code) => notItsOwn.has(code)) ? "spent" : "sound"
}

const beginning = /^\s*(?:BEGIN|START\s+TRANSACTION)\b/i

export const begins = (text: string): boolean => beginning.test(text)

const ending = /^\s*(?:COMMIT|END|ABORT|ROLLBACK)\b/i
const toSavepoint = /^\s*ROLLBACK\s+(?:(?:WORK|TRANSACTION)\s+)?TO\b/i

/**
 * Whether a session is in a transaction, by the statements that were sent on it. The end of one counts once the server has
 * confirmed it: after a COMMIT or ROLLBACK that failed, or whose answer did not come, the transaction may still be open.
 */
export class TransactionState {
  private open = false

  get isOpen(): boolean {
    return this.open
  }

  sent(text: string): void {
    if (begins(text)) this.open = true
  }

  confirmed(text: string): void {
    if (ending.test(text) && !toSavepoint.test(text)) this.open = false
  }
}
