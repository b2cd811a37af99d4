/**
 * Records on a PostgreSQL server: `postgres({ url })` or `postgres({ pool })` opens `Almoner` on it, the layers are for
 * programs written with Effect, in the schema of the reference `SchemaName`. It needs @effect/sql-pg; a host's pool or client is of the driver pg.
 */
export * as Client from "./adapters/postgres/Client.ts"
export type { HostClient, HostQuery } from "./adapters/postgres/HostConnection.ts"
export * as HostPool from "./adapters/postgres/HostPool.ts"
export * as Migrations from "./adapters/postgres/Migrations.ts"
export * as RateLimiter from "./adapters/postgres/RateLimiter.ts"
export { SchemaName } from "./adapters/postgres/SchemaName.ts"
export * as Stores from "./adapters/postgres/Stores.ts"
export { type PostgresOptions, postgres } from "./facade/Postgres.ts"
