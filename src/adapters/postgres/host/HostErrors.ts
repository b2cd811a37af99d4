import { SqlError } from "effect/sql"
import { textAt } from "../../../domain/kernel/Text.ts"
import { SessionUnfit } from "./HostTypes.ts"

interface Props {
  readonly cause: unknown
  readonly message: string
  readonly operation: string
}

type Reason = new (props: Props) => SqlError.SqlErrorReason

const byCode: Readonly<Record<string, Reason>> = {
  "40001": SqlError.SerializationError,
  "40P01": SqlError.DeadlockError,
  "42501": SqlError.AuthorizationError,
  "55P03": SqlError.LockTimeoutError,
  "57014": SqlError.StatementTimeoutError
}

const byClass: Readonly<Record<string, Reason>> = {
  "08": SqlError.ConnectionError,
  "23": SqlError.ConstraintError,
  "28": SqlError.AuthenticationError,
  "42": SqlError.SqlSyntaxError
}

/** Whether an error is the server's, or of an answer that came, so that the session is at rest. */
export const isAnswer = (cause: unknown): boolean =>
  textAt(cause, "severity") !== undefined || cause instanceof SessionUnfit

/** The reason for a failed query of the driver `pg`, as Effect's SQL client has it: by the server's SQLSTATE. */
export const reasonOf = (cause: unknown): SqlError.SqlErrorReason => {
  const props: Props = { cause, message: "the query of the host's client failed", operation: "query" }
  // Any other error is the driver's: the connection is gone, or was never there.
  if (!isAnswer(cause)) return new SqlError.ConnectionError(props)
  const code = textAt(cause, "code") ?? ""
  if (code === "23505") {
    return new SqlError.UniqueViolation({ ...props, constraint: textAt(cause, "constraint") ?? "unknown" })
  }
  const Found = byCode[code] ?? byClass[code.slice(0, 2)] ?? SqlError.UnknownError
  return new Found(props)
}
