import {
  AuthenticationError,
  AuthorizationError,
  ConnectionError,
  ConstraintError,
  DeadlockError,
  LockTimeoutError,
  SerializationError,
  type SqlErrorReason,
  SqlSyntaxError,
  StatementTimeoutError,
  UniqueViolation,
  UnknownError
} from "effect/sql/SqlError"
import { textAt } from "../../../domain/kernel/Text.ts"

interface Props {
  readonly cause: unknown
  readonly message: string
  readonly operation: string
}

type Make = (props: Props) => SqlErrorReason

const byCode: Readonly<Record<string, Make>> = {
  "40001": (props) => new SerializationError(props),
  "40P01": (props) => new DeadlockError(props),
  "42501": (props) => new AuthorizationError(props),
  "55P03": (props) => new LockTimeoutError(props),
  "57014": (props) => new StatementTimeoutError(props)
}

const byClass: Readonly<Record<string, Make>> = {
  "08": (props) => new ConnectionError(props),
  "23": (props) => new ConstraintError(props),
  "28": (props) => new AuthenticationError(props),
  "42": (props) => new SqlSyntaxError(props)
}

/** The reason for a failed query of the driver `pg`, as Effect's SQL client has it: by the server's SQLSTATE. */
export const reasonOf = (cause: unknown): SqlErrorReason => {
  const props: Props = { cause, message: "the query of the host's client failed", operation: "query" }
  // An error without SQLSTATE is the driver's: the connection is gone, or was never there.
  if (textAt(cause, "severity") === undefined) return new ConnectionError(props)
  const code = textAt(cause, "code") ?? ""
  if (code === "23505") return new UniqueViolation({ ...props, constraint: textAt(cause, "constraint") ?? "unknown" })
  const make = byCode[code] ?? byClass[code.slice(0, 2)]
  return make === undefined ? new UnknownError(props) : make(props)
}
