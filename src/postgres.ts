/**
 * Records on a PostgreSQL server: `postgres({ url })` or `postgres({ pool })` opens `Almoner` on it; the layers are for
 * programs written with Effect, in the schema of the reference `SchemaName`. It needs @effect/sql-pg; a host's pool or
 * client is of the driver pg.
 */

export * as RateLimiter from "./adapters/postgres/access/RateLimiter.ts"
export * as Client from "./adapters/postgres/connection/Client.ts"
export { SchemaName } from "./adapters/postgres/connection/SchemaName.ts"
export type { HostClient, HostQuery } from "./adapters/postgres/host/HostPool.ts"
export * as HostPool from "./adapters/postgres/host/HostPool.ts"
export * as Migrations from "./adapters/postgres/migrations/Migrations.ts"
export * as Stores from "./adapters/postgres/Stores.ts"
export { type PostgresOptions, postgres } from "./facade/Postgres.ts"
