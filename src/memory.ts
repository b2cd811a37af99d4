/** Every store in memory, for tests, examples and hosts whose data need not last: `memory()` opens `Almoner` on them. */
export * as RateLimiter from "./adapters/memory/access/RateLimiter.ts"
export * as Stores from "./adapters/memory/Stores.ts"
export { memory } from "./facade/Memory.ts"
