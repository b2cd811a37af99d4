/**
 * Records in a PostgreSQL inside the process: `pglite({ dataDir })` opens `Almoner` on it; the layers are for programs
 * written with Effect. It needs @electric-sql/pglite and @effect/sql-pg.
 */
export * as EmbeddedDatabase from "./adapters/postgres/embedded/EmbeddedDatabase.ts"
export * as Migrations from "./adapters/postgres/migrations/Migrations.ts"
export * as Stores from "./adapters/postgres/Stores.ts"
export { type PgliteOptions, pglite } from "./facade/Pglite.ts"
