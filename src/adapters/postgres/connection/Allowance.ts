import { Schema } from "effect"

/** How many connections the server allows this process's role, and by which of its settings. */
interface Allowance {
  readonly connections: number
  /** Completes "… allows". */
  readonly by: string
}

/** A row that {@link allowanceQuery} answers. */
export const AllowanceRow = Schema.Struct({
  process_id: Schema.Int,
  /** Whether the role, or the database, has deadlines for each of its sessions. */
  has_deadlines: Schema.Boolean,
  role: Schema.String,
  is_superuser: Schema.Boolean,
  role_limit: Schema.Int,
  database: Schema.String,
  database_limit: Schema.Int,
  server_limit: Schema.Int
})

/** No limit is -1. A superuser may have the connections that are kept for superusers, too. */
export const allowanceQuery = `
  SELECT pg_backend_pid() AS process_id,
    current_setting('statement_timeout') <> '0' AND current_setting('lock_timeout') <> '0' AS has_deadlines,
    r.rolname AS role, r.rolsuper AS is_superuser, r.rolconnlimit AS role_limit,
    d.datname AS database, d.datconnlimit AS database_limit,
    current_setting('max_connections')::int4 - CASE WHEN r.rolsuper THEN 0 ELSE
      current_setting('superuser_reserved_connections')::int4
      + coalesce(current_setting('reserved_connections', true)::int4, 0) END AS server_limit
  FROM pg_roles AS r, pg_database AS d
  WHERE r.rolname = session_user AND d.datname = current_database()`

/** The tightest of the limits. */
export const allowanceOf = (row: Omit<typeof AllowanceRow.Type, "process_id" | "has_deadlines">): Allowance => {
  const all: ReadonlyArray<Allowance> = [
    { connections: row.server_limit, by: "max_connections of the server" },
    { connections: row.is_superuser ? -1 : row.role_limit, by: `CONNECTION LIMIT of the role ${row.role}` },
    { connections: row.is_superuser ? -1 : row.database_limit, by: `CONNECTION LIMIT of the database ${row.database}` }
  ]
  return all
    .filter(({ connections }) => connections >= 0)
    .reduce((least, each) => (each.connections < least.connections ? each : least))
}
