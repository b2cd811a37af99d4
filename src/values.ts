/**
 * Amounts, limits, and the texts of refusals, without schemas: for a page of a host's own that checks what is typed before it
 * sends it. docs/guides/embed.md
 */

export { Limits } from "./domain/kernel/Limits.ts"
export { centsOf, isCents } from "./domain/kernel/Money.ts"
export * as Refusals from "./domain/kernel/Refusals.ts"
