/** Every store in memory, for tests, examples and hosts that need nothing kept: `Stores.layer` is all of them. */
export * as RateLimiter from "./adapters/memory/RateLimiter.ts"
export * as Segments from "./adapters/memory/Segments.ts"
export * as Stores from "./adapters/memory/Stores.ts"
