import type pg from "pg"

/** The rows of every table of a schema as text, each table after its name. */
export const rowsOf = async (database: Pick<pg.Pool, "query">, schema = "public"): Promise<ReadonlyArray<string>> => {
  const tables = await database.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1",
    [schema]
  )
  const texts: Array<string> = []
  for (const { name } of tables.rows) {
    const { rows } = await database.query<{ t: string }>(`SELECT t::text FROM ${name} AS t ORDER BY 1`)
    texts.push(`${name} ${JSON.stringify(rows)}`)
  }
  return texts
}
